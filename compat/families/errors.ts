/** Refusals by the names that the original's clients see. */
import type { Ask, Decision } from '@natrium/acl';
import type { Refusal } from '@natrium/model';
import type { PlainMap } from '../corpus.js';

export type Credential = 'user' | 'eauth' | 'token';

const RUN_ERROR: Readonly<Record<Credential, string>> = {
  user: 'UserAuthenticationError',
  eauth: 'EauthAuthenticationError',
  token: 'TokenAuthenticationError',
};

export function deny({ code }: Refusal, what: Ask['what'], credential: Credential): PlainMap {
  if (what !== 'job')
    return { verdict: 'deny', error: code === 'bad_request' ? 'SaltInvocationError' : RUN_ERROR[credential] };
  return { verdict: 'deny', error: code === 'bad_credential' ? 'AuthenticationError' : 'AuthorizationError' };
}

/** @param user The name under which it is recorded. @param forwards Whether lower masters get what nobody here matches. */
export function allowed(
  decision: Extract<Decision, { allow: true }>,
  what: Ask['what'],
  user: string,
  forwards: boolean,
): PlainMap {
  if (what !== 'job') return { verdict: 'allow', user };
  const { minions, missing } = decision;
  const outcome = minions.length > 0 || forwards ? 'published' : 'no-minions';
  return { verdict: 'allow', outcome, minions: [...minions], missing: [...missing], user };
}

export function commandOf(command: unknown): Ask['what'] {
  if (command === 'runner') return 'run';
  return command === 'wheel' ? 'wheel' : 'job';
}
