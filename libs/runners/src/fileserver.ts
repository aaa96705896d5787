/**
 * `fileserver.*`: the files that Salt's master serves. Nothing is served here, so that the answers are those of a master that serves
 * nothing: pages such as Foreman's list the states and take no other answer.
 *
 * Diverges: where the master's file says what is to be served, an empty list would be taken for what is there; that is refused.
 */
import type { Value } from '@natrium/model';
import { defineModule, ExecutionError } from '@natrium/modules';
import { runner } from './runner-registry.js';

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
});

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
