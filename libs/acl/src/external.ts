/**
 * `external_auth`: the lists of a login that a backend has proved.
 *
 * Diverges: the configured key is the pattern and the login the text (compat/divergences.md, eauth-user-match-reversed).
 *
 * Spec: spec/acl.md#external-users. The original's behaviour: compat/cases/external_auth.jsonl.
 */
import type { AccessList, Backend, LoginRule } from './policy.js';

/** Each with a maker in the acl-service; a login by any other name is refused. */
export const BACK_ENDS = ['auto', 'file', 'ldap', 'pam', 'sharedsecret'] as const;
export type BackEndName = (typeof BACK_ENDS)[number];

export function isBackEnd(name: string): name is BackEndName {
  return BACK_ENDS.some((one) => one === name);
}

export interface Login {
  readonly name: string;
  readonly groups: readonly string[];
}

/**
 * Collects the lists of a login: its user keys, its groups by exact name, and `*` when no user key matched.
 *
 * With `permissive_acl`, `*` is an ordinary key. A group that matched does not switch the fallback off.
 */
export function listsOfLogin(backend: Backend, login: Login, permissive: boolean): readonly AccessList[] {
  const matches = ({ key, group, users }: LoginRule): boolean => {
    if (group !== undefined) return login.groups.includes(group);
    return (key !== '*' || permissive) && users.test(login.name);
  };
  const own = backend.filter(matches);
  const isNamed = own.some(({ group }) => group === undefined);
  const fallback = permissive || isNamed ? [] : backend.filter(({ key }) => key === '*');
  return [...own, ...fallback].map(({ list }) => list);
}
