/**
 * The reactor through a real gateway, acl-service and two runner-services: each allow has its deny, and a deny also proves that
 * nothing ran.
 */
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { openService, type OpenService, readServiceConfig, ServiceMetrics } from '@natrium/edge';
import { arrowsOf, TraceCollector, until } from '@natrium/testing';
import { jetstreamManager } from '@nats-io/jetstream';
import { RunnerModule } from '../../apps/runner-service/src/runner.module.js';
import { take, World } from '../events/world.js';
import { apps } from '../hostile/apps.js';

const MASTER = `
reactor:
  - 'deploy/*':
      - deploy:
          local.cmd.run:
            - tgt: \${data.data.id}
            - args: ['\${data.data.command}']
  - 'denied/*':
      - denied:
          local.cmd.run: {tgt: web1, args: ['\${data.command}']}
  - 'loop/*':
      - loop:
          runner.event.send:
            - args: [loop/again, {came: '\${tag}'}]
  - 'count/*':
      - count:
          runner.event.send:
            - args: ['counted/\${tag.1}', {}]
  - 'reject/*':
      - reject:
          wheel.key.reject: {match: '\${data.id}', include_accepted: true}
      - reject-denied:
          wheel.key.delete: {match: '\${data.id}'}
reactor_grants:
  deploy$: [cmd.run]
  denied$: [test.ping]
  loop$: ['@runner']
  count$: ['@runner']
  reject$: ['@wheel']
`;
const REPLICAS = 2;

let world: World;
let collector: TraceCollector;
const replicas: OpenService[] = [];
const figures: ServiceMetrics[] = [];
const lines: string[] = [];

/** Resolves when one of the runner-services has logged such a line. */
async function logged(isMeant: (line: string) => boolean): Promise<void> {
  await until('the line of a log', () => lines.some(isMeant));
}

beforeAll(async () => {
  collector = await TraceCollector.open();
  world = await World.start(`trace_endpoint: ${collector.endpoint}${MASTER}`);
  const config = readServiceConfig(join(world.cluster.folder, 'master'));
  for (let count = 0; count < REPLICAS; count += 1) {
    const log = apps.logTo((line) => lines.push(line));
    const metrics = new ServiceMetrics('runner');
    figures.push(metrics);
    replicas.push(await openService({ role: 'runner', config, log, metrics }, (start) => RunnerModule.create(start)));
  }
});
afterAll(async () => {
  for (const replica of replicas) await replica.close();
  await world.stop();
  await collector.close();
});

describe('a reaction', () => {
  it('runs with the values of a minion’s event, and its job and its return name the event', async () => {
    const mark = world.cluster.mark();
    const heard = await world.listen(['salt/job/', 'deploy/'], { match: 'startswith' });
    const data = { id: 'web1', command: mark.command };
    await world.minion('web2').fire('fire_master', { tag: 'deploy/now', data });
    const [event, job, ret] = await take(heard, 3);
    const cause = { event: event?.id, reaction: 'deploy', depth: 1 };
    expect(job?.data).toMatchObject({ fun: 'cmd.run', tgt: 'web1', minions: ['web1'], _cause: cause });
    expect(ret?.data).toMatchObject({ id: 'web1', retcode: 0, _cause: cause });
    expect(mark.count()).toBe(1);
  });

  it('runs nothing that reactor_grants do not name', async () => {
    const mark = world.cluster.mark();
    await world.master().fire('denied/now', { command: mark.command });
    await logged((line) => line.includes('"reaction":"denied"') && line.includes('not_permitted'));
    expect(mark.count()).toBe(0);
  });

  it('for somebody who is not there is told as one that ran nowhere', async () => {
    const mark = world.cluster.mark();
    await world.minion('web2').fire('fire_master', { tag: 'deploy/gone', data: { id: 'gone', command: mark.command } });
    await logged((line) => line.includes('"reaction":"deploy"') && line.includes('no minion matches gone'));
    expect(mark.count()).toBe(0);
  });

  it('takes ids alone as the target, whatever an event says', async () => {
    const mark = world.cluster.mark();
    await world.minion('web2').fire('fire_master', { tag: 'deploy/all', data: { id: '*', command: mark.command } });
    await logged((line) => line.includes('more than minions by their ids'));
    expect(mark.count()).toBe(0);
  });

  it('changes keys by the wheel when that is granted, and not otherwise', async () => {
    const heard = await world.listen(['salt/key']);
    await world.master().fire('reject/now', { id: 'web2' });
    const [event] = await take(heard, 1);
    expect(event?.data).toMatchObject({ id: 'web2', act: 'reject' });
    await logged((line) => line.includes('"reaction":"reject-denied"') && line.includes('not_permitted'));
  });
});

it('a reaction begins a trace, with all that comes of it below', async () => {
  const heard = await world.listen(['salt/job/']);
  const data = { id: 'web1', command: world.cluster.mark().command };
  await world.minion('web1').fire('fire_master', { tag: 'deploy/traced', data });
  const [job] = await take(heard, 1);
  const steps = [
    'runner: publish < nothing',
    'runner: send publish < publish',
    'gateway: process publish < send publish',
    'acl: decide < process grant',
  ];
  const trace = await collector.wholeTrace(steps, ({ attributes }) => attributes['natrium.jid'] === job?.data['jid']);
  expect(arrowsOf(trace)).toEqual(expect.arrayContaining(steps));
});

it('a runner-service tells of its routes, its reactions and what will end, before anything has failed or ended', async () => {
  const text = (await figures[0]?.registry.metrics()) ?? '';
  for (const sample of [
    'natrium_handler_failures_total{route="svc.run.run",why="fault",service="runner"} 0',
    'natrium_reactions_total{outcome="left_out",service="runner"} ',
    'natrium_runs_total{outcome="refused",service="runner"} ',
    'natrium_storage_key_age_seconds{class="roster",service="runner"} ',
  ])
    expect(text).toContain(`\n${sample}`);
  const inSeconds = (name: string) =>
    Number(new RegExp(`^${name}\\S* (\\S+)$`, 'm').exec(text)?.[1]) - Date.now() / 1000;
  expect(inSeconds('natrium_roles_expire_timestamp_seconds')).toBeGreaterThan(0);
  expect(inSeconds('natrium_epoch_due_timestamp_seconds')).toBeGreaterThan(0);
});

it('what comes to the reactor and cannot be opened is counted', async () => {
  const { transport, subjects } = world.cluster.gateway.link;
  const listening = transport.subscribe(subjects.svcGw('publish'), ({ respond }) => {
    respond(Uint8Array.of(1));
  });
  const data = { id: 'web1', command: world.cluster.mark().command };
  await world.minion('web1').fire('fire_master', { tag: 'deploy/forged', data });
  await until('the figure', async () => {
    const texts = await Promise.all(figures.map(({ registry }) => registry.metrics()));
    return texts.some((text) => /^natrium_unopened_messages_total\{.*\} 1$/m.test(text));
  });
  await listening.close();
});

it('reactions that set off one another end at reactor_depth', async () => {
  const heard = await world.listen(['loop/']);
  await world.master().fire('loop/first', {});
  const tags = (await take(heard, 4)).map(({ tag }) => tag);
  await logged((line) => line.includes('set off one another'));
  expect(tags).toEqual(['loop/first', 'loop/again', 'loop/again', 'loop/again']);
});

it('of several replicas one runs each reaction', async () => {
  const wanted = Array.from({ length: 20 }, (_, number) => `counted/${String(number)}`);
  const heard = await world.listen(['counted/']);
  for (const number of wanted.keys()) await world.master().fire(`count/${String(number)}`, {});
  await take(heard, wanted.length);
  await world.master().fire('end', {}); // all before it is stored
  const again = await world.listen(['counted/'], { from: 'start', until: 'now' });
  const all: string[] = [];
  for await (const { tag } of again) all.push(tag);
  expect(all.sort()).toEqual([...wanted].sort());
});

it('a runner-service whose reactor cannot announce itself does not start, and leaves no connection open', async () => {
  const { servers, ...config } = readServiceConfig(join(world.cluster.folder, 'master'));
  const { hostname, port } = new URL(servers[0] ?? '');
  const open = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = createConnection(Number(port), hostname);
    open.add(near.on('close', () => open.delete(near)));
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await until('the proxy listens', () => proxy.listening);
  const { port: proxied } = proxy.address() as { readonly port: number };
  const { streams } = await jetstreamManager(world.cluster.gateway.link.transport.connection);
  const announcements = `KV_NT_${config.cluster}_announcements`;
  const through = { ...config, servers: [`nats://127.0.0.1:${String(proxied)}`] };
  try {
    const starting = openService(
      { role: 'runner', config: through, log: apps.logTo(() => undefined) },
      async (start) => {
        await streams.update(announcements, { max_msg_size: 10 }); // the broker takes no announcement any more
        return RunnerModule.create(start);
      },
    );
    await expect(starting).rejects.toThrow('message size exceeds maximum allowed');
    await until('every connection is closed', () => open.size === 0);
  } finally {
    await streams.update(announcements, { max_msg_size: -1 });
    for (const socket of open) socket.destroy();
    proxy.close();
  }
});
