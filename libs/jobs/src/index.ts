export { Gathering, type Heard } from './gathering.js';
export { type Admission, RunOnce, type RunState } from './run-once.js';
