/**
 * What the broker and its disk get to see: no id, function, argument or return. The same run without sealing is the proof
 * that the search would find them.
 *
 * Spec: spec/envelope.md.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '@natrium/process';
import { PEER_ALL, PEER_RUN_ALL } from '../support/examples.js';
import { inRoot } from '../support/places.js';
import { filesBelow, holds } from '../support/search.js';
import { Tap, type Tapped } from '../support/tap.js';
import { START_MS, UpCluster } from '../support/up-cluster.js';

const UNSEALED = { NODE_OPTIONS: `--import=${pathToFileURL(inRoot('tests/support/unsealed.mjs')).href}` };

const KINDS = ['id', 'grain', 'fun', 'arg', 'ret', 'runner', 'runnerArg'] as const;
type Canaries = Readonly<Record<(typeof KINDS)[number], string>>;

/** What each bucket holds on disk, sealed, `jobs2` as `jobs`; a grain also stands in the target of a job. `runs` and `announcements` know no names. */
const IN_BUCKETS: Readonly<Record<string, readonly (keyof Canaries)[]>> = {
  announcements: [],
  audit: ['id', 'grain', 'fun', 'runner'],
  data: ['id', 'grain'],
  jids: [],
  jobs: ['id', 'grain', 'fun', 'arg', 'ret', 'runner', 'runnerArg'],
  mine: [],
  roster: ['id'],
  runs: [],
  tokens: [],
};

interface Seen {
  /** The canaries in subjects and payloads of everything that went through the broker. */
  readonly tap: readonly string[];
  readonly buckets: Readonly<Record<string, readonly string[]>>;
  /** The canaries in any file of the broker. */
  readonly files: readonly string[];
  readonly messages: number;
  readonly bytes: number;
}

describe('a tap on the broker and a dump of its files', () => {
  it(
    'hold none of the names, arguments and returns of a run',
    async () => {
      const { tap, files, messages, bytes } = await watchedRun();
      expect({ tap, files }).toEqual({ tap: [], files: [] });
      expect(messages).toBeGreaterThan(50);
      expect(bytes).toBeGreaterThan(20_000);
    },
    START_MS,
  );

  it(
    'hold each of them when nothing is sealed',
    async () => {
      const { tap, buckets } = await watchedRun(UNSEALED);
      expect(tap).toEqual([...KINDS]);
      expect(buckets).toEqual(IN_BUCKETS);
    },
    START_MS,
  );
});

/** @param env Of all its processes. */
async function watchedRun(env: Readonly<Record<string, string>> = {}): Promise<Seen> {
  const folder = mkdtempSync(join(tmpdir(), 'nt-canary-'));
  const canaries = newCanaries();
  const minion = `${canaries.id}.example.com`;
  const natsPort = await freePort();
  const cluster = new UpCluster({
    ...{ minions: [minion], masterConfig: PEER_ALL + PEER_RUN_ALL, natsPort, folder, env },
    grains: { [minion]: { role: canaries.grain } },
  });
  try {
    const heard = await tapped(cluster, `nats://127.0.0.1:${natsPort}`, canaries);
    await cluster.stop();
    return { ...search(folder, canaries), ...searchTap(heard, canaries) };
  } finally {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Everything that the broker passed on from its first moment to the end of the run. */
async function tapped(cluster: UpCluster, brokerUrl: string, canaries: Canaries): Promise<readonly Tapped[]> {
  const tap = await Tap.open(brokerUrl, cluster.folder);
  try {
    await cluster.ready;
    await play(cluster, canaries);
    return await tap.take();
  } finally {
    await tap.close();
  }
}

function newCanaries(): Canaries {
  const word = (kind: string) => `${kind.toLowerCase()}canary${randomBytes(6).toString('hex')}`;
  return Object.fromEntries(KINDS.map((kind) => [kind, word(kind)])) as Record<(typeof KINDS)[number], string>;
}

/** A run in which every canary really goes from end to end. */
async function play(cluster: UpCluster, canaries: Canaries): Promise<void> {
  const { id, grain, fun, arg, ret, runner, runnerArg } = canaries;
  const secret = join(cluster.folder, 'secret');
  writeFileSync(secret, ret);
  const caller = `${id}.example.com`;
  const agent = await cluster.socket(caller);
  try {
    const ran = await Promise.all([
      cluster.natrium('-C', `G@role:${grain} or *`, 'test.echo,grains.get', arg, ',', 'role'),
      cluster.run('test.arg', runnerArg),
    ]);
    const told = [
      await agent.call('publish.publish', '*', `${fun}.go`),
      await agent.call('publish.publish', '*', 'cmd.run', `cat ${secret}`),
      await agent.call('publish.runner', `${runner}.go`),
    ];
    const text = ran.map(({ stdout, stderr }) => stdout + stderr).join('') + JSON.stringify(told);
    const silent = Object.entries(canaries).filter(([, word]) => !text.includes(word));
    if (silent.length > 0) throw new Error(`no answer held ${silent.map(([kind]) => kind).join(', ')}\n${text}`);
    const jobs = JSON.stringify(await agent.returned('publish.runner', 'jobs.list_jobs'));
    if (!jobs.includes(arg)) throw new Error(`no job holds the argument\n${jobs}`);
  } finally {
    agent.close();
  }
}

function searchTap(heard: readonly Tapped[], canaries: Canaries) {
  const bytes = heard.reduce((sum, { payload }) => sum + payload.length, 0);
  const isHeard = (word: string) =>
    heard.some(({ subject, payload }) => subject.includes(word) || holds(payload, word));
  return { tap: KINDS.filter((kind) => isHeard(canaries[kind])), messages: heard.length, bytes };
}

function search(folder: string, canaries: Canaries) {
  const files = filesBelow(join(folder, 'broker'));
  const found = (isWanted: (path: string) => boolean) => {
    const wanted = [...files].filter(([path]) => isWanted(path)).map(([, bytes]) => bytes);
    return KINDS.filter((kind) => wanted.some((bytes) => holds(bytes, canaries[kind])));
  };
  const bucketOf = (path: string) => /\/KV_NT_main_([a-z]+)2?\//.exec(path)?.[1];
  const inBucket = (bucket: string) => found((path) => bucketOf(path) === bucket);
  const names = new Set([...files.keys()].flatMap((path) => bucketOf(path) ?? []));
  const buckets = Object.fromEntries([...names].sort().map((bucket) => [bucket, inBucket(bucket)]));
  return { buckets, files: found(() => true) };
}
