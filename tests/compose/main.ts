/**
 * `npm run test:compose`: `docker-compose.yml` for real, from nothing: up, scaled, hurt and restarted under load; a ledger
 * checks every job, and the services tell their figures and their traces. As root, on Linux; what the machine lacks is fetched
 * through apt and npm, and named when it cannot be had. `-- WORD` does only those steps whose names hold the word.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inRoot } from '../support/places.js';
import { Engine } from './engine.js';
import { checkCompiled } from './compiled.js';
import { figuresOf } from './figures.js';
import { accountOf } from './ledger.js';
import { atRest } from './memory.js';
import type { ToldJob } from './load.js';
import { PeerLoad } from './peers.js';
import { RunningLoad } from './running-load.js';
import { checkShut } from './shut.js';
import { Sink } from './sink.js';
import { ready, SERVICES, steps, unheardOf } from './steps.js';
import { tracesOf } from './traces.js';

const OVERRIDE = 'tests/compose/override.yml';
const SCALE = { 'acl-service': 3, 'master-gateway': 2, 'runner-service': 2, 'minion-agent': 10 };
const SCALED = Object.entries(SCALE).flatMap(([name, n]) => ['--scale', `${name}=${String(n)}`]);
/** One service of each image. */
const BUILT = ['nats-1', 'acl-service', 'minion-agent', 'init', 'database'];
const PING = ['exec', '-T', 'cli', 'natrium', '--out', 'json', '--static', '*', 'test.ping'];
const RATE = 10;
/** Until the three nodes know of each other's JetStream, services start again and again, at growing intervals of the engine's. */
const ANSWER_MS = 300_000;
/** Of a machine that is busy with other things; NATRIUM_COMPOSE_MINUTES may be more. */
const MOST_MINUTES = Number(process.env['NATRIUM_COMPOSE_MINUTES'] ?? 30);
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

/** A project of docker compose: its name and its files. */
function project(name: string, ...files: readonly string[]): readonly string[] {
  return ['-p', name, '--project-directory', inRoot(), ...files.flatMap((file) => ['-f', inRoot(file)])];
}

async function main(): Promise<boolean> {
  const engine = new Engine(
    mkdtempSync(join(tmpdir(), 'nt-compose-')),
    project('natrium', 'docker-compose.yml', OVERRIDE),
    { NATRIUM_MASTER: inRoot('tests/compose/master') },
  );
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
    const isClean = await whole(engine);
    if (process.argv[2] === undefined) await oneNode(engine);
    return isClean;
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
  const sink = new Sink(engine);
  await timed('--profile sink, until it delivers', async () => {
    await engine.compose('--profile', 'sink', 'up', '-d', '--no-build');
    for (const service of ['database', 'event-sink']) await ready(engine, await engine.container(service), service);
    await sink.fire();
    await sink.delivered();
  });
  await timed('scale, until 10 answer', async () => {
    await engine.compose('--profile', 'sink', 'up', '-d', '--no-build', '--no-recreate', ...SCALED);
    await answering(engine, SCALE['minion-agent']);
    await allReady(engine);
  });
  say(`${String(await checkCompiled(engine))} programs start with what V8 compiled when their images were made`);
  say(`${String(await checkShut(engine))} containers: no root, nothing to write, no key but their own`);
  const { jobs, failed } = await hurt(engine, sink);
  const isClean = await timed('the ledger', () => settle(engine, jobs));
  await timed('the sink has delivered all', () => sink.delivered());
  await timed('metrics of each service', async () => {
    await allReady(engine);
    const { sums, said } = await figuresOf(engine);
    for (const [name, figure] of sums) say(`  ${name.padEnd(50)}${String(figure).padStart(8)}`);
    for (const service of ['master-gateway', 'acl-service'])
      for (const line of said.get(service)?.slice(0, SHOWN) ?? []) say(`  ${service}: ${line}`);
  });
  await timed('natriumctl doctor, acl lint', async () => {
    const cli = await engine.container('cli');
    const { code, stdout, stderr } = await engine.tryDocker(['exec', cli, 'natriumctl', 'doctor']);
    for (const line of stdout.trimEnd().split('\n')) say(`  ${line}`);
    if (code !== 0 && code !== 1) throw new Error(`natriumctl doctor: exit ${String(code)}\n${stdout}${stderr}`);
    const lint = await engine.docker('exec', cli, 'natriumctl', 'acl', 'lint');
    if (!lint.includes('covers every minion')) throw new Error(`natriumctl acl lint does not see the policy:\n${lint}`);
  });
  await timed('traces through each service', async () => {
    const { trees, figures } = await tracesOf(engine);
    for (const [call, tree] of trees) for (const line of [`${call}:`, ...tree.split('\n')]) say(`  ${line}`);
    for (const [name, figure] of Object.entries(figures)) say(`${name.padEnd(40)}${String(figure).padStart(8)}`);
  });
  await timed('new containers for the minions', async () => {
    const words = ['--no-deps', '--force-recreate', '--scale', `minion-agent=${String(SCALE['minion-agent'])}`];
    await engine.compose('up', '-d', '--no-build', ...words, 'minion-agent');
    await answering(engine, SCALE['minion-agent']);
  });
  for (const [node, times] of await unheardOf(engine))
    say(`${node} was not heard by the others at ${String(times)} of its starts, and was started again`);
  if (failed.length > 0) say(`failed: ${failed.join(', ')}`);
  return isClean && failed.length === 0;
}

/** Resolves when every replica of every service is ready, and the proxy has a gateway. */
async function allReady(engine: Engine): Promise<void> {
  for (const service of [...Object.keys(SERVICES), 'proxy'])
    for (const id of await engine.containers(service)) await ready(engine, id, service);
}

/** Resolves when so many minions answer a ping. */
async function answering(engine: Engine, count: number): Promise<void> {
  const end = performance.now() + ANSWER_MS;
  for (;;) {
    const ran = await engine.tryDocker(['compose', ...engine.project, ...PING]);
    if ([...ran.stdout.matchAll(/: true/g)].length >= count) return;
    if (performance.now() > end) {
      const logs = await engine.tryDocker(['compose', ...engine.project, 'logs', '--tail', '8']);
      throw new Error(`${String(count)} minions did not answer: ${ran.stdout}${ran.stderr}\n${logs.stdout}`);
    }
    await pause(300);
  }
}

interface Hurt {
  /** What became of each job. */
  readonly jobs: readonly ToldJob[];
  /** The steps that the cluster did not come back from. */
  readonly failed: readonly string[];
}

/** Every step under load. One that fails does not end the test: the ledger then says what it cost. */
async function hurt(engine: Engine, sink: Sink): Promise<Hurt> {
  const minions = await engine.containers('minion-agent');
  const caller = await engine.container('minion-agent');
  const wanted = steps(engine, caller).filter(({ name }) => name.includes(process.argv[2] ?? ''));
  if (wanted.length === 0) throw new Error(`no step's name holds "${process.argv[2] ?? ''}"`);
  const peers = new PeerLoad(engine, caller);
  const load = await RunningLoad.start(engine, minions, RATE);
  const failed: string[] = [];
  peers.start();
  for (const step of wanted) {
    try {
      await timed(step.name, step.run);
      await sink.fire();
    } catch (error) {
      failed.push(step.name);
      say(`${step.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
    load.check();
  }
  await peers.stop();
  const jobs = await timed('the load comes to its end', () => load.stop());
  return { jobs: [...jobs, ...peers.jobs], failed };
}

/** @returns true when nothing is in it that must not be. */
async function settle(engine: Engine, jobs: readonly ToldJob[]): Promise<boolean> {
  const { figures, faults } = await accountOf(engine, jobs);
  const counts = Object.entries(faults).map(([name, places]) => [name, places.length] as const);
  for (const [name, figure] of [...Object.entries(figures), ...counts])
    say(`${name.padEnd(40)}${String(figure).padStart(8)}`);
  for (const [name, places] of Object.entries(faults))
    if (places.length > 0) say(`${name}: ${places.slice(0, SHOWN).join(', ')}`);
  return counts.every(([, count]) => count === 0) && figures['runs on minions'] !== 0;
}

/** The variant with one broker node, from nothing: its own project, its own volumes, the images of the first. */
async function oneNode(engine: Engine): Promise<void> {
  await timed('docker compose down', () => engine.down());
  engine.project = project('natrium-one', 'docker-compose.yml', 'docker-compose.one.yml', OVERRIDE);
  await timed('docker-compose.one.yml, until 3 answer', async () => {
    await engine.compose('up', '-d', '--no-build');
    await answering(engine, 3);
    await ready(engine, await engine.container('proxy'), 'proxy');
  });
  const held = await timed('agents at rest', () => atRest(engine));
  say(`  private memory: ${held.map((mb) => `${mb.toFixed(1)} MB`).join(', ')}`);
}

main().then(
  (isClean) => process.exit(isClean ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`test:compose: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
