/** `doc.*`: what functions there are, read from their declarations; no minion is asked. */
import type { ValueMap } from '@natrium/model';
import { defineModule, docsOf, type Library } from '@natrium/modules';
import { executionLibrary } from '../execution-library.js';
import { runner } from '../runner-registry.js';

const NAMES = [{ rest: 'name', doc: 'Modules or functions, as globs; all of them when none is given.' }] as const;
const RETURNS = 'a map by function';

export function docModuleOf(wheel: Library) {
  return defineModule('doc', {
    runner: runner(
      {
        doc: 'The documentation of runners.',
        params: NAMES,
        returns: RETURNS,
        examples: ['doc.runner', 'doc.runner manage'],
      },
      ({ name }, _, library): ValueMap => docsOf(library, name),
    ),
    wheel: runner(
      { doc: 'The documentation of wheel functions.', params: NAMES, returns: RETURNS, examples: ['doc.wheel key'] },
      ({ name }): ValueMap => docsOf(wheel, name),
    ),
    execution: runner(
      {
        doc: 'The documentation of the execution functions that this version brings.',
        params: NAMES,
        returns: RETURNS,
        examples: ['doc.execution test', 'doc.execution pkg.version'],
      },
      ({ name }): ValueMap => docsOf(executionLibrary, name),
    ),
  });
}
