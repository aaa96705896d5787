/**
 * Event sinks in a real cluster: a webhook and files, filtered by tag; a destination that is down; a sink that comes back; two
 * replicas. PostgreSQL and the deaths: tests/system/event-sink.spec.ts.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MetricsDoor, openService, type OpenService, readServiceConfig, ServiceMetrics } from '@natrium/edge';
import { Arrivals, type Posted, until, WebhookReceiver } from '@natrium/testing';
import { SinkModule } from '../../apps/event-sink/src/sink.module.js';
import { apps } from '../hostile/apps.js';
import { World } from './world.js';

/** Each post waits for writes of the broker, which are slow on a busy machine. */
const TEST_MS = 240_000;
const PATIENCE_MS = 30_000;
const MANY = 10;

interface Sent {
  readonly tag: string;
  readonly data: { readonly n?: number };
  readonly id: string;
  readonly origin: unknown;
}

let world: World;
let receiver: WebhookReceiver;
let door: MetricsDoor;
const sinks = new Set<OpenService>();
const said = new Arrivals<{ readonly msg: string; readonly sink?: string; readonly tag?: string }>(
  'a line of a log',
  PATIENCE_MS,
);

beforeAll(async () => {
  receiver = await WebhookReceiver.open();
  world = await World.start(`
event_sinks:
  hook: {to: '${receiver.url}', secret_file: hook.secret, tags: ['monitoring/*', 'salt/job/*/ret/*'], from: start}
  archive: {to: archive.jsonl, tags: ['archive/*'], from: start}
  late: {to: late.jsonl, tags: ['late/*']}
`);
  writeFileSync(world.folder('hook.secret'), receiver.secret);
  door = await MetricsDoor.open({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  for (const sink of sinks) await sink.close();
  sinks.clear();
  receiver.answers.length = 0;
  receiver.arrivals.forget();
  said.forget();
});
afterAll(async () => {
  door.close();
  await world.stop();
  await receiver.close();
});

async function aSink(): Promise<OpenService> {
  const config = readServiceConfig(join(world.cluster.folder, 'master'));
  const metrics = new ServiceMetrics('sink');
  const log = apps.logTo((line) => {
    said.push(JSON.parse(line) as { readonly msg: string });
  });
  const sink = await openService({ role: 'sink', config, log, metrics }, (start) => SinkModule.create(start));
  sinks.add(sink);
  door.serve({ metrics, brokerAnswers: () => sink.link.transport.flush(), storeTrouble: () => undefined });
  return sink;
}

async function stop(sink: OpenService): Promise<void> {
  sinks.delete(sink);
  await sink.close();
}

const sent = (post: Posted) => post.body as Sent;
const posted = () => receiver.arrivals.next(({ status }) => status === 204);

async function figure(name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${String(door.port)}/metrics`)).text();
  return Number(new RegExp(`^natrium_sink_${name}\\{sink="hook",service="sink"\\} (\\S+)$`, 'm').exec(text)?.[1]);
}

/** A post is counted when its answer has come back, which is after it arrived here. */
async function counted(name: string, count: number): Promise<void> {
  await until(`${name} is ${String(count)}`, async () => (await figure(name)) >= count);
  expect(await figure(name)).toBe(count);
}

/** All at once: they are heard in the order of their numbers. */
async function fireAll(tag: string): Promise<void> {
  const bus = world.master();
  await Promise.all(Array.from({ length: MANY }, (_, n) => bus.fire(tag, { n })));
}

/** The tags in a file, as soon as there are any. */
async function tagsIn(file: string): Promise<readonly string[]> {
  const path = world.folder(file);
  await until(`something in ${file}`, () => existsSync(path) && readFileSync(path, 'utf8').endsWith('\n'));
  return readFileSync(path, 'utf8').trimEnd().split('\n').map((line) => (JSON.parse(line) as Sent).tag); // prettier-ignore
}

it(
  'posts what its tags name, signed, and nothing else',
  async () => {
    await aSink();
    await world.minion('web1').fire('fire_master', { tag: 'monitoring/web1', data: { load: 3 } });
    // A minion's event may take a moment more than the master's own.
    const first = await posted();
    await world.master().fire('other/secret', { n: 1 });
    await world.master().fire('monitoring/last', { n: 2 });
    const last = await posted();
    expect(sent(first)).toMatchObject({ tag: 'monitoring/web1', origin: { kind: 'minion', name: 'web1' } });
    expect(sent(last)).toMatchObject({ tag: 'monitoring/last', data: { n: 2 } });
    expect(receiver.all.map(sent).map(({ tag }) => tag)).toEqual(['monitoring/web1', 'monitoring/last']);
    for (const post of [first, last]) {
      expect(post.isSigned).toBe(true);
      expect(post.id).toBe(sent(post).id.replace('.', '%2E'));
      expect(post.idempotencyKey).toBe(post.id);
    }
  },
  TEST_MS,
);

it(
  'posts again, under the same id and before the next, what was not taken',
  async () => {
    const before = receiver.all.length;
    await aSink();
    receiver.answers.push(503, 500);
    await world.master().fire('monitoring/first', {});
    await world.master().fire('monitoring/second', {});
    await posted();
    await posted();
    const posts = receiver.all.slice(before);
    expect(posts.map((post) => [sent(post).tag, post.status])).toEqual([
      ['monitoring/first', 503],
      ['monitoring/first', 500],
      ['monitoring/first', 204],
      ['monitoring/second', 204],
    ]);
    expect(new Set(posts.slice(0, 3).map(({ id }) => id)).size).toBe(1);
    await counted('delivered_total', 2);
    expect(await figure('failed_total')).toBe(2);
    expect(await figure('active')).toBe(1);
  },
  TEST_MS,
);

it(
  'leaves out an event that is refused for good, says so, and goes on',
  async () => {
    await aSink();
    receiver.answers.push(422);
    await world.master().fire('monitoring/refused', {});
    await world.master().fire('monitoring/taken', {});
    expect(sent(await posted()).tag).toBe('monitoring/taken');
    await said.next(({ msg, tag }) => msg.includes('refuses an event') && tag === 'monitoring/refused');
    await counted('refused_total', 1);
  },
  TEST_MS,
);

it(
  'delivers after its absence what came meanwhile, and nothing a second time',
  async () => {
    const before = receiver.all.length;
    const sink = await aSink();
    await world.master().fire('monitoring/a', {});
    await posted();
    await stop(sink);
    await world.master().fire('monitoring/b', {});
    await world.master().fire('archive/a', { n: 1 });
    await aSink();
    await world.master().fire('monitoring/c', {});
    await posted();
    await posted();
    expect(receiver.all.slice(before).map((post) => sent(post).tag)).toEqual([
      'monitoring/a',
      'monitoring/b',
      'monitoring/c',
    ]);
    expect(await tagsIn('archive.jsonl')).toEqual(['archive/a']);
  },
  TEST_MS,
);

it(
  'tells how far behind a destination is that takes nothing, while the bus goes on',
  async () => {
    const sink = await aSink();
    receiver.answers.push(...Array.from({ length: 100 }, () => 503));
    await world.master().fire('monitoring/stuck', {});
    await receiver.arrivals.next((post) => post.status === 503 && sent(post).tag === 'monitoring/stuck');
    await fireAll('monitoring/behind');
    await until('it is told', async () => (await figure('lag_seconds')) > 0);
    await stop(sink);
    receiver.answers.length = 0;
    await aSink();
    for (let n = -1; n < MANY; n += 1) await posted();
    const numbers = receiver.all.filter(({ status }) => status === 204).flatMap((post) => sent(post).data.n ?? []);
    expect(numbers.slice(-MANY)).toEqual(Array.from({ length: MANY }, (_, n) => n));
  },
  TEST_MS,
);

it(
  'of two replicas one delivers, and the other goes on at once when that one is stopped',
  async () => {
    const before = receiver.all.length;
    const first = await aSink();
    await said.next(({ msg, sink }) => msg === 'this replica delivers' && sink === 'hook');
    await aSink();
    await fireAll('monitoring/one');
    for (let n = 0; n < MANY; n += 1) await posted();
    await stop(first);
    await world.master().fire('monitoring/other', {});
    expect(sent(await posted()).tag).toBe('monitoring/other');
    expect(receiver.all.length - before).toBe(MANY + 1);
  },
  TEST_MS,
);

it(
  'a new sink begins with what comes from now on, unless it is told otherwise',
  async () => {
    await aSink();
    await said.next(({ msg, sink }) => msg === 'this replica delivers' && sink === 'late');
    await world.master().fire('late/now', {});
    expect(await tagsIn('late.jsonl')).toEqual(['late/now']);
  },
  TEST_MS,
);
