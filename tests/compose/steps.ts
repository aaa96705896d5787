/** What is done to the cluster while it works: each step by name, with the seconds until all answers again. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { load } from 'js-yaml';
import { inRoot } from '../support/places.js';
import type { Engine } from './engine.js';

export interface Step {
  readonly name: string;
  readonly run: () => Promise<void>;
}

const READY = ['node', '/opt/natrium/containers/check.mjs', 'http://127.0.0.1:9100/readyz'];
const BROKER_READY = ['node', '/opt/natrium/containers/check-broker.mjs'];
/** As its health check, through the agent's socket. */
const MINION_READY = ['natrium-call', '--out', 'quiet', 'saltutil.running'];
const DATABASE_READY = ['pg_isready', '--quiet'];
const PROXY = 'http://127.0.0.1:8000/';
const HELD_MS = 4000;
const READY_MS = 240_000;
const TRY_MS = 250;

/** Whose metrics are asked, and what each calls itself in them. */
export const SERVICES = {
  'acl-service': 'acl',
  'master-gateway': 'gateway',
  'runner-service': 'runner',
  'event-sink': 'sink',
} as const;
const SERVICE_NAMES = Object.keys(SERVICES);
const NODES = ['nats-1', 'nats-2', 'nats-3'] as const;

/** @param spared The minion that asks its peers meanwhile. */
export function steps(engine: Engine, spared: string): readonly Step[] {
  const first = async (service: string): Promise<string> => {
    const id = (await engine.containers(service)).find((one) => !one.startsWith(spared));
    if (id === undefined) throw new Error(`there is no container of ${service}`);
    return id;
  };
  const crash = (service: string): Step => ({
    name: `kill ${service}`,
    run: async () => {
      const id = await first(service);
      await engine.crash(id);
      await ready(engine, id, service);
    },
  });
  return [
    ...[...SERVICE_NAMES, 'nats-1', 'minion-agent', 'proxy', 'database'].map(crash),
    { name: 'pause nats-2', run: () => pauseNode(engine, 'nats-2') },
    { name: 'disconnect a minion', run: async () => disconnect(engine, await first('minion-agent')) },
    ...[...SERVICE_NAMES, ...NODES].map((service) => ({
      name: `restart ${service} one by one`,
      run: () => restartAll(engine, service),
    })),
    ...['acl-service', 'master-gateway'].map((service) => ({
      name: `replace ${service} by a roll`,
      run: () => roll(engine, service),
    })),
    { name: 'rotate the storage keys', run: () => rotate(engine) },
    { name: 'restart a minion', run: async () => restart(engine, await first('minion-agent'), 'minion-agent') },
  ];
}

async function pauseNode(engine: Engine, service: string): Promise<void> {
  const id = await engine.container(service);
  await engine.docker('pause', id);
  await held();
  await engine.docker('unpause', id);
  await ready(engine, id, service);
}

async function disconnect(engine: Engine, id: string): Promise<void> {
  const network = (
    await engine.docker('inspect', '-f', '{{range $name, $_ := .NetworkSettings.Networks}}{{$name}}{{end}}', id)
  ).trim();
  await engine.docker('network', 'disconnect', network, id);
  await held();
  await engine.docker('network', 'connect', network, id);
  await ready(engine, id, 'minion-agent');
}

async function restartAll(engine: Engine, service: string): Promise<void> {
  for (const id of await engine.containers(service)) await restart(engine, id, service);
}

/** As docs/operations.md says it: as many again beside them, and the old ones go when these are ready. */
async function roll(engine: Engine, service: string): Promise<void> {
  const old = await engine.containers(service);
  const scaled = (count: number) =>
    engine.compose(
      ...['--profile', 'sink', 'up', '-d', '--no-build', '--no-deps', '--no-recreate'],
      ...['--scale', `${service}=${String(count)}`, service],
    );
  await scaled(2 * old.length);
  const both = await engine.containers(service);
  if (both.length !== 2 * old.length) throw new Error(`${service}: ${String(both.length)} containers`);
  for (const id of both) await ready(engine, id, service);
  for (const id of old) {
    await engine.docker('stop', '-t', '30', id);
    await engine.docker('rm', '-v', id);
  }
  await scaled(old.length);
  const left = await engine.containers(service);
  if (left.length !== old.length || left.some((id) => old.includes(id)))
    throw new Error(`${service}: old ones are left`);
}

/** As docs/operations.md says it, but that the new keys seal sooner. @throws {Error} When a service does not have them. */
async function rotate(engine: Engine): Promise<void> {
  const run = ['run', '--rm', '--no-deps', '-T'];
  const volume = ['--volume', 'natrium_keys-offline:/volumes/offline'];
  await engine.compose(
    ...run,
    ...volume,
    'cli',
    'natriumctl',
    'keys',
    'rotate',
    '-c',
    '/volumes/offline',
    '--in',
    '20',
  );
  await engine.compose(...run, 'init');
  for (const service of ['acl-service', 'master-gateway', 'runner-service']) {
    const folder = '/etc/natrium/pki/storage/roster';
    const keys = await engine.docker('exec', await engine.container(service), 'ls', folder);
    if (keys.trim().split(/\s+/).length < 2) throw new Error(`${service} has no new storage key: ${keys}`);
  }
}

async function restart(engine: Engine, id: string, service: string): Promise<void> {
  await engine.docker('restart', '-t', '30', id);
  await ready(engine, id, service);
}

/** As its own health check asks it, only at once; the proxy through the port that it publishes as well. */
export async function ready(engine: Engine, id: string, service: string): Promise<void> {
  const question = questionTo(service);
  const end = performance.now() + READY_MS;
  for (;;) {
    const said = await engine.tryDocker(['exec', id, ...question]);
    if (said.code === 0 && (await isReached(engine, id, service))) return;
    if (performance.now() > end) {
      const why = said.code === 0 ? 'it is not reached' : said.stderr || said.stdout;
      throw new Error(`${service} ${id.slice(0, 12)} did not come back: ${why.trim()}\n${await logOf(engine, id)}`);
    }
    await pause(TRY_MS);
  }
}

function isReached(engine: Engine, id: string, service: string): boolean | Promise<boolean> {
  if (service === 'proxy') return engine.reaches(PROXY);
  return service !== 'minion-agent' || answers(engine, id);
}

function questionTo(service: string): readonly string[] {
  if (SERVICE_NAMES.includes(service)) return READY;
  if (service === 'minion-agent') return MINION_READY;
  if (service === 'proxy') return ['sh', '-c', proxyCheck()];
  return service === 'database' ? DATABASE_READY : BROKER_READY;
}

/** Of the compose file itself: a command of the shell. */
function proxyCheck(): string {
  const { services } = load(readFileSync(inRoot('docker-compose.yml'), 'utf8')) as {
    readonly services: { readonly proxy: { readonly healthcheck: { readonly test: readonly [string, string] } } };
  };
  return services.proxy.healthcheck.test[1];
}

/** A minion is there again when the master's question reaches it: its socket stays while it is cut off. */
async function answers(engine: Engine, id: string): Promise<boolean> {
  const cli = await engine.container('cli');
  const asked = ['natrium', id.slice(0, 12), 'test.ping', '--timeout', '2', '--out', 'quiet'];
  return (await engine.tryDocker(['exec', cli, ...asked])).code === 0;
}

/** How often its own health check ended a broker node, because the others did not hear it; of those that it did. */
export async function unheardOf(engine: Engine): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const node of NODES) {
    const { stdout, stderr } = await engine.tryDocker(['logs', await engine.container(node)]);
    const times = (stdout + stderr).split('natrium: this node is not heard').length - 1;
    if (times > 0) counts.set(node, times);
  }
  return counts;
}

export async function logOf(engine: Engine, id: string): Promise<string> {
  const { stdout, stderr } = await engine.tryDocker(['logs', '--tail', '15', id]);
  return stdout + stderr;
}

/** A fault that lasts. */
function held(): Promise<void> {
  return pause(HELD_MS);
}
