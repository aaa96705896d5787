/**
 * What is refused to a minion before any of its permissions is looked at.
 *
 * The order is the security argument: recursion, then names, then what the target may not be.
 *
 * Spec: spec/acl.md#peer. The original's behaviour: compat/cases/peer.jsonl.
 */
import { nameOf, type Principal, refusal, type Refusal } from '@natrium/model';
import type { Ask } from './ask.js';
import type { Policy } from './policy.js';
import type { RequestedTarget } from './requested-target.js';
import { describeAsk, show } from './sentences.js';

/**
 * Refuses any function that begins with `publish`: a minion must not make others ask for it.
 *
 * Diverges: each of several functions is looked at (compat/divergences.md, recursion guard).
 */
export function recursionRefusal(principal: Principal, funs: readonly string[]): Refusal | undefined {
  const fun = funs.find((name) => name.startsWith('publish'));
  if (fun === undefined) return undefined;
  return refusal(
    'recursive_publish',
    `${nameOf(principal)} may not publish ${show(fun)}: a published function cannot publish again`,
  );
}

/** Unknown node groups, and patterns on pillar, which would let a minion guess what others' pillar holds. */
export function peerTargetRefusal(
  policy: Policy,
  minion: Principal,
  { funs, target }: Pick<Ask, 'funs' | 'target'>,
  requested: RequestedTarget,
): Refusal | undefined {
  if (target === undefined) return undefined;
  const { tgt, tgtType } = target;
  const asks = describeAsk({ principal: minion, what: 'job', funs, target });
  if (tgtType.startsWith('node') && !(typeof tgt === 'string' && policy.nodegroups.has(tgt))) {
    return refusal('invalid_target', `${asks}: there is no such node group`);
  }
  if (!requested.guessesPillar) return undefined;
  return refusal(
    'invalid_target',
    `${asks}: pillar is not matched by pattern for a minion, only exact values are possible`,
  );
}
