/**
 * One peer publish through real processes is one trace: caller, gateway, acl-service, minion, each below the one that asked it.
 * A minion whose configuration names no collector sends nothing, neither there nor inside its messages.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode } from '@natrium/envelope';
import { arrowsOf, type SeenSpan, TraceCollector, traceTree } from '@natrium/testing';
import { AgentSocket, type CallAnswer } from '../support/agent-socket.js';
import { BUILT } from '../support/places.js';
import { Tap } from '../support/tap.js';
import { stepsOfPublish, stepsOfRunner } from '../support/traces.js';
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

it('a peer publish is one trace across all of them, which says what ran under which jid and nothing of its words', async () => {
  const answer = await call('a', 'publish.publish', 'b,canary-target', 'test.arg', [ARGUMENT], 'list');
  expect(JSON.stringify(answer.ret)).toContain(ARGUMENT);
  const steps = stepsOfPublish('minion a', 'b');
  const trace = await collector.wholeTrace(steps);
  expect(arrowsOf(trace)).toEqual([...steps].sort());
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
  const untold = (step: string) => step.startsWith('minion untraced: ');
  const steps = stepsOfPublish('minion untraced', 'b').filter((step) => !untold(step));
  const ofGateway = steps.map((step) => step.replace('< send publish', '< nothing'));
  const trace = await collector.wholeTrace(ofGateway);
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
  const steps = stepsOfRunner('cli');
  expect(arrowsOf(await collector.wholeTrace(steps))).toEqual(expect.arrayContaining([...steps]));
});

it('a process that has no collector never reads the SDK: it is a file of its own beside each program', () => {
  for (const app of ['minion-agent', 'master-gateway', 'acl-service', 'runner-service', 'event-sink']) {
    const read = (file: string) => readFileSync(join(BUILT, app, file), 'utf8').includes('ParentBased');
    expect([app, read('main.cjs'), read('otel-tracing.cjs')]).toEqual([app, false, true]);
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
