/** The account at the end: what ran on each minion, what callers heard, what is stored. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from './engine.js';
import type { ToldJob } from './load.js';
import { storedReturns } from './running-load.js';
import { logOf } from './steps.js';

const LEDGER = '/var/lib/natrium/ledger';
const REST_TRIES = 20;
const REST_MS = 1000;
/** Of the jobs, and of the minions that they were sent to: each service and each node is away for a moment. */
const MOST_REFUSED = 0.1;
/** The peer that asks waits for each: where one node stands still, for longer than any other step takes. */
const MOST_UNHEARD = 1 / 3;

export interface Account {
  readonly figures: Readonly<Record<string, number>>;
  /** `<word> <minion>`, of what must not be. */
  readonly faults: Readonly<Record<string, readonly string[]>>;
}

export async function accountOf(engine: Engine, jobs: readonly ToldJob[]): Promise<Account> {
  const told = new Set(jobs.flatMap(({ word, heard }) => Object.keys(heard).map((id) => `${word} ${id}`)));
  const doubled = jobs.flatMap(({ word, heard }) =>
    Object.entries(heard).flatMap(([id, n]) => (n > 1 ? [`${word} ${id}`] : [])),
  );
  const interrupted = new Set(jobs.flatMap((job) => job.interrupted.map((id) => `${job.word} ${id}`)));
  const { runs, lost } = await atRest(engine, told);
  const ran = [...runs.keys()];
  const refused = jobs.filter(({ refusal }) => refusal !== undefined);
  // Silence promises nothing; any other refusal says that nothing was sent.
  const absent = jobs.reduce((sum, job) => sum + job.absent, 0);
  const peers = jobs.filter(({ word }) => word.startsWith('peer'));
  const unheard = peers.filter(({ heard }) => Object.keys(heard).length === 0);
  const denied = new Set(refused.filter(({ refusal }) => refusal !== 'master_unreachable').map(({ word }) => word));
  return {
    figures: {
      'jobs sent': jobs.length,
      '  of them by a peer': peers.length,
      'jobs refused to their caller': refused.length,
      'minions told to be absent': absent,
      ...codesOf(refused),
      'runs on minions': runs.size,
      'returns told to a waiting caller': told.size,
      'returns "interrupted, outcome unknown"': interrupted.size,
      'longest wait of a caller, ms': Math.round(Math.max(0, ...jobs.map(({ tookMs }) => tookMs ?? 0))),
    },
    faults: {
      lost,
      doubled,
      'run twice': ran.filter((place) => (runs.get(place) ?? 0) > 1),
      'told and not run': [...told].filter((place) => !runs.has(place) && !interrupted.has(place)),
      'refused and run all the same': ran.filter((place) => denied.has(place.split(' ')[0] ?? '')),
      'refused beyond a tenth': beyond(refused.length, jobs.length, MOST_REFUSED),
      'absent beyond a tenth': beyond(absent, told.size + absent, MOST_REFUSED),
      'peers that heard nobody, beyond a third': beyond(unheard.length, peers.length, MOST_UNHEARD),
    },
  };
}

/** A cluster that does nothing loses nothing either. */
function beyond(count: number, all: number, share: number): readonly string[] {
  return all > 0 && count <= all * share ? [] : [`${String(count)} of ${String(all)}`];
}

/** How many were refused with each code. */
function codesOf(refused: readonly ToldJob[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { refusal = '' } of refused) counts[`  ${refusal}`] = (counts[`  ${refusal}`] ?? 0) + 1;
  return counts;
}

/** Returns that nobody waited for may still be on their way: each is asked for until it is stored, or lost. */
async function atRest(engine: Engine, told: ReadonlySet<string>) {
  const known = new Set(told);
  for (let attempt = 1; ; attempt += 1) {
    const runs = await runsOf(engine);
    const unheard = [...runs.keys()].filter((place) => !known.has(place));
    for (const place of await storedIn(engine, unheard)) known.add(place);
    const lost = unheard.filter((place) => !known.has(place));
    if (lost.length === 0 || attempt === REST_TRIES) return { runs, lost };
    await pause(REST_MS);
  }
}

/** `<word> <minion>`: how often it ran there. */
async function runsOf(engine: Engine): Promise<ReadonlyMap<string, number>> {
  const runs = new Map<string, number>();
  for (const id of await engine.containers('minion-agent')) {
    const { stdout, code } = await engine.tryDocker(['exec', id, 'cat', LEDGER]);
    if (code !== 0) throw new Error(`the ledger of ${id.slice(0, 12)} cannot be read\n${await logOf(engine, id)}`);
    for (const word of stdout.split('\n').filter((line) => line !== '')) {
      const place = `${word} ${id.slice(0, 12)}`;
      runs.set(place, (runs.get(place) ?? 0) + 1);
    }
  }
  return runs;
}

async function storedIn(engine: Engine, places: readonly string[]): Promise<readonly string[]> {
  const words = [...new Set(places.map((place) => place.split(' ')[0] ?? ''))];
  if (words.length === 0) return [];
  const found = await storedReturns(engine, words);
  return Object.entries(found).flatMap(([word, ids]) => ids.map((id) => `${word} ${id}`));
}
