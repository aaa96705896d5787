/** Why an answer is none, in the words of a refusal. */
import { MAX_FUN, MAX_FUNS, type Refusal, refusal } from '@natrium/model';

/** What a caller hears when the master is silent. */
export const TIMED_OUT = 'the master did not answer in time';

export function asRefusal({ code, sentence }: { readonly code: string; readonly sentence: string }): Refusal {
  return { code: code as Refusal['code'], sentence };
}

/** @param service Who was asked. */
export function unreachable(failure: string, service: 'master-gateway' | 'acl-service' = 'master-gateway'): Refusal {
  const why: Readonly<Record<string, string>> = {
    no_responders: `no ${service} is connected to the broker`,
    nobody_known: `no ${service} is known; is one running?`,
    timeout: TIMED_OUT,
    turned_away: 'the master turned the request away; is this key accepted?',
  };
  return refusal('master_unreachable', why[failure] ?? failure);
}

/** What no request can hold, and so nobody could decide. */
export function namesRefusal(funs: readonly string[]): Refusal | undefined {
  if (funs.length === 0 || funs.includes(''))
    return refusal('empty_function', `'${funs.join(',')}' may not run: a function has no name`);
  if (funs.length > MAX_FUNS) return refusal('bad_request', `at most ${String(MAX_FUNS)} functions run at once`);
  const long = funs.find((fun) => fun.length > MAX_FUN);
  if (long === undefined) return undefined;
  return refusal(
    'bad_request',
    `'${long.slice(0, 40)}…' is no function: a name has at most ${String(MAX_FUN)} characters`,
  );
}
