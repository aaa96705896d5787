/** What a function of the user's own module is told of its call: plain data, no ports. */
import type { ValueMap } from '@natrium/model';
import type { CallContext } from '../call-context.js';

export function minionFacts({ id, jid, grains, pillar, config, caller, job }: CallContext): ValueMap {
  return {
    id,
    jid,
    grains: grains(),
    pillar: pillar?.() ?? {},
    config,
    caller: caller === undefined ? null : { kind: caller.kind, name: caller.name },
    job: job === undefined ? null : { tgt: job.tgt, tgt_type: job.tgtType, ret: job.ret },
  };
}
