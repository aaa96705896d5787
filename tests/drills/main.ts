/** `npm run drills`: real processes are killed, stopped and cut off under load, and a ledger checks every job and return. */
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { drill, type Drilled } from './drill.js';
import { isClean } from './ledger.js';

const HELP = `npm run drills -- [options]

  --minutes M      how long the load lasts (default 1)
  --seed S         of the faults' order, moments and victims, or the first of the orders (default 1)
  --rate N         jobs a second (default 50)
  --faults N       how many; each kind equally often (default 12 a minute, at least one of each kind)
  --minions N      how many (default 3)
  --keep           leave the folder with the logs
  --orders [COUNT] no processes: two gateways whose store loses acknowledgements, in virtual time, under COUNT seeds (default 500) from S on
  --planted FAULT  with --orders: a fault in the gateways' store, until a promise is broken: closes-early, drops-any, forgets-grants, trusts-returns
  --mutants [WORD] build each mutant of spec/envelope.md (or those whose name holds WORD) and name the test that finds it
  --help

Exit 0: no return lost, none doubled, nothing run twice, none refused but run, no event missing; no promise broken. 1: otherwise. 2: wrong words.
`;
const MINUTE_MS = 60_000;
const KINDS = 18;
const PER_MINUTE = 12;
const SHOWN = 10;
const USAGE = 2;
const ORDERS = '500';

const say = (text: string) => process.stdout.write(`${text}\n`);
const tell = (text: string) => process.stderr.write(`drills: ${text}\n`);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
      rate: { type: 'string', default: '50' },
      faults: { type: 'string' },
      minions: { type: 'string', default: '3' },
      keep: { type: 'boolean', default: false },
      orders: { type: 'boolean', default: false },
      planted: { type: 'string' },
      mutants: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (values.mutants) {
    const { killMutants } = await import('../mutants/kill-mutants.js');
    return killMutants(positionals[0] ?? '', say);
  }
  if (values.planted !== undefined && !values.orders) throw new RangeError('--planted goes with --orders');
  if (values.orders) {
    const { tryOrders } = await import('../orders/try-orders.js');
    const count = numberIn('orders', positionals[0] ?? ORDERS);
    if (count < 1) throw new RangeError('--orders takes 1 at least');
    return tryOrders({ count, first: numberIn('seed', values.seed), planted: values.planted, say, tell });
  }
  const minutes = numberIn('minutes', values.minutes);
  const stopping = new AbortController();
  process.once('SIGINT', () => {
    stopping.abort();
  });
  const options = {
    seed: numberIn('seed', values.seed),
    ms: minutes * MINUTE_MS,
    faults: numberIn('faults', values.faults ?? String(Math.max(KINDS, Math.round(minutes * PER_MINUTE)))),
    jobsPerSecond: numberIn('rate', values.rate),
    minions: Array.from({ length: numberIn('minions', values.minions) }, (_, n) => `m${String(n + 1)}`),
  };
  const began = performance.now();
  const at = () => `${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  `;
  const drilled = await drill({ ...options, signal: stopping.signal, say: (line) => { say(at() + line); } }); // prettier-ignore
  report(drilled, options.seed);
  const clean = isClean(drilled.account);
  if (clean && !values.keep) rmSync(drilled.folder, { recursive: true, force: true });
  else say(`the logs are in ${drilled.folder}`);
  return clean ? 0 : 1;
}

function report({ account, rows, faults, runs, jobsPerSecond, p50Ms }: Drilled, seed: number): void {
  const {
    sent,
    refused,
    expected,
    received,
    told,
    interrupted,
    lost,
    doubled,
    ranTwice,
    ranRefused,
    storedAgain,
    missing,
  } = account;
  say(
    `\nseed ${String(seed)}: ${String(faults)} faults, ${jobsPerSecond.toFixed(0)} jobs/s, median answer ${p50Ms.toFixed(0)} ms\n`,
  );
  const figures = {
    'jobs sent': sent,
    'jobs refused to their caller': refused,
    'returns expected (runs)': expected,
    'returns received': received,
    '  of them told to a waiting caller': told,
    'returns "interrupted, outcome unknown"': interrupted,
    'stored again in the same words': storedAgain,
    lost: lost.length,
    doubled: doubled.length,
    'run twice': ranTwice.length,
    'refused but run': ranRefused.length,
    'events kept by their minions': account.events,
    '  of them missing in the sink': missing.length,
    'events in the sink again': account.sunkAgain,
    'reactions run': account.reactions,
  };
  for (const [name, figure] of Object.entries(figures)) say(`${name.padEnd(40)}${String(figure).padStart(8)}`);
  for (const [name, list] of Object.entries({ lost, doubled, ranTwice, ranRefused, missing })) {
    if (list.length > 0) say(`${name}: ${list.slice(0, SHOWN).join(', ')}`);
  }
  say(`\n${'fault'.padEnd(24)}${'times'.padStart(8)}${'worst recovery ms'.padStart(20)}`);
  for (const { kind, times, worstMs } of rows) {
    say(`${kind.padEnd(24)}${String(times).padStart(8)}${(worstMs?.toFixed(0) ?? '-').padStart(20)}`);
  }
  say(
    `\nrunners: ${String(runs.asked)} asked, ${String(runs.failed)} told that they failed, longest wait ${runs.worstMs.toFixed(0)} ms`,
  );
}

function numberIn(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isFinite(number) || number < 0) throw new RangeError(`--${name} takes a number, not ${text}`);
  return number;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`drills: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof RangeError || (error instanceof Error && 'code' in error) ? USAGE : 1);
  },
);
