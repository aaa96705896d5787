/**
 * A question to whoever of a role is there. While nobody is, as when its only replica is started anew, it is asked again.
 *
 * The broker's word that nobody has heard it makes that safe: nothing is done twice, and no password is tried twice.
 * What a replica announces would tell no better when to ask, since it does so before it listens.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { KnownParty } from '@natrium/envelope';
import type { Result } from '@natrium/model';
import type { Body, Contract } from '@natrium/wire';
import type { Question } from './asking.js';
import type { AskFailure } from './conversation.js';
import type { SealedBus } from './sealed-bus.js';

/** How long a replica may take to come back. */
export const BACK_MS = 2000;
const [AGAIN_MS, MOST_AGAIN_MS] = [25, 200];

/** @param timeoutMs Waiting included, which takes two seconds of it at most. */
export async function askUntilHeard<Q extends Contract, A extends Contract>(
  bus: Pick<SealedBus, 'ask'>,
  question: Question<Q>,
  answers: A,
  timeoutMs: number,
): Promise<Result<{ readonly body: Body<A>; readonly party: KnownParty }, AskFailure>> {
  const begun = performance.now();
  const left = (ofMs: number) => begun + ofMs - performance.now();
  for (let again = AGAIN_MS; ; again = Math.min(2 * again, MOST_AGAIN_MS)) {
    const answer = await bus.ask(question, answers, left(timeoutMs));
    if (answer.ok || !isUnheard(answer.error) || left(Math.min(BACK_MS, timeoutMs)) <= again) return answer;
    await pause(again);
    // After a stall there may be no time for an answer, and then nothing is to come of it.
    if (left(timeoutMs) <= 0) return answer;
  }
}

/** Nobody has heard the question. */
export function isUnheard(failure: AskFailure): boolean {
  return failure === 'no_responders' || failure === 'nobody_known';
}
