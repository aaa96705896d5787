/** Rules of groups, against a directory that answers each search as told. */
import type { Directory, Found } from './ldap-directory.js';
import { groupsIn } from './ldap-groups.js';
import { ldapSettings } from './ldap-settings.js';

const USER = { dn: 'uid=fred,ou=People,dc=x', name: 'fred' };

function groupsOf(entries: readonly Found[], given: Readonly<Record<string, unknown>> = {}) {
  const settings = ldapSettings({ basedn: 'dc=x', binddn: 'uid={{ username }},dc=x', ...given }, () => undefined);
  return groupsIn({ search: () => Promise.resolve(entries) } as unknown as Directory, USER, settings);
}

const group = (cn: string, memberUid: string): Found => ({
  dn: [`cn=${cn},ou=Groups,dc=x`],
  cn: [cn],
  memberUid: [memberUid],
});

it('entries that name the user are groups, by their first cn', async () => {
  expect(await groupsOf([group('web', 'fred'), group('fred', 'fred'), group('db', 'anna')])).toEqual(['fred', 'web']);
});

it('groups that the user’s own entry names count, its own cn does not', async () => {
  const memberOf = ['cn=web,ou=Groups,dc=x', 'cn=B\\C3\\BCro,ou=Groups,dc=x'];
  const accounts = { accountattributename: 'uid', groupclass: 'person', groupou: '' };
  for (const dn of [USER.dn, 'UID=Fred,ou=people,dc=x'] as const) {
    const own: Found = { dn: [dn], cn: ['admins'], uid: ['fred'], memberOf };
    expect(await groupsOf([own], accounts)).toEqual(dn === USER.dn ? ['Büro', 'web'] : []);
  }
});
