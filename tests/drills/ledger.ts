/**
 * The account of a drill: what ran (each run leaves a line on its minion), what callers heard, what is stored. A return that
 * ran and is neither heard nor stored is lost; one of which two different ones are stored, or that a caller heard twice, is
 * doubled; two lines of one job on one minion are a second run, and so are those of one reaction. An event that was kept and is not in
 * the sink is missing.
 */
import { existsSync, readFileSync } from 'node:fs';
import { readAsked, openBucket, SealedStore } from '@natrium/bus';
import { decode, encode, type Wire } from '@natrium/envelope';
import { readAs, records, writeAs } from '@natrium/wire';
import type { DrillCluster } from './cluster.js';
import { sunkIn } from './events.js';
import type { SentJob } from './load.js';

export interface Account {
  readonly sent: number;
  readonly refused: number;
  /** (job, minion) that ran. */
  readonly expected: number;
  /** Of those, the returns that were told or are stored. */
  readonly received: number;
  readonly told: number;
  readonly interrupted: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly ranTwice: readonly string[];
  /** Refused to their callers, and run all the same. */
  readonly ranRefused: readonly string[];
  /** Stored more than once in the same words: readers take the first. */
  readonly storedAgain: number;
  /** Kept by their minions. */
  readonly events: number;
  /** Of those, what the sink has not. */
  readonly missing: readonly string[];
  /** In the sink more than once, which is promised at least once. */
  readonly sunkAgain: number;
  /** How many events have set off a run. */
  readonly reactions: number;
}

interface Sent {
  readonly jobs: readonly SentJob[];
  /** Names of those that their minions have kept. */
  readonly events: readonly string[];
}

/** What minion ran what, and how often: `<job> <minion>`. */
export function runsOf(cluster: DrillCluster): ReadonlyMap<string, number> {
  const runs = new Map<string, number>();
  for (const minion of cluster.minions) {
    const path = cluster.ledger(minion);
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    for (const line of lines.filter((text) => text !== '')) {
      const place = `${line} ${minion}`;
      runs.set(place, (runs.get(place) ?? 0) + 1);
    }
  }
  return runs;
}

/** Different returns that are stored for each `<job> <minion>`, with how often each. */
export async function storedIn(cluster: DrillCluster): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  const stores = await Promise.all(records.JOB_BUCKETS.map((bucket) => jobStore(cluster, bucket)));
  const all = async (pattern: string) => (await Promise.all(stores.map((store) => store.list(pattern)))).flat();
  const words = new Map<string, string>();
  for (const { value } of await all('j.*')) {
    const record = readAs(records.AskedJob, decode(value));
    const word = readAsked(record.request)?.args[0]?.[1];
    if (typeof word === 'string') words.set(record.jid, word);
  }
  const stored = new Map<string, Map<string, number>>();
  for (const { value } of await all('r.*.*')) {
    for (const one of readAs(records.ReturnGroup, decode(value))) {
      const word = words.get(one.jid);
      if (word === undefined) continue;
      const place = `${word} ${one.id}`;
      const said = stored.get(place) ?? new Map<string, number>();
      const text = Buffer.from(encode(writeAs(records.StoredReturn, { ...one, at: 0 }) as Wire)).toString('hex');
      said.set(`${one.status} ${text}`, (said.get(`${one.status} ${text}`) ?? 0) + 1);
      stored.set(place, said);
    }
  }
  return stored;
}

async function jobStore({ master, keys }: DrillCluster, bucket: string): Promise<SealedStore> {
  const { transport, config } = master;
  const settings = { replicas: 3, ttlMs: config.keep_jobs_seconds * 1000 };
  const raw = await openBucket(transport, { name: `NT_${config.cluster}_${bucket}`, ...settings });
  return new SealedStore(raw, keys.storageKeys('jobs'), (error) => {
    throw error;
  });
}

export async function accountOf(cluster: DrillCluster, { jobs, events }: Sent): Promise<Account> {
  const runs = runsOf(cluster);
  const stored = await storedIn(cluster);
  const sunk = sunkIn(cluster.sink);
  const byWord = new Map(jobs.map((job) => [job.word, job]));
  const told = (place: string): number => {
    const [word = '', minion = ''] = place.split(' ');
    return byWord.get(word)?.heard.get(minion) ?? 0;
  };
  const ran = [...runs.keys()];
  const heardTwice = jobs.flatMap((job) => [...job.heard].flatMap(([id, n]) => (n > 1 ? [`${job.word} ${id}`] : [])));
  const storedTwice = [...stored].flatMap(([place, said]) => (said.size > 1 ? [place] : []));
  const received = ran.filter((place) => told(place) > 0 || stored.has(place));
  return {
    sent: jobs.length,
    refused: jobs.filter(({ refusal }) => refusal !== undefined).length,
    expected: ran.length,
    received: received.length,
    told: ran.filter((place) => told(place) > 0).length,
    interrupted: [...stored.values()].filter((said) => [...said.keys()].some((text) => text.startsWith('interrupted')))
      .length,
    lost: ran.filter((place) => told(place) === 0 && !stored.has(place)),
    doubled: [...new Set([...heardTwice, ...storedTwice])],
    ranTwice: [...runs].flatMap(([place, n]) => (n > 1 ? [place] : [])),
    ranRefused: jobs
      // Silence promises nothing.
      .filter(({ refusal }) => refusal !== undefined && refusal !== 'master_unreachable')
      .filter(({ word }) => ran.some((place) => place.startsWith(`${word} `)))
      .map(({ word, refusal }) => `${word} (${refusal ?? ''})`),
    storedAgain: [...stored.values()].flatMap((said) => [...said.values()]).filter((n) => n > 1).length,
    events: events.length,
    missing: events.filter((name) => !sunk.has(name)),
    sunkAgain: [...sunk.values()].filter((n) => n > 1).length,
    reactions: ran.filter((place) => !byWord.has(place.split(' ')[0] ?? '')).length,
  };
}

/** What `npm run drills` ends with 0 for. */
export function isClean({ lost, doubled, ranTwice, ranRefused, missing }: Account): boolean {
  return lost.length + doubled.length + ranTwice.length + ranRefused.length + missing.length === 0;
}
