/** The runners that every master has. */
import type { Library } from '@natrium/modules';
import { authModule } from './auth.js';
import { cacheModule } from './cache.js';
import { configModule } from './config.js';
import { docModuleOf } from './doc.js';
import { errorModule } from './error.js';
import { eventModule } from './event.js';
import { fileserverModule } from './fileserver.js';
import { jobsModule } from './jobs.js';
import { manageModule } from './manage.js';
import { mineModule } from './mine.js';
import { pillarModule } from './pillar.js';
import { reactorModule } from './reactor.js';
import { type RunnerModule, runnerRegistry } from '../runner-registry.js';
import { saltModule } from './salt.js';
import { saltutilModule } from './saltutil.js';
import { stateModule } from './state.js';
import { surveyModule } from './survey.js';
import { testModule } from './test.js';
import { wheelLibrary } from './wheel.js';

export const builtinRunners: readonly RunnerModule[] = [
  authModule,
  cacheModule,
  configModule,
  docModuleOf(wheelLibrary),
  errorModule,
  eventModule,
  fileserverModule,
  jobsModule,
  manageModule,
  mineModule,
  pillarModule,
  reactorModule,
  saltModule,
  saltutilModule,
  stateModule,
  surveyModule,
  testModule,
];

/** All of them, to be read about. */
export function runnerLibrary(): Library {
  return runnerRegistry(builtinRunners);
}
