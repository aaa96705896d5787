/** One drill: a cluster, its load, the faults, and the account when all has come to rest. */
import { setTimeout as pause } from 'node:timers/promises';
import { DrillCluster } from './cluster.js';
import { type Fault, Faults, HURTS, plan } from './faults.js';
import { type Account, accountOf } from './ledger.js';
import { Load, type RunAsked, type SentJob } from './load.js';
import { ROLES } from './cluster.js';
import { Events } from './events.js';

export interface DrillOptions {
  readonly seed: number;
  readonly ms: number;
  readonly faults: number;
  readonly jobsPerSecond: number;
  readonly minions: readonly string[];
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface KindRow {
  readonly kind: string;
  readonly times: number;
  /** Milliseconds: the longest that a caller waited whose job was under way then; of a minion, until it answered again. */
  readonly worstMs: number | undefined;
}

export interface Drilled {
  readonly account: Account;
  readonly rows: readonly KindRow[];
  readonly faults: number;
  readonly runs: { readonly asked: number; readonly failed: number; readonly worstMs: number };
  readonly jobsPerSecond: number;
  readonly p50Ms: number;
  /** Where its logs are; removed when it went well. */
  readonly folder: string;
}

const REST_TRIES = 15;
const REST_PAUSE_MS = 2000;

/** Nothing of it is alive when this comes back. */
export async function drill(options: DrillOptions): Promise<Drilled> {
  const cluster = new DrillCluster(options.minions);
  const began = performance.now();
  try {
    await cluster.start();
    options.say(`ready after ${((performance.now() - began) / 1000).toFixed(1)} s; ${cluster.folder}`);
    const load = new Load(cluster.master.client, options.minions, options.jobsPerSecond);
    const events = new Events(cluster.master.client, options.minions);
    const faults = new Faults(cluster, options.say);
    const loadBegan = performance.now();
    // The last faults heal after the load has ended, which is not its rate.
    const loaded = load.run(options.ms).then(() => load.jobs.length / ((performance.now() - loadBegan) / 1000));
    const [rate] = await Promise.all([
      loaded,
      events.during(loaded),
      faults.inject(plan(options.seed, options.ms, options.faults), options.signal),
    ]);
    await load.settled();
    const account = await atRest(cluster, load, events);
    return {
      account,
      rows: rowsOf(faults.done, load.jobs),
      faults: faults.done.length,
      runs: runFigures(load.runs),
      jobsPerSecond: rate,
      p50Ms: median(
        load.jobs.flatMap(({ sent, ended, waited }) => (ended === undefined || !waited ? [] : [ended - sent])),
      ),
      folder: cluster.folder,
    };
  } finally {
    await cluster.stop();
  }
}

/** What is on its way comes in, and the broker comes to rest; a return or an event that is lost is looked for so long and no longer. */
async function atRest(cluster: DrillCluster, load: Load, events: Events): Promise<Account> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const account = await accountOf(cluster, { jobs: load.jobs, events: events.kept });
      if (account.lost.length + account.missing.length === 0 || attempt >= REST_TRIES) return account;
    } catch (cause) {
      if (attempt >= REST_TRIES) throw cause;
    }
    await pause(REST_PAUSE_MS);
  }
}

function rowsOf(faults: readonly Fault[], jobs: readonly SentJob[]): readonly KindRow[] {
  return ROLES.flatMap((role) =>
    HURTS.map((hurt) => {
      const own = faults.filter((fault) => fault.role === role && fault.hurt === hurt);
      const times = own.map((fault) => recovery(fault, jobs)).filter((ms) => ms !== undefined);
      return {
        kind: `${hurt} ${role}`,
        times: own.length,
        worstMs: times.length === 0 ? undefined : Math.max(...times),
      };
    }),
  );
}

function recovery(fault: Fault, jobs: readonly SentJob[]): number | undefined {
  const end = Math.max(fault.healed, fault.began);
  if (fault.role === 'minion') {
    const back = jobs.flatMap(({ sent, heardAt }) => (sent >= end ? (heardAt.get(fault.name) ?? []) : []));
    return back.length === 0 ? undefined : Math.min(...back) - end;
  }
  // Jobs that were under way when it happened, or began while it lasted.
  const hurt = jobs.filter(
    ({ sent, ended, waited }) => waited && ended !== undefined && sent <= end && ended >= fault.began,
  );
  return Math.max(0, ...hurt.map(({ sent, ended }) => (ended ?? sent) - Math.max(sent, fault.began)));
}

function runFigures(runs: readonly RunAsked[]) {
  return {
    asked: runs.length,
    failed: runs.filter(({ failure }) => failure !== undefined).length,
    worstMs: Math.max(0, ...runs.map(({ sent, ended }) => (ended ?? Number.POSITIVE_INFINITY) - sent)),
  };
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
