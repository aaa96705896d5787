/** Runners: what may be asked of the master itself. How to write one: docs/modules.md. */
export { builtinRunners, runnerLibrary } from './builtin/index.js';
export { withBuiltInGrants } from './built-in-grants.js';

export type {
  ActiveJob,
  JobDetail,
  JobFilter,
  JobPart,
  JobResult,
  JobSummary,
  RunnerContext,
  RunnerHost,
  RunnerMasterPort,
} from './runner-context.js';
export { anyOf, isInTime, isWanted, jobFilterIn, jobPartIn } from './job-filter.js';
export { withinAnswer } from './within-answer.js';
export { type RunnerModule, runnerRegistry, wheelRegistry } from './runner-registry.js';

export { builtinWheel } from './builtin/wheel.js';
export type { KeyEntry } from './key-views.js';
export { type KeyChange, type KeysPort, keyWheel } from './builtin/wheel-key.js';
