/** The groups of a user, in the three ways that Salt knows: OpenLDAP's, Active Directory's, FreeIPA's. */
import { isSameName } from './account-name.js';
import { type Directory, type Found, valuesOf } from './ldap-directory.js';
import type { GroupSettings, LdapSettings } from './ldap-settings.js';
import { filterOf, filterValue, firstValue } from './ldap-text.js';

export interface LdapUser {
  readonly dn: string;
  readonly name: string;
}

export async function groupsIn(
  directory: Directory,
  user: LdapUser,
  settings: LdapSettings,
): Promise<readonly string[]> {
  const names = await BY_KIND[settings.groups.kind](directory, user, settings);
  return [...new Set(names)].sort();
}

const BY_KIND = { openldap, activedirectory, freeipa } as const;

/**
 * Entries that name the user (`memberUid`), and what the user's own entry names (`memberOf`).
 *
 * Diverges: that entry itself is no group: its `cn` is often the user's own to write (compat/divergences.md, ldap, the user's
 * own entry).
 */
async function openldap(
  directory: Directory,
  { dn, name }: LdapUser,
  { groups }: LdapSettings,
): Promise<readonly string[]> {
  const { base, accountAttribute, groupAttribute, groupClass } = groups;
  const filter = `(&(${accountAttribute}=${filterValue(name)})(objectClass=${groupClass}))`;
  const found = await all(directory, groups, filter, base);
  return found.flatMap((entry) => [
    ...(!isSameName(entry.dn[0], dn) && valuesOf(entry, accountAttribute).includes(name)
      ? valuesOf(entry, 'cn').slice(0, 1)
      : []),
    ...(firstValue(entry.dn[0]) === name ? valuesOf(entry, groupAttribute).map(firstValue) : []),
  ]);
}

async function activedirectory(directory: Directory, { name }: LdapUser, { groups, basedn }: LdapSettings) {
  const { groupClass } = groups;
  const [own] = await all(directory, groups, personFilter(groups, name), basedn);
  if (own === undefined) return [];
  const found = await all(
    directory,
    groups,
    `(&(member=${filterValue(own.dn[0])})(objectClass=${groupClass}))`,
    basedn,
  );
  return found.flatMap((entry) => valuesOf(entry, 'cn').slice(0, 1));
}

/** Finds somebody by the account, as Active Directory has them. */
export function personFilter({ accountAttribute, personType }: GroupSettings, name: string): string {
  return `(&(${accountAttribute}=${filterValue(name)})(objectClass=${personType}))`;
}

async function freeipa(directory: Directory, { name }: LdapUser, { groups }: LdapSettings) {
  const found = await all(directory, groups, filterOf(groups.filter, name), groups.base);
  const members = (entry: Found) => [
    ...valuesOf(entry, groups.accountAttribute),
    ...valuesOf(entry, groups.groupAttribute),
  ];
  return found
    .filter((entry) => members(entry).some((member) => member === name || firstValue(member) === name))
    .map((entry) => firstValue(entry.dn[0]));
}

/** As in Salt, whoever may read no groups is in none, and comes in all the same. */
async function all(
  directory: Directory,
  { accountAttribute, groupAttribute }: GroupSettings,
  filter: string,
  base: string,
) {
  const attributes = [accountAttribute, groupAttribute, 'cn'];
  return (await directory.search({ base, filter, attributes, mayBeHidden: true })) ?? [];
}
