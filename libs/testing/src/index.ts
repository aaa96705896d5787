/**
 * What tests are made of: a broker, builders, and time and randomness that repeat. It loads none of what services and agents are made of,
 * which most specs have no need of: those are in `@natrium/testing/cluster`.
 */
export { aGrant } from './a-grant.js';
export { Arrivals } from './arrivals.js';
export { aRequest, type Asked, signedBy } from './ask.js';
export { type Broker, startBroker } from './broker.js';
export { FakeClock } from './fake-clock.js';
export { type LogLine, LogLines } from './log-lines.js';
export { quickest } from './quickest.js';
export { seeded, withOneByteEdited } from './seeded.js';
export { arrowsOf, type SeenSpan, SeenSpans, traceTree } from './seen-spans.js';
export { SucceededRoot } from './succeeded-root.js';
export { turnsDuring } from './turns-during.js';
export { PATIENCE_MS, until } from './until.js';
export { type Posted, WebhookReceiver } from './webhook-receiver.js';
export { TraceCollector } from './trace-collector.js';
