export { ASYNC_TIMEOUT } from './async-timeout.js';
export { batchesOf, type BatchSize, batchSizeOf, hasFailed } from './batch.js';
export { Gathering } from './gathering.js';
export { type Admission, RunOnce, type RunState } from './run-once.js';
