/** The life of a job as plain state machines: whose returns are gathered, how it goes out in batches, what a minion has run before. */
export { ASYNC_TIMEOUT } from './async-timeout.js';
export { batchesOf, type BatchSize, batchSizeOf, hasFailed } from './batch.js';
export { Gathering } from './gathering.js';
export { type Admission, RunOnce, type RunState } from './run-once.js';
