/** The execution modules of this version, for runners that show or use them on the runner's own host. */
import { builtinModules, minionRegistry } from '@natrium/modules';

export const executionLibrary = minionRegistry(builtinModules);
