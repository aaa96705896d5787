/**
 * One peer publish through real processes is one trace: caller, gateway, acl-service, minion, each below the one that asked it.
 * A minion whose configuration names no collector sends nothing, neither there nor inside its messages.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode } from '@natrium/envelope';
import { type SeenSpan, TraceCollector, traceTree } from '@natrium/testing';
import { AgentSocket, type CallAnswer } from '../support/agent-socket.js';
import { BUILT } from '../support/places.js';
import { Tap } from '../support/tap.js';
import { START_MS, upCluster, type UpCluster } from '../support/up-cluster.js';

const [TARGET, ARGUMENT] = ['canary-target', 'canary-argument'];
/** Without anything private: a content key and its tag. */
const BARE_WRAP = 48;

let collector: TraceCollector;
let cluster: UpCluster;
beforeAll(async () => {
  collector = await TraceCollector.open();
  const keys = `trace_endpoint: ${collector.endpoint}\n`;
  cluster = await upCluster({
    minions: ['a', 'b', 'untraced'],
    masterConfig: `${keys}peer:\n  .*:\n    - test.*\n`,
    minionConfig: { a: keys, b: keys },
  });
}, START_MS);
afterAll(async () => {
  await cluster.stop();
  await collector.close();
}, START_MS);

async function call(id: string, fun: string, ...args: readonly unknown[]): Promise<CallAnswer> {
  const socket = await AgentSocket.open(join(cluster.minion(id), 'run', 'minion.sock'));
  const answer = await socket.call(fun, ...args);
  socket.close();
  return answer;
}

/** The finished trace that begins with this step of this process. */
async function traceFrom(name: string, instance: RegExp, last: string): Promise<readonly SeenSpan[]> {
  const isFirst = (span: SeenSpan) => span.parentSpanId === '' && span.name === name && instance.test(span.instance);
  const find = () => collector.traceOf(isFirst);
  await collector.until(() => {
    const trace = find();
    const known = new Set(trace.map(({ spanId }) => spanId));
    const isWhole = trace.every(({ parentSpanId }) => parentSpanId === '' || known.has(parentSpanId));
    return isWhole && trace.some((span) => span.name === last);
  });
  return find();
}

/** Who did what below which step, in any order. */
function arrows(trace: readonly SeenSpan[]): readonly string[] {
  const who = ({ service, instance }: SeenSpan) =>
    service === 'natrium-minion' ? `minion ${instance}` : service.replace('natrium-', '');
  const names = new Map(trace.map((span) => [span.spanId, span.name]));
  return trace.map((span) => `${who(span)}: ${span.name} < ${names.get(span.parentSpanId) ?? 'nothing'}`).sort();
}

it('a peer publish is one trace across all of them, which says what ran under which jid and nothing of its words', async () => {
  const answer = await call('a', 'publish.publish', 'b,canary-target', 'test.arg', [ARGUMENT], 'list');
  expect(JSON.stringify(answer.ret)).toContain(ARGUMENT);
  const trace = await traceFrom('publish', /^a$/, 'store return');
  expect(arrows(trace)).toEqual([
    'acl: decide < process grant',
    'acl: process grant < send grant',
    'gateway: process publish < send publish',
    'gateway: process return < send return',
    'gateway: send grant < process publish',
    'gateway: send job < process publish',
    'gateway: store job < process publish',
    'gateway: store return < process return',
    'minion a: publish < nothing',
    'minion a: send publish < publish',
    'minion b: process job < send job',
    'minion b: run < process job',
    'minion b: send return < process job',
    'minion b: verify < process job',
  ]);
  const ran = trace.find(({ name }) => name === 'run')?.attributes;
  expect(ran).toEqual({ 'natrium.function': 'test.arg', 'natrium.jid': expect.stringMatching(/^\d{20}$/) as string });
  for (const name of ['process publish', 'process grant', 'process job', 'publish'])
    expect(trace.find((span) => span.name === name)?.attributes).toMatchObject({ 'natrium.jid': ran?.['natrium.jid'] });
  expect(trace.some(({ isError }) => isError)).toBe(false);
  for (const word of [ARGUMENT, TARGET]) expect(collector.text).not.toContain(word);
  if (process.env['NATRIUM_SHOW_TRACE'] !== undefined) process.stdout.write(`${traceTree(trace)}\n`);
});

it('a refusal is in it as its code, and nothing was sent', async () => {
  const tap = await Tap.open(cluster.brokerUrl, cluster.folder, 'nt.main.job.>');
  await call('a', 'publish.publish', 'b', 'cmd.run', [ARGUMENT]);
  expect(await tap.take()).toEqual([]);
  await tap.close();
  const isRefused = ({ attributes }: SeenSpan) => attributes['natrium.refusal'] === 'not_permitted';
  await collector.until(() => collector.traceOf(isRefused).some(({ name }) => name === 'publish'));
  const trace = collector.traceOf(isRefused);
  expect(trace.map(({ name }) => name)).not.toContain('send job');
  expect(collector.text).not.toContain(ARGUMENT);
});

it('a minion without a collector tells nobody, and its messages hold no trace; the master’s own part is still one', async () => {
  const tap = await Tap.open(cluster.brokerUrl, cluster.folder, 'nt.main.up.*.publish');
  await call('untraced', 'publish.publish', 'b', 'test.ping');
  expect((await tap.take()).flatMap(({ payload }) => wrapSizes(payload))).toEqual([BARE_WRAP]);
  await call('a', 'publish.publish', 'b', 'test.ping');
  expect((await tap.take()).flatMap(({ payload }) => wrapSizes(payload))).toEqual([BARE_WRAP + 28]);
  await tap.close();
  const trace = await traceFrom('process publish', /./, 'store return');
  expect(trace.every(({ instance }) => instance !== 'untraced')).toBe(true);
  expect(collector.spans.every(({ instance }) => instance !== 'untraced')).toBe(true);
});

it('a command’s job is one as well, and all of it is sent before the command ends', async () => {
  expect(await cluster.natrium('b', 'test.ping')).toMatchObject({ code: 0 });
  const isOfCommand = ({ service, name }: SeenSpan) => service === 'natrium-cli' && name === 'publish';
  expect(collector.spans.some(isOfCommand)).toBe(true);
});

it('a run goes from the gateway to the runner-service, with what the runner reads of the master', async () => {
  expect(await cluster.run('jobs.active')).toMatchObject({ code: 0 });
  const isRun = ({ service, name }: SeenSpan) => service === 'natrium-runner' && name === 'run';
  await collector.until(() => {
    const names = collector.traceOf(isRun).map(({ name }) => name);
    return ['runner', 'process runner', 'process grant'].every((name) => names.includes(name));
  });
  const said = arrows(collector.traceOf(isRun));
  expect(said).toEqual(
    expect.arrayContaining([
      'cli: runner < nothing',
      'gateway: process runner < send runner',
      'acl: decide < process grant',
      'gateway: send run < process runner',
      'runner: process run < send run',
      'runner: run < process run',
      'runner: send read < run',
      'gateway: process read < send read',
    ]),
  );
});

it('a process that has no collector never reads the SDK: it is a file of its own beside each program', () => {
  for (const app of ['minion-agent', 'master-gateway', 'acl-service', 'runner-service', 'event-sink']) {
    const read = (file: string) => readFileSync(join(BUILT, app, file), 'utf8').includes('ParentBased');
    expect([app, read('main.mjs'), read('tracing.mjs')]).toEqual([app, false, true]);
  }
});

function wrapSizes(payload: Uint8Array): readonly number[] {
  const [, , , wraps] = decode(payload) as readonly [
    number,
    Uint8Array,
    Uint8Array,
    readonly (readonly Uint8Array[])[],
  ];
  return wraps.map(([, , sealed]) => sealed?.length ?? 0);
}
