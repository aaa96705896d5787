/**
 * `ldap`: a directory says who somebody is, by the password, and in which groups. The settings are Salt's `auth.ldap.*`.
 *
 * With `bindpw` (or `anonymous` and no `binddn`) the user's entry is searched with `filter`, and then that entry's name is bound
 * with the user's password; else `binddn` is the user's own name. Exactly one entry has to match. Groups are read by whoever searched.
 *
 * Diverges: the password is always checked, and what a user types is always only a value (compat/divergences.md, ldap).
 */
import type { Login } from '@natrium/acl';
import { type BackEnd, BackEndFailed, type BackEndMaker } from './back-end.js';
import { type Directory, type DirectoryWay, type Found, type Search, withDirectory } from './ldap-directory.js';
import { groupsIn, personFilter } from './ldap-groups.js';
import { ownSpelling, type Place, placesIn } from './ldap-name.js';
import { ldapSettings, type LdapSettings, type ServiceAccount } from './ldap-settings.js';
import { bindNameOf, dnOf, filterOf, isDn } from './ldap-text.js';

/** A wrong password costs one step more than an unknown name: both fit. */
const FAIL_STEP_MS = 1000;

export const ldap: BackEndMaker = (_, { config, log }): BackEnd => {
  const settings = ldapSettings(config.auth_ldap, (sentence) => {
    log.warn(sentence);
  });
  const way = { settings, log };
  const places = placesOf(settings);
  const spelled = (entry: Found | undefined, username: string) => {
    const name = ownSpelling(entry, places, username);
    if (name === undefined) log.info({ eauth: 'ldap', user: username }, 'the directory does not spell this name so');
    return name;
  };
  return {
    failStepMs: FAIL_STEP_MS,
    authenticate: async ({ username, secret }) => {
      if (secret === '' || username.trim() !== username) return undefined;
      const { find } = settings;
      const login = { username, secret, spelled };
      return find.by === 'name' ? byName(login, find.dn, way) : bySearch(login, find, way);
    },
  };
};

interface Typed {
  readonly username: string;
  readonly secret: string;
  /** The name as the directory spells it: rules are written for that. */
  readonly spelled: (entry: Found | undefined, username: string) => string | undefined;
}

/** Where the user's entry has the name. */
function placesOf({ find, groups }: LdapSettings): readonly Place[] {
  const account = { attribute: groups.accountAttribute, before: '', after: '' };
  return [...placesIn(find.by === 'name' ? find.dn : find.filter), account];
}

async function byName(
  { username, secret, spelled }: Typed,
  template: string,
  way: DirectoryWay,
): Promise<Login | undefined> {
  const dn = bindNameOf(template, username);
  if (dn === undefined) return undefined;
  const { settings } = way;
  return withDirectory(way, async (own) => {
    if (!(await own.bind(dn, secret))) return undefined;
    const entry = await readOwn(own, ownEntry(template, username, settings));
    const name = spelled(entry, username);
    if (name === undefined) return undefined;
    return { name, groups: await groupsIn(own, { dn: entry?.dn[0] ?? dn, name }, settings) };
  });
}

/** @returns undefined where it is not one, or the directory lets nobody read it: the bind has proved who it is all the same. */
async function readOwn(own: Directory, search: Search): Promise<Found | undefined> {
  try {
    const [entry, ...more] = (await own.search({ ...search, most: 1 })) ?? [];
    return more.length > 0 ? undefined : entry;
  } catch {
    return undefined;
  }
}

/** Who has bound without a distinguished name is found by the account. */
function ownEntry(template: string, username: string, settings: LdapSettings): Search {
  const attributes = attributesOf(settings);
  if (isDn(template)) return { base: dnOf(template, username), scope: 'base', filter: '(objectClass=*)', attributes };
  return { base: settings.basedn, filter: personFilter(settings.groups, username), attributes };
}

function attributesOf(settings: LdapSettings): readonly string[] {
  return [...new Set(placesOf(settings).map(({ attribute }) => attribute))];
}

async function bySearch(
  { username, secret, spelled }: Typed,
  { filter, as }: Extract<LdapSettings['find'], { readonly by: 'search' }>,
  way: DirectoryWay,
): Promise<Login | undefined> {
  const { settings } = way;
  return withDirectory(way, async (searcher) => {
    await bindService(searcher, as);
    const { basedn: base, scope } = settings;
    const attributes = attributesOf(settings);
    const [entry, ...more] =
      (await searcher.search({ base, scope, filter: filterOf(filter, username), attributes, most: 1 })) ?? [];
    if (entry === undefined || more.length > 0) return undefined;
    const [dn] = entry.dn;
    // On a connection of its own: what the user may read is not what the service account may.
    if (!(await withDirectory(way, (own) => own.bind(dn, secret)))) return undefined;
    const name = spelled(entry, username);
    return name === undefined ? undefined : { name, groups: await groupsIn(searcher, { dn, name }, settings) };
  });
}

async function bindService(searcher: Directory, as: ServiceAccount | undefined): Promise<void> {
  if (as !== undefined && !(await searcher.bind(as.dn, as.password))) {
    throw new BackEndFailed('ldap: the directory refuses auth.ldap.binddn with auth.ldap.bindpw');
  }
}
