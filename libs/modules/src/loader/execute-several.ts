/**
 * A command of several functions: each runs in its turn with its own arguments, and the return is a map by function.
 *
 * A function that fails does not keep the next from running, as in Salt. The retcode is the worst.
 */
import type { Value } from '@natrium/model';
import type { BaseContext, Registry } from './registry.js';
import type { Outcome } from './reply.js';

export async function executeSeveral<C extends BaseContext>(
  registry: Pick<Registry<C>, 'execute'>,
  calls: readonly (readonly [fun: string, sent: readonly Value[]])[],
  context: C,
): Promise<Outcome> {
  const outcomes = new Map<string, Outcome>();
  for (const [fun, sent] of calls) outcomes.set(fun, await registry.execute(fun, sent, context));
  const all = [...outcomes];
  const worst = all.reduce(
    (retcode, [, outcome]) => (Math.abs(outcome.retcode) > Math.abs(retcode) ? outcome.retcode : retcode),
    0,
  );
  return {
    ret: Object.fromEntries(all.map(([fun, { ret }]) => [fun, ret])),
    retcode: worst,
    success: all.every(([, { success }]) => success),
    notes: all.flatMap(([, { notes }]) => notes),
  };
}
