/**
 * Runs in the container `cli`, as its account. `load MINIONS RATE`: the drills' load until standard input says anything, then
 * what became of each job, as one line of JSON. `stored`: the returns in the job cache of each job, by its word.
 */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { openMaster } from '../../apps/cli/src/link/open-master.js';
import { Load, type SentJob } from '../drills/load.js';

const LEDGER = '/var/lib/natrium/ledger';
const RUN_TIMEOUT_S = 30;
const ASK_TRIES = 10;
const ASK_PAUSE_MS = 500;

/** A job as it is told to the test: its word, whether somebody waited, and who was heard how often. */
export interface ToldJob {
  readonly word: string;
  readonly refusal?: string;
  readonly heard: Readonly<Record<string, number>>;
  /** Of those: minions that died over it, where nobody knows whether it ran. */
  readonly interrupted: readonly string[];
  readonly tookMs?: number;
  readonly absent: number;
}

const [, , what = '', ...words] = process.argv;
const opened = await openMaster('/etc/natrium');
if (!opened.ok) throw new Error(opened.error.sentence);
const { client, transport } = opened.value;
const told: unknown = what === 'load' ? await load(words[0] ?? '', Number(words[1])) : await stored(words);
await new Promise((resolve) => process.stdout.write(`${JSON.stringify(told)}\n`, resolve));
await transport.drain();
process.exit(0);

async function load(minions: string, rate: number): Promise<readonly ToldJob[]> {
  let over = false;
  void once(process.stdin.resume(), 'data').then(() => {
    over = true;
  });
  const one = new Load(client, minions.split(','), rate, LEDGER);
  await one.run(Number.POSITIVE_INFINITY, () => over);
  await one.settled();
  return one.jobs.map(toTold);
}

function toTold({ word, refusal, heard, interrupted, ended, sent, waited, absent }: SentJob): ToldJob {
  return {
    word,
    heard: Object.fromEntries(heard),
    interrupted: [...interrupted],
    absent,
    ...(refusal === undefined ? {} : { refusal }),
    ...(ended === undefined || !waited ? {} : { tookMs: ended - sent }),
  };
}

/** By `<word>`: the minions whose return is in the job cache. */
async function stored(wanted: readonly string[]): Promise<Readonly<Record<string, readonly string[]>>> {
  const jids = new Map<string, string>();
  for (const [jid, job] of Object.entries((await asked('jobs.list_jobs', [])) as Readonly<Record<string, unknown>>)) {
    const word = /"(job\d+|peer\d+)"/.exec(JSON.stringify(job))?.[1];
    if (word !== undefined) jids.set(word, jid);
  }
  const found: Record<string, readonly string[]> = {};
  for (const word of wanted) {
    const jid = jids.get(word);
    const returns = jid === undefined ? {} : await asked('jobs.lookup_jid', [jid]);
    found[word] = Object.keys(returns as object);
  }
  return found;
}

/** Asked again when no runner answers in time: the machine has just been through a lot, and a question changes nothing. */
async function asked(fun: string, args: readonly string[]): Promise<unknown> {
  let why = '';
  for (let attempt = 0; attempt < ASK_TRIES; attempt += 1) {
    const answer = await client.run({ fun, args, timeout: RUN_TIMEOUT_S });
    if (answer.ok && answer.value.success) return answer.value.ret;
    // What a runner that failed returns is a sentence.
    why = answer.ok ? JSON.stringify(answer.value.ret) : answer.error.code;
    await pause(ASK_PAUSE_MS);
  }
  throw new Error(`${fun}: ${why}`);
}
