/** `saltutil.*`: scripts that deploy call it. No code is brought to a master by a message, so that it always finds nothing to do. */
import { ANYTHING, defineModule } from '@natrium/modules';
import { runner } from '../runner-registry.js';

const WHERE = 'runners of your own are files in runner_dirs, which are loaded when they change';

/** What Salt's sync_all tells of, in its order. */
const SYNCED = [
  ...['clouds', 'modules', 'states', 'grains', 'renderers', 'returners', 'output', 'proxymodules', 'runners', 'wheel'],
  ...['engines', 'thorium', 'queues', 'pillar', 'utils', 'sdb', 'cache', 'fileserver', 'tops', 'tokens', 'serializers'],
  ...['executors', 'roster'],
];

export const saltutilModule = defineModule('saltutil', {
  sync_all: runner(
    {
      doc: `Answers that nothing was brought: ${WHERE}.`,
      params: ANYTHING,
      returns: 'a map of empty lists, one for each kind',
      examples: ['saltutil.sync_all'],
    },
    () => Object.fromEntries(SYNCED.map((kind) => [kind, []])),
  ),
  ...Object.fromEntries(SYNCED.map((kind) => [`sync_${kind}`, nothingOf(kind)])),
});

function nothingOf(kind: string) {
  const text = {
    doc: `Answers that no ${kind} were brought: ${WHERE}.`,
    params: ANYTHING,
    returns: 'an empty list',
    examples: [`saltutil.sync_${kind}`],
  } as const;
  return runner(text, () => []);
}
