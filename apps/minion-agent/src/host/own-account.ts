/**
 * Whose account the agent runs as: what it is asked to run has that account's rights, whatever a file says.
 *
 * Diverges: Salt changes to the account that `user` names (compat/divergences.md).
 */
import { userInfo } from 'node:os';

/**
 * @param user Of the configuration; undefined: whoever starts the agent.
 * @returns Why the agent must not start: a person who named an account with fewer rights relies on it.
 */
export function accountProblem(user: string | undefined, own: string = ownAccount()): string | undefined {
  if (user === undefined || user === own) return undefined;
  return `user is ${user}, and this agent runs as ${own}, with all that it is asked to run: set User=${user} in its unit, or remove user from its configuration`;
}

function ownAccount(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container it need not have a name.
    return `the account ${String(process.getuid?.())}`;
  }
}
