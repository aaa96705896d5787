/** The three kinds of parameters, told apart. */
import type { KwargsParam, NamedParam, Param, RestParam } from './declaration.js';

export function isNamed(param: Param): param is NamedParam {
  return 'name' in param;
}

export function isRest(param: Param): param is RestParam {
  return 'rest' in param;
}

export function isKwargs(param: Param): param is KwargsParam {
  return 'kwargs' in param;
}
