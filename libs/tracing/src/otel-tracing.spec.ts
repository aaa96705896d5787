/** Rules of traces, with a collector that takes them: what a span says, whose it is, and what is never sent. */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { NO_TRACING, type StepFacts, type Tracing } from '@natrium/bus';
import { type SeenSpan, TraceCollector } from '@natrium/testing';
import { type LiveTracing, openTracing, type TracingOptions } from './index.js';
import { Reporting } from './reporting.js';

const MESSAGE = {
  kind: 'publish',
  subject: `nt.main.up.${'a'.repeat(26)}.publish`,
  messageId: new Uint8Array(16).fill(7),
};
const GRANT = { ...MESSAGE, kind: 'grant', subject: 'nt.main.svc.acl.grant' };
const REMOTE = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), isSampled: true };
const SECRET = 'canary-7f3a';

let collector: TraceCollector;
const open: LiveTracing[] = [];
beforeEach(async () => {
  collector = await TraceCollector.open();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
  await collector.close();
});

async function on(more: Partial<TracingOptions> = {}): Promise<LiveTracing> {
  const about = { cluster: 'main', service: 'gateway', instance: 'gw1', onProblem: () => undefined };
  const live = await openTracing({ endpoint: collector.endpoint, ratio: 1, ...about, ...more });
  open.push(live);
  return live;
}

/** What came of it, when all of it was sent. */
async function traced(
  work: (tracing: Tracing) => unknown,
  more: Partial<TracingOptions> = {},
): Promise<readonly SeenSpan[]> {
  const live = await on(more);
  await work(live.tracing);
  await live.close();
  return collector.spans;
}

function byName(spans: readonly SeenSpan[], name: string): SeenSpan {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`there is no span ${name}`);
  return found;
}

it('without an endpoint there are no traces, and nothing is sent', async () => {
  const { tracing } = await on({ endpoint: '' });
  expect(tracing).toBe(NO_TRACING);
  const step = tracing.begin('publish', {});
  expect(step.within(() => tracing.send(MESSAGE))).toBeUndefined();
  expect(tracing.receive(MESSAGE, REMOTE, () => tracing.send(GRANT))).toBeUndefined();
  expect(collector.text).toBe('');
});

it('a step and what it sends and does are one trace, each below the one that set it off', async () => {
  const spans = await traced(async (tracing) => {
    const step = tracing.begin('publish', { funs: ['test.ping'] });
    await step.within(async () => {
      await Promise.resolve();
      tracing.send(MESSAGE)?.end();
      await tracing.step('decide', {}, async () => {
        await Promise.resolve();
        tracing.note({ jid: '20261120141646000001', minions: 3 });
      });
    });
    step.end();
  });
  const [first, send, decide] = ['publish', 'send publish', 'decide'].map((name) => byName(spans, name));
  expect(first).toMatchObject({ parentSpanId: '', service: 'natrium-gateway', instance: 'gw1', isError: false });
  expect(first?.attributes).toEqual({ 'natrium.function': 'test.ping' });
  expect(send?.attributes).toEqual({
    'messaging.system': 'nats',
    'messaging.operation.type': 'send',
    'messaging.operation.name': 'send',
    'messaging.destination.template': 'nt.main.up.<fp>.publish',
    'messaging.message.id': '07'.repeat(16),
    'natrium.kind': 'publish',
  });
  expect(decide?.attributes).toEqual({ 'natrium.jid': '20261120141646000001', 'natrium.minions': '3' });
  for (const span of [send, decide])
    expect(span).toMatchObject({ traceId: first?.traceId, parentSpanId: first?.spanId });
});

it('what comes with a trace goes on in it, and passes it on', async () => {
  let sent: unknown;
  const spans = await traced((tracing) =>
    tracing.receive(MESSAGE, REMOTE, () => {
      const sending = tracing.send(GRANT);
      sent = sending?.trace;
      sending?.end('timeout');
    }),
  );
  const [process, send] = [byName(spans, 'process publish'), byName(spans, 'send grant')];
  expect(process).toMatchObject({ traceId: REMOTE.traceId, parentSpanId: REMOTE.spanId });
  expect(send).toMatchObject({ traceId: REMOTE.traceId, parentSpanId: process.spanId, isError: true });
  expect(send.attributes['error.type']).toBe('timeout');
  expect(sent).toEqual({ traceId: REMOTE.traceId, spanId: send.spanId, isSampled: true });
});

it('a request without one begins here; anything else without one is in none, nor is the cluster’s small talk', async () => {
  const small = { ...MESSAGE, kind: 'presence' };
  const spans = await traced((tracing) => {
    tracing.receive(MESSAGE, undefined, () => tracing.send(small));
    tracing.receive(GRANT, undefined, () => tracing.send(GRANT));
    tracing.receive(small, REMOTE, () => tracing.send(GRANT));
    tracing.send(MESSAGE);
    tracing.step('decide', {}, () => tracing.send(GRANT));
    tracing.begin('publish', {}).within(() => tracing.apart(() => tracing.send(GRANT)));
  });
  expect(spans.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([['process publish', '']]);
});

it('of the traces that begin here the wanted part is sent; the others say so, and nobody begins one in their place', async () => {
  let sent: unknown;
  const none = (tracing: Tracing) => {
    const step = tracing.begin('publish', {});
    sent = step.within(() => tracing.send(MESSAGE)?.trace.isSampled);
    step.end();
    tracing.receive(MESSAGE, { ...REMOTE, isSampled: false }, () => tracing.send(GRANT)?.end());
  };
  expect(await traced(none, { ratio: 0 })).toEqual([]);
  expect(sent).toBe(false);
  // What another began, and wants, is not counted again.
  expect(await traced((tracing) => tracing.receive(MESSAGE, REMOTE, () => undefined), { ratio: 0 })).toHaveLength(1);
  expect(
    await traced((tracing) => tracing.receive(GRANT, { ...REMOTE, isSampled: false }, () => undefined)),
  ).toHaveLength(1);
});

it('a failure ends the step, is told as its name only, and is thrown as it was', async () => {
  const boom = new TypeError(SECRET);
  const spans = await traced(async (tracing) => {
    const step = tracing.begin('publish', {});
    const fail = () => step.within(() => tracing.step('run', {}, () => Promise.reject(boom)));
    await expect(fail()).rejects.toBe(boom);
    expect(() => step.within(() => tracing.step('verify', {}, () => { throw boom; }))).toThrow(boom); // prettier-ignore
    step.end();
  });
  for (const name of ['run', 'verify'])
    expect(byName(spans, name)).toMatchObject({ isError: true, attributes: { 'error.type': 'TypeError' } });
  expect(collector.text).not.toContain(SECRET);
});

it.each<[string, StepFacts]>([
  ['a function with a word behind it', { funs: [`cmd.run ${SECRET}`, `cmd.run:${SECRET}`, `${SECRET}=x`] }],
  ['a jid that is none', { jid: SECRET }],
  ['a code that is a sentence', { refusal: `no ${SECRET}` }],
])('%s is in no span', async (_what, facts) => {
  const spans = await traced((tracing) => {
    tracing.begin('publish', facts).end(facts.refusal);
    tracing.receive(MESSAGE, REMOTE, () => {
      tracing.note(facts);
    });
  });
  expect(spans).toHaveLength(2);
  expect(collector.text).not.toContain(SECRET);
});

describe('of spans that are lost, although what was sent was answered well, the first is told and the others are counted', () => {
  const one = ({ tracing }: LiveTracing) => {
    tracing.begin('publish', {}).end();
  };

  it('where a collector does not take all of a batch', async () => {
    const told: string[] = [];
    const live = await on({ onProblem: (sentence) => told.push(sentence) });
    collector.answer = { partialSuccess: { rejectedSpans: '1', errorMessage: 'no room' } };
    one(live);
    await live.close();
    expect(told).toEqual([
      expect.stringMatching(/^traces for .*\/v1\/traces are lost: .*"rejectedSpans":"?1.*no room/),
    ]);
  });

  it('where a collector is slower than they come', async () => {
    const told: string[] = [];
    const live = await on({ onProblem: (sentence) => told.push(sentence) });
    for (let n = 0; n < 512 + 2048 + 7; n += 1) one(live);
    await collector.until(() => collector.spans.length > 512); // the second batch has gone, and left room
    one(live);
    await live.close();
    expect(told).toEqual([expect.stringMatching(/^traces for .* are lost: Dropped 7 spans/)]);
    expect(collector.spans.length).toBeGreaterThan(512);
  });
});

it('that nobody takes them is told once, and again after somebody did', async () => {
  const problems: string[] = [];
  const url = `${collector.endpoint}/v1/traces`;
  const reporting = new Reporting(new OTLPTraceExporter({ url }), url, (sentence) => problems.push(sentence));
  for (const status of [400, 400, 200, 400]) {
    collector.status = status;
    await new Promise((resolve) => {
      reporting.export([], resolve);
    });
  }
  expect(problems).toHaveLength(2);
  for (const problem of problems) expect(problem).toContain(`traces cannot be sent to ${url}: `);
  await reporting.shutdown();
});
