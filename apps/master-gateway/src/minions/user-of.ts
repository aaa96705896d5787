/** The user of a job as Salt writes it. A minion has none of its own there; here the name says which kind asked. */
import type { Principal } from '@natrium/model';

const USERS: readonly Principal['kind'][] = ['account', 'external', 'token'];

export function userOf({ kind, name }: Principal): string {
  return USERS.includes(kind) ? name : `${kind}:${name}`;
}
