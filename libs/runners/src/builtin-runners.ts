/** The runners that every master has. */
import { cacheModule } from './cache.js';
import { configModule } from './config.js';
import { docModuleOf } from './doc.js';
import { eventModule } from './event.js';
import { jobsModule } from './jobs.js';
import { manageModule } from './manage.js';
import type { RunnerModule } from './runner-registry.js';
import { saltModule } from './salt.js';
import { saltutilModule } from './saltutil.js';
import { stateModule } from './state.js';
import { surveyModule } from './survey.js';
import { testModule } from './test.js';
import { wheelLibrary } from './wheel.js';

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
