/**
 * An external user instead of the account of this host: a password is sealed to the acl-service and looked at once, and its
 * token then stands beside each request.
 */
import { identityAsker, type Link, MasterClient } from '@natrium/client';
import { err, ok, type Refusal, type Result } from '@natrium/model';
import { EXIT, exitOfRefusal } from '../common/exit-codes.js';
import type { ConnectProblem, LoginOptions } from '../ports.js';

export interface UserSession {
  readonly client: MasterClient;
  /** Ends the token, unless it is kept. */
  readonly logout: () => Promise<void>;
}

export async function logIn(
  login: LoginOptions,
  client: MasterClient,
  link: Link,
): Promise<Result<UserSession, ConnectProblem>> {
  const asUser = (token: string) => new MasterClient({ ...identityAsker(link, 'usr'), token });
  if ('token' in login) {
    const found = await client.auth({ what: 'check', token: login.token });
    if (!found.ok) return refused(found.error, OVER);
    if (found.value.eauth !== login.eauth) return refused(undefined, `${OTHER} ${found.value.eauth}; ${AGAIN}`);
    return ok({ client: asUser(login.token), logout: () => Promise.resolve() });
  }
  const { eauth, username, secret, keep } = login;
  const made = await client.auth({ what: 'login', eauth, username, secret });
  if (!made.ok) return refused(made.error, `${eauth} does not let ${JSON.stringify(username)} in with this password`);
  const { token } = made.value;
  const isKept = keep?.(token) ?? false;
  const logout = async () => {
    if (!isKept) await client.auth({ what: 'logout', token });
  };
  return ok({ client: asUser(token), logout });
}

const AGAIN = 'log in again with -T';
const OVER = `the token that was kept is not valid any more: it has expired or was revoked; ${AGAIN}`;
const OTHER = 'the token that was kept is of the back end';

function refused(why: Refusal | undefined, sentence: string): Result<never, ConnectProblem> {
  if (why === undefined || why.code === 'bad_credential') return err({ sentence, exit: EXIT.denied });
  return err({ sentence: why.sentence, exit: exitOfRefusal(why) });
}
