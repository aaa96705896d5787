/** The wheel: what may be asked of the master's own affairs. `key.*` is carried out by the acl-service, the rest as a runner is. */
import { defineModule, type Library } from '@natrium/modules';
import type { RunnerContext } from '../runner-context.js';
import { runner, type RunnerModule, wheelRegistry } from '../runner-registry.js';
import { type KeyContext, keyWheel, UNUSED_MATCH } from './wheel-key.js';

const configWheel = defineModule('config', {
  values: runner(
    {
      doc: "The master's settings that may be shown, as the files say now: no access lists, nothing that could hold a secret.",
      params: UNUSED_MATCH,
    },
    (_, { host }) => host.configNow(),
  ),
});

const minionsWheel = defineModule('minions', {
  connected: runner({ doc: 'The minions that are connected now.', params: UNUSED_MATCH }, async (_, { master }) =>
    [...(await master.connected())].sort(),
  ),
});

/** What the runner-service carries out itself. */
export const builtinWheel: readonly RunnerModule[] = [configWheel, minionsWheel];

/** All of it, to be read about. */
export const wheelLibrary: Library = wheelRegistry<RunnerContext & KeyContext>([...builtinWheel, keyWheel]);
