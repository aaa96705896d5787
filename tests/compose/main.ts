/**
 * `npm run test:compose`: `docker-compose.yml` for real, from nothing: up, scaled, hurt and restarted under load; a ledger
 * checks every job. As root, on Linux; what the machine lacks is fetched through apt and npm, and named when it cannot be had.
 */
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { inRoot } from '../support/places.js';
import { Engine } from './engine.js';
import type { ToldJob } from './load.js';
import { PeerLoad } from './peers.js';
import { logOf, ready, steps } from './steps.js';

const FILES = ['docker-compose.yml', 'tests/compose/override.yml'].flatMap((file) => ['-f', inRoot(file)]);
const PROJECT = ['-p', 'natrium', '--project-directory', inRoot(), ...FILES];
const SCALE = { 'acl-service': 3, 'master-gateway': 2, 'runner-service': 2, 'minion-agent': 10 };
/** One service of each image. */
const BUILT = ['nats-1', 'acl-service', 'minion-agent', 'init'];
const RATE = 10;
const LEDGER = '/var/lib/natrium/ledger';
/** Until the three nodes know of each other's JetStream, services start again and again, at growing intervals of the engine's. */
const ANSWER_TRIES = 200;
const REST_TRIES = 10;
/** On a machine that is busy with other things, NATRIUM_COMPOSE_MINUTES may be more. */
const MOST_MINUTES = Number(process.env['NATRIUM_COMPOSE_MINUTES'] ?? 6);
const SHOWN = 10;

const began = performance.now();
const say = (line: string) =>
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const done = await work();
  say(`${name.padEnd(40)}${((performance.now() - start) / 1000).toFixed(1).padStart(7)} s`);
  return done;
}

async function main(): Promise<boolean> {
  const engine = new Engine(mkdtempSync(join(tmpdir(), 'nt-compose-')), PROJECT, {
    NATRIUM_MASTER: inRoot('tests/compose/master'),
  });
  const stop = async () => {
    await engine.stop();
    engine.remove();
  };
  process.once('SIGINT', () => void stop().then(() => process.exit(130)));
  process.once('SIGTERM', () => void stop().then(() => process.exit(143)));
  const overdue = setTimeout(() => {
    process.stderr.write(`test:compose: not done after ${String(MOST_MINUTES)} minutes\n`);
    void stop().then(() => process.exit(1));
  }, MOST_MINUTES * 60_000);
  try {
    return await whole(engine);
  } finally {
    clearTimeout(overdue);
    if (process.env['NATRIUM_KEEP'] === undefined) await stop();
    else say(`kept: ${engine.folder}`);
  }
}

async function whole(engine: Engine): Promise<boolean> {
  await timed('the engine', () => engine.start());
  await timed('base images', async () => { engine.importBases(); }); // prettier-ignore
  await timed('docker compose build', () => engine.compose('build', '-q', ...BUILT));
  await timed('docker compose up, until 3 answer', async () => {
    await engine.compose('up', '-d', '--no-build');
    await answering(engine, 3);
  });
  await timed('scale, until 10 answer', async () => {
    const words = Object.entries(SCALE).flatMap(([name, n]) => ['--scale', `${name}=${String(n)}`]);
    await engine.compose('up', '-d', '--no-build', '--no-recreate', ...words);
    await answering(engine, SCALE['minion-agent']);
    for (const service of ['acl-service', 'master-gateway', 'runner-service'])
      for (const id of await engine.containers(service)) await ready(engine, id, service);
  });
  await checkShut(engine);
  const jobs = await hurt(engine);
  return settle(engine, jobs);
}

/** Resolves when so many minions answer a ping. */
async function answering(engine: Engine, count: number): Promise<void> {
  let said = '';
  for (let attempt = 0; attempt < ANSWER_TRIES; attempt += 1) {
    const ran = await engine.tryDocker([
      'compose',
      ...PROJECT,
      'exec',
      '-T',
      'cli',
      'natrium',
      '--out',
      'json',
      '--static',
      '*',
      'test.ping',
    ]);
    if ([...ran.stdout.matchAll(/: true/g)].length >= count) return;
    said = ran.stdout + ran.stderr;
    await pause(300);
  }
  const logs = await engine.tryDocker(['compose', ...PROJECT, 'logs', '--tail', '8']);
  throw new Error(`${String(count)} minions did not answer: ${said}\n${logs.stdout}`);
}

/** No container may be more than it needs: who it is, what it can write, what it holds. */
async function checkShut(engine: Engine): Promise<void> {
  const ids = (await engine.compose('ps', '-q')).split('\n').filter((id) => id !== '');
  const format = '{{.Config.User}} {{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}} {{.Config.Env}}';
  const all = await engine.docker('inspect', '-f', format, ...ids);
  for (const said of all.trim().split('\n')) {
    if (!/^10001:10001 true \[ALL\] /.test(said)) throw new Error(`a container is not shut: ${said}`);
    if (/[0-9a-f]{48}|seed|secret|password/i.test(said)) throw new Error(`an environment holds a secret: ${said}`);
  }
  for (const [service, held] of Object.entries({
    'master-gateway': 'gateway',
    'runner-service': 'reactor runner',
    'acl-service': 'acl',
  })) {
    const [id = ''] = await engine.containers(service);
    const keys = (await engine.docker('exec', id, 'ls', '/etc/natrium/pki/roles.d')).trim().split(/\s+/).join(' ');
    if (
      keys !==
      held
        .split(' ')
        .map((role) => `${role}.key`)
        .join(' ')
    )
      throw new Error(`${service} holds ${keys}`);
    const others = await engine.tryDocker([
      'exec',
      id,
      'ls',
      '/etc/natrium/pki/root.key',
      '/etc/natrium/pki/account.key',
    ]);
    if (others.stdout.trim() !== '') throw new Error(`${service} holds ${others.stdout}`);
  }
  say(`${String(ids.length)} containers: no root, nothing to write, no key but their own`);
}

/** Every step under load. @returns What became of each job. */
async function hurt(engine: Engine): Promise<readonly ToldJob[]> {
  const [cli = ''] = await engine.containers('cli');
  const minions = await engine.containers('minion-agent');
  const [caller = ''] = minions;
  const peers = new PeerLoad(engine, caller);
  const load = engine.attach(cli, [
    'node',
    '/opt/test/load.mjs',
    'load',
    minions.map((id) => id.slice(0, 12)).join(','),
    String(RATE),
  ]);
  if (load.stdin === null || load.stdout === null) throw new Error('no load');
  const ended = once(load, 'exit');
  const told = text(load.stdout);
  peers.start();
  try {
    for (const step of steps(engine, caller)) await timed(step.name, step.run);
  } finally {
    load.stdin.end('over\n');
    await peers.stop();
  }
  await ended;
  const jobs = JSON.parse(await told) as readonly ToldJob[];
  return [...jobs, ...peers.jobs];
}

async function settle(engine: Engine, jobs: readonly ToldJob[]): Promise<boolean> {
  const told = new Set(jobs.flatMap(({ word, heard }) => Object.keys(heard).map((id) => `${word} ${id}`)));
  const doubled = jobs.flatMap(({ word, heard }) =>
    Object.entries(heard).flatMap(([id, n]) => (n > 1 ? [`${word} ${id}`] : [])),
  );
  let runs: ReadonlyMap<string, number> = new Map();
  let lost: readonly string[] = [];
  for (let attempt = 0; attempt < REST_TRIES; attempt += 1) {
    runs = await runsOf(engine);
    const unheard = [...runs.keys()].filter((place) => !told.has(place));
    const stored = await storedIn(engine, unheard);
    lost = unheard.filter((place) => !stored.has(place));
    if (lost.length === 0) break;
    await pause(1000);
  }
  const ranTwice = [...runs].flatMap(([place, n]) => (n > 1 ? [place] : []));
  const invented = [...told].filter((place) => !runs.has(place));
  const refused = jobs.filter(({ refusal }) => refusal !== undefined);
  const ranRefused = refused
    .filter(({ refusal }) => refusal !== 'master_unreachable')
    .filter(({ word }) => [...runs.keys()].some((place) => place.startsWith(`${word} `)));
  const figures = {
    'jobs sent': jobs.length,
    '  of them by a peer': jobs.filter(({ word }) => word.startsWith('peer')).length,
    'jobs refused to their caller': refused.length,
    'runs on minions': runs.size,
    'returns told to a waiting caller': told.size,
    'longest wait of a caller, ms': Math.round(Math.max(0, ...jobs.map(({ tookMs }) => tookMs ?? 0))),
    'refused and run all the same': ranRefused.length,
    'told and not run': invented.length,
    lost: lost.length,
    doubled: doubled.length,
    'run twice': ranTwice.length,
  };
  for (const [name, figure] of Object.entries(figures)) say(`${name.padEnd(40)}${String(figure).padStart(8)}`);
  for (const [name, list] of Object.entries({ lost, doubled, ranTwice, invented }))
    if (list.length > 0) say(`${name}: ${list.slice(0, SHOWN).join(', ')}`);
  return lost.length + doubled.length + ranTwice.length + invented.length + ranRefused.length === 0 && runs.size > 0;
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

async function storedIn(engine: Engine, places: readonly string[]): Promise<ReadonlySet<string>> {
  const words = [...new Set(places.map((place) => place.split(' ')[0] ?? ''))];
  if (words.length === 0) return new Set();
  const said = await engine.compose('exec', '-T', 'cli', 'node', '/opt/test/load.mjs', 'stored', ...words);
  const found = JSON.parse(said) as Readonly<Record<string, readonly string[]>>;
  return new Set(Object.entries(found).flatMap(([word, ids]) => ids.map((id) => `${word} ${id}`)));
}

main().then(
  (isClean) => process.exit(isClean ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`test:compose: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
