/**
 * `ldap`: a directory says who somebody is, by the password, and in which groups. The settings are Salt's `auth.ldap.*`.
 *
 * With `bindpw` (or `anonymous`) the user's entry is searched with `filter`, and then that entry's name is bound with the
 * user's password; else `binddn` is the user's own name. Exactly one entry has to match. Groups are read by whoever searched.
 *
 * Diverges: the password is always checked, and what a user types is always only a value (compat/divergences.md, ldap).
 */
import type { Login } from '@natrium/acl';
import { type BackEnd, BackEndFailed, type BackEndMaker } from './back-end.js';
import { Directory, type Found } from './ldap-directory.js';
import { groupsIn } from './ldap-groups.js';
import { ldapSettings, type LdapSettings, type ServiceAccount } from './ldap-settings.js';
import { dnOf, filterOf, isSameName } from './ldap-text.js';

/** A wrong password costs one step more than an unknown name: both fit. */
const FAIL_STEP_MS = 1000;

export const ldap: BackEndMaker = (_, { config, log }): BackEnd => {
  const settings = ldapSettings(config.auth_ldap, (sentence) => {
    log.warn(sentence);
  });
  return {
    failStepMs: FAIL_STEP_MS,
    authenticate: async ({ username, secret }) => {
      if (secret === '' || username.trim() !== username) return undefined;
      const { find } = settings;
      const login = { username, secret };
      return find.by === 'name' ? byName(login, find.dn, settings) : bySearch(login, find, settings);
    },
  };
};

interface Typed {
  readonly username: string;
  readonly secret: string;
}

async function byName(
  { username, secret }: Typed,
  template: string,
  settings: LdapSettings,
): Promise<Login | undefined> {
  const dn = dnOf(template, username);
  return withDirectory(settings, async (own) => {
    if (!(await own.bind(dn, secret))) return undefined;
    return { name: username, groups: await groupsIn(own, { dn, name: username }, settings) };
  });
}

async function bySearch(
  { username, secret }: Typed,
  { filter, as }: Extract<LdapSettings['find'], { readonly by: 'search' }>,
  settings: LdapSettings,
): Promise<Login | undefined> {
  return withDirectory(settings, async (searcher) => {
    await bindService(searcher, as);
    const { basedn: base, scope } = settings;
    const [entry, ...more] =
      (await searcher.search({ base, scope, filter: filterOf(filter, username), most: 1 })) ?? [];
    if (entry === undefined || more.length > 0) return undefined;
    const [dn] = entry.dn;
    // On a connection of its own: what the user may read is not what the service account may.
    if (!(await withDirectory(settings, (own) => own.bind(dn, secret)))) return undefined;
    const name = ownSpelling(entry, username);
    return { name, groups: await groupsIn(searcher, { dn, name }, settings) };
  });
}

async function bindService(searcher: Directory, as: ServiceAccount | undefined): Promise<void> {
  if (as !== undefined && !(await searcher.bind(as.dn, as.password))) {
    throw new BackEndFailed('ldap: the directory refuses auth.ldap.binddn with auth.ldap.bindpw');
  }
}

/** The name as the directory spells it: rules are written for that, and it takes a name in any case. */
function ownSpelling(entry: Found, typed: string): string {
  const values = Object.values(entry).flat();
  return values.includes(typed) ? typed : (values.find((value) => isSameName(value, typed)) ?? typed);
}

async function withDirectory<T>(settings: LdapSettings, body: (directory: Directory) => Promise<T>): Promise<T> {
  const directory = await Directory.open(settings);
  try {
    return await body(directory);
  } finally {
    await directory.close();
  }
}
