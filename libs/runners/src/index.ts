/** Runners: what may be asked of the master itself. How to write one: docs/modules.md. */
import { cacheModule } from './cache.js';
import { configModule } from './config.js';
import { docModuleOf } from './doc.js';
import { eventModule } from './event.js';
import { jobsModule } from './jobs.js';
import { manageModule } from './manage.js';
import { type RunnerModule } from './runner-registry.js';
import { saltModule } from './salt.js';
import { saltutilModule } from './saltutil.js';
import { stateModule } from './state.js';
import { surveyModule } from './survey.js';
import { testModule } from './test.js';
import { wheelLibrary } from './wheel.js';

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
export { anyOf, isInTime, jobFilterIn, jobPartIn, wantedJobs } from './job-filter.js';
export { runner, type RunnerModule, runnerRegistry, wheelRegistry } from './runner-registry.js';

export { builtinWheel, wheelLibrary } from './wheel.js';
export type { KeyEntry } from './key-views.js';
export { type KeyChange, type KeyContext, type KeysPort, keyWheel } from './wheel-key.js';

/** The runners that every master has. */
export const builtinRunners: readonly RunnerModule[] = [
  cacheModule,
  configModule,
  docModuleOf(wheelLibrary),
  eventModule,
  jobsModule,
  manageModule,
  saltModule,
  saltutilModule,
  stateModule,
  surveyModule,
  testModule,
];
