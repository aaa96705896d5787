/** Runners: what may be asked of the master itself. How to write one: docs/modules.md. */
export { builtinRunners } from './builtin-runners.js';
export { withBuiltInGrants } from './built-in-grants.js';

export type {
  ActiveJob,
  InventoryTarget,
  JobDetail,
  JobFilter,
  JobPart,
  JobResult,
  JobsPort,
  JobSummary,
  RunnerContext,
  RunnerHost,
  RunnerMasterPort,
} from './runner-context.js';
export { anyOf, isInTime, isWanted, jobFilterIn, jobPartIn } from './job-filter.js';
export { runner, type RunnerModule, runnerRegistry, wheelRegistry } from './runner-registry.js';

export { builtinWheel, wheelLibrary } from './wheel.js';
export type { KeyEntry } from './key-views.js';
export { type KeyChange, type KeyContext, type KeysPort, keyWheel } from './wheel-key.js';
