/** Why an answer is none, in the words of a refusal. */
import { type Refusal, refusal } from '@natrium/model';

/** What a caller hears when the master is silent. */
export const TIMED_OUT = 'the master did not answer in time';

export function asRefusal({ code, sentence }: { readonly code: string; readonly sentence: string }): Refusal {
  return { code: code as Refusal['code'], sentence };
}

export function unreachable(failure: string): Refusal {
  const why: Readonly<Record<string, string>> = {
    no_responders: 'no master-gateway is connected to the broker',
    nobody_known: 'no master-gateway is known; is one running?',
    timeout: TIMED_OUT,
    turned_away: 'the master turned the request away; is this key accepted?',
  };
  return refusal('master_unreachable', why[failure] ?? failure);
}
