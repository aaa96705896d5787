/** What the built-in runners need to publish is granted to them: the operator's own rules come on top. */
import { isMap, type Value } from '@natrium/model';
import { builtinRunners } from './builtin/index.js';
import { runnerRegistry } from './runner-registry.js';

/** @param own `runner_grants` as configured; what is no mapping is left for its reader to refuse. */
export function withBuiltInGrants(own: Value): Value {
  if (!isMap(own)) return own;
  const grants = Object.entries(runnerRegistry(builtinRunners).grants());
  const needed = Object.fromEntries(grants.map(([fun, list]) => [`${fun.replaceAll('.', '\\.')}$`, [...list]]));
  return { ...needed, ...own };
}
