/** Runners of Salt that Natrium has not: they say why, so that a script learns it from a sentence and not from a missing function. */
import type { Value } from '@natrium/model';
import { ANYTHING, ExecutionError } from '@natrium/modules';
import { runner } from './runner-registry.js';

export function absent(why: string, example: string) {
  return runner({ doc: `Not here: ${why}.`, params: ANYTHING, examples: [example] }, (): Value => {
    throw new ExecutionError(`${example} is not here: ${why}`);
  });
}

/** Several of one module, for one reason. */
export function allAbsent(why: string, module: string, names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, absent(why, `${module}.${name}`)]));
}
