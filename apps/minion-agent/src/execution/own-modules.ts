/** The modules of this agent besides the built-in ones: the files of `module_dirs`, loaded anew when one changes. */
import type { MinionConfig } from '@natrium/config';
import { builtinModules, type CallContext, minionFacts, unknownModules, OwnModules, whichLoad } from '@natrium/modules';
import type { Logger } from 'pino';
import type { Execution } from './execution.js';
import { MODULE_HOST } from './module-host.js';

/** Loads them, and says which names of `disable_modules` and `whitelist_modules` are nobody's. */
export async function ownModules(
  config: MinionConfig,
  execution: Pick<Execution, 'use'>,
  log: Pick<Logger, 'error' | 'warn'>,
): Promise<OwnModules<CallContext>> {
  const { module_dirs: folders, module_timeout: seconds, module_memory: memoryMib } = config;
  const own = new OwnModules({
    folders,
    loads: whichLoad(config),
    hostPath: MODULE_HOST,
    limits: { seconds, memoryMib },
    facts: minionFacts,
    onProblem: (sentence) => {
      log.error(`a module of your own is not available: ${sentence}`);
    },
  });
  await own.watch(() => {
    execution.use(own.modules);
  });
  for (const name of unknownModules(config, [...builtinModules.map((module) => module.name), ...own.names]))
    log.warn(`disable_modules or whitelist_modules names ${name}, and no module is called so`);
  return own;
}
