/** The account whose key `natriumctl init` made: it has full access, under the name that `user` had when the cluster began. */
import type { RoleLink } from '@natrium/edge';
import type { Logger } from 'pino';
import type { Roster } from './roster/roster.js';

/**
 * While there is no account at all, it is let in.
 *
 * @returns Hears what `user` is, each time that the files are read. A key never has two names: where that is another, what root asks is refused, and only this says why.
 */
export async function enrolFirstAccount(
  { keys }: Pick<RoleLink, 'keys'>,
  roster: Roster,
  user: string,
  log: Pick<Logger, 'error'>,
): Promise<(user: string) => void> {
  const first = keys.firstAccount();
  if (first === undefined) return () => undefined;
  const { identity, nkey } = first;
  if (!roster.records().some(({ kind }) => kind === 'account'))
    await roster.write({ kind: 'account', name: user, identity, nkey, state: 'accepted' });
  return (now) => {
    const enrolled = roster.callerOf(identity)?.name;
    if (enrolled !== undefined && enrolled !== now) log.error(otherUser(enrolled, now));
  };
}

function otherUser(enrolled: string, user: string): string {
  const back = `set user: ${enrolled} again`;
  return `user is ${user}, and the key that natriumctl init made (account.key) is that of ${enrolled}: root may do nothing in this cluster; ${back}. As whom the services run, their units say`;
}
