/** A cluster in the test's own process: real services and agents, and a gateway that a test can make do wrong. */
export type { Apps, RunningAgent } from './apps.js';
export { type Forging, GatewayDouble, type HeardAsk } from './gateway-double.js';
export { digestsIn, type JobOrder, placeOf, type Verdict } from './job-order.js';
export { aCluster, type Mark, TestCluster } from './test-cluster.js';
export { TestMinion } from './test-minion.js';
