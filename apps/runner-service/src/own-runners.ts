/** The operator's own runners, from `runner_dirs`: they run in processes of their own and publish nothing. */
import { fileURLToPath } from 'node:url';
import type { ServiceStart } from '@natrium/edge';
import { OwnModules } from '@natrium/modules';
import type { RunnerContext, RunnerModule } from '@natrium/runners';

/** Beside this service's bundle: tools/build.mjs puts it there. */
const MODULE_HOST = fileURLToPath(new URL('./module-host.mjs', import.meta.url));

/** Loads them, and again whenever a folder changes. */
export async function ownRunners(start: ServiceStart, use: (own: readonly RunnerModule[]) => void): Promise<void> {
  const { config, log } = start;
  const { runner_dirs, module_timeout, module_memory } = config.loaded.config;
  const own = new OwnModules<RunnerContext>({
    folders: runner_dirs,
    hostPath: MODULE_HOST,
    limits: { seconds: module_timeout, memoryMib: module_memory },
    facts: ({ caller, jid }) => ({ jid, caller: { kind: caller.kind, name: caller.name } }),
    onProblem: (sentence) => {
      log.error(`a runner of your own is not available: ${sentence}`);
    },
  });
  start.onStop(() => {
    own.close();
  });
  await own.watch(() => {
    use(own.modules);
  });
}
