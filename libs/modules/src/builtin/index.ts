/** The execution modules that every minion has. */
import type { ExecutionModule } from '../minion-registry.js';
import { apacheModule } from './apache.js';
import { cmdModule } from './cmd.js';
import { configModule } from './config.js';
import { diskModule } from './disk.js';
import { eventModule } from './event.js';
import { fileModule } from './file.js';
import { grainsModule } from './grains.js';
import { groupModule } from './group.js';
import { keyModule } from './key.js';
import { kmodModule } from './kmod.js';
import { matchModule } from './match.js';
import { mineModule } from './mine.js';
import { networkModule } from './network.js';
import { pillarModule } from './pillar.js';
import { pkgModule } from './pkg.js';
import { psModule } from './ps.js';
import { publishModule } from './publish.js';
import { saltutilModule } from './saltutil.js';
import { serviceModule } from './service.js';
import { statusModule } from './status.js';
import { sysModule } from './sys.js';
import { testModule } from './test.js';
import { userModule } from './user.js';
import { beaconsModule, scheduleModule, stateModule } from './not-here.js';

export const builtinModules: readonly ExecutionModule[] = [
  apacheModule,
  beaconsModule,
  cmdModule,
  configModule,
  diskModule,
  eventModule,
  fileModule,
  grainsModule,
  groupModule,
  keyModule,
  kmodModule,
  matchModule,
  mineModule,
  networkModule,
  pillarModule,
  pkgModule,
  psModule,
  publishModule,
  saltutilModule,
  scheduleModule,
  serviceModule,
  stateModule,
  statusModule,
  sysModule,
  testModule,
  userModule,
];
