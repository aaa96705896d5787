/**
 * `fileserver.*`: the files that Salt's master serves. Nothing is served here, so that the answers are those of a master that serves
 * nothing: pages such as Foreman's list the states and take no other answer.
 *
 * Diverges: where the master's file says what is to be served, an empty list would be taken for what is there; that is refused.
 */
import { pyStr, type Value } from '@natrium/model';
import { ANYTHING, defineModule, ExecutionError } from '@natrium/modules';
import { runner } from '../runner-registry.js';

/** Settings that name files to serve. */
const SERVES = ['file_roots', 'gitfs_remotes', 'hgfs_remotes', 'svnfs_remotes'];

const BACKEND = { name: 'backend', type: 'any', default: null, doc: 'Changes nothing: there is none.' } as const;
const SALTENV = { name: 'saltenv', type: 'str', default: 'base', doc: 'Changes nothing: there is none.' } as const;

export const fileserverModule = defineModule('fileserver', {
  envs: runner(
    {
      doc: 'The environments of the file server: there is none.',
      params: [BACKEND, { name: 'sources', type: 'bool', default: false, doc: 'By their backends, as a map.' }],
      returns: 'an empty list, or map; an error where the file of the master names files to serve',
      examples: ['fileserver.envs', 'fileserver.envs backend=roots'],
    },
    ({ sources }, context) => nothing('envs', sources ? {} : [], context.host),
  ),
  file_list: noneOf('file_list', 'files', []),
  dir_list: noneOf('dir_list', 'folders', []),
  empty_dir_list: noneOf('empty_dir_list', 'empty folders', []),
  symlink_list: noneOf('symlink_list', 'symbolic links', {}),
  update: nothingToDo('update', 'Fetches what the file server serves: there is nothing.', true),
  clear_cache: nothingToDo(
    'clear_cache',
    'Clears the cache of the file server: there is none.',
    'No cache was cleared',
  ),
  clear_file_list_cache: nothingToDo('clear_file_list_cache', 'Clears lists of files: there are none.', {}),
  lock: nothingToDo('lock', 'Keeps the file server from being updated: there is none.', 'No locks were set'),
  clear_lock: nothingToDo('clear_lock', 'Removes locks of the file server: there are none.', 'No locks were removed'),
});

/** What scripts that deploy call behind a change of their repository: done, as in Salt where nothing is to do. */
function nothingToDo(name: string, doc: string, done: Value) {
  const returns = `${pyStr(done)}; an error where the file of the master names files to serve`;
  const text = { doc, params: ANYTHING, returns, examples: [`fileserver.${name}`] } as const;
  return runner(text, (_, context) => nothing(name, done, context.host));
}

function noneOf(name: string, what: string, none: Value) {
  const text = {
    doc: `The ${what} of the file server: there is none.`,
    params: [SALTENV, BACKEND],
    returns: 'nothing, as an empty list or map; an error where the file of the master names files to serve',
    examples: [`fileserver.${name} saltenv=base`],
  } as const;
  return runner(text, (_, context) => nothing(name, none, context.host));
}

function nothing(name: string, none: Value, { unused }: { readonly unused: readonly string[] }): Value {
  const served = unused.find((key) => SERVES.includes(key));
  if (served === undefined) return none;
  throw new ExecutionError(
    `fileserver.${name} is not here: Natrium serves no files, also not those of ${served} in the master's file`,
  );
}
