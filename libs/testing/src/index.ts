/** What tests are made of: a broker, a cluster, a gateway double, builders, and time and randomness that repeat. */
export { aGrant } from './a-grant.js';
export type { Apps, RunningAgent } from './apps.js';
export { Arrivals } from './arrivals.js';
export { aRequest, type Asked, signedBy } from './ask.js';
export { type Broker, startBroker } from './broker.js';
export { aCluster, type ClusterOptions, type Mark, TestCluster } from './cluster.js';
export { FakeClock } from './fake-clock.js';
export { type Forging, GatewayDouble, type Granted, type HeardAsk } from './gateway-double.js';
export { digestsIn, type JobOrder, type Member, placeOf, type Verdict } from './job-order.js';
export { type LogLine, LogLines } from './log-lines.js';
export { quickest } from './quickest.js';
export { seeded, withOneByteEdited } from './seeded.js';
export { arrowsOf, type SeenSpan, SeenSpans, traceTree } from './seen-spans.js';
export { TestMinion } from './test-minion.js';
export { SucceededRoot } from './succeeded-root.js';
export { PATIENCE_MS, until } from './until.js';
export { type Posted, WebhookReceiver } from './webhook-receiver.js';
export { TraceCollector } from './trace-collector.js';
