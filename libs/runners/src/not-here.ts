/** Runners, and functions of the wheel, of Salt that Natrium has not: they say why, so that a script learns it from a sentence and not from a missing function. */
import type { Value } from '@natrium/model';
import { ANYTHING, type BaseContext, declaringFor, ExecutionError } from '@natrium/modules';

const anywhere = declaringFor<BaseContext>();

export function notHere(why: string, fun: string) {
  return anywhere({ doc: `Not here: ${why}.`, params: ANYTHING, examples: [fun] }, (): Value => {
    throw new ExecutionError(`${fun} is not here: ${why}`);
  });
}

/** Several of one module, for one reason. */
export function allNotHere(why: string, module: string, names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, notHere(why, `${module}.${name}`)]));
}
