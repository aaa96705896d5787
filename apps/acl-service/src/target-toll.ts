/** What finding out whom targets mean costs callers: docs and figures in spec/acl.md#targets. */
import { type Budget, TOO_FAST } from '@natrium/flow';
import { err, nameOf, type Principal, type Refusal, type Result } from '@natrium/model';
import { type OnTests, requestsFor } from './policy/policy.js';

/**
 * Does the work for somebody who owes nothing, and has it paid.
 *
 * @param caller Of what a runner asks, whoever asked for the run pays, which is the last of `onBehalfOf`.
 * @param nowMs By the own clock.
 */
export function withToll<T>(
  targets: Budget,
  { caller, onBehalfOf }: { readonly caller: Principal; readonly onBehalfOf: readonly Principal[] },
  nowMs: number,
  work: (onTests: OnTests) => Result<T, Refusal>,
): Result<T, Refusal> {
  const payer = nameOf(onBehalfOf.at(-1) ?? caller);
  if (targets.isSpent(payer, nowMs)) return err(TOO_FAST);
  return work((tests) => {
    targets.charge(payer, requestsFor(tests), nowMs);
  });
}
