import { inspect } from 'node:util';
import { ldapSettings } from './ldap-settings.js';

const CANARY = 'canary-bind-7f3a';
const BY_NAME = { basedn: 'dc=x', binddn: 'uid={{ username }},dc=x' };
const BY_SEARCH = { basedn: 'dc=x', binddn: 'cn=reader,dc=x', bindpw: CANARY, filter: 'uid={{ username }}' };

/** With its message, its cause and all else that a log would show of it. */
function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

function read(given: Readonly<Record<string, unknown>>) {
  const warnings: string[] = [];
  const settings = ldapSettings(given, (sentence) => warnings.push(sentence));
  return { settings, warnings };
}

describe("Salt's defaults", () => {
  it('are those of Salt', () => {
    const { settings, warnings } = read(BY_NAME);
    expect(settings).toMatchObject({
      addresses: [{ url: 'ldap://localhost:389', tls: { rejectUnauthorized: true, host: 'localhost' } }],
      starttls: false,
      scope: 'sub',
      find: { by: 'name', dn: 'uid={{ username }},dc=x' },
      groups: {
        kind: 'openldap',
        base: 'ou=Groups,dc=x',
        accountAttribute: 'memberUid',
        groupAttribute: 'memberOf',
        groupClass: 'posixGroup',
        personType: 'person',
      },
    });
    expect(warnings).toEqual([]);
  });

  it.each([
    [{ tls: true }, 'ldaps://localhost:636'],
    [{ tls: true, port: '3269', server: 'ad.x' }, 'ldaps://ad.x:3269'],
    [{ uri: 'ldaps://ldap.x', server: 'ignored' }, 'ldaps://ldap.x:636'],
    [{ server: 'ldap.x', port: 1389, starttls: true }, 'ldap://ldap.x:1389'],
  ])('%j is %s', (given, url) => {
    expect(read({ ...BY_NAME, ...given }).settings.addresses).toMatchObject([{ url }]);
  });

  it.each(['ldaps://one.x ldaps://two.x:1636', ' ldaps://one.x,ldaps://two.x:1636\n'])('%j is two addresses', (uri) => {
    expect(read({ ...BY_NAME, uri }).settings.addresses).toMatchObject([
      { url: 'ldaps://one.x:636', tls: { servername: 'one.x' } },
      { url: 'ldaps://two.x:1636', tls: { servername: 'two.x' } },
    ]);
  });

  it('a name of the user’s own is bound, also with anonymous', () => {
    const filter = 'uid={{ username }}';
    const find = (given: object) => read({ basedn: 'dc=x', anonymous: true, ...given }).settings.find;
    expect(find({ binddn: BY_NAME.binddn, filter })).toEqual({ by: 'name', dn: BY_NAME.binddn });
    expect(find({ binddn: BY_NAME.binddn })).toEqual({ by: 'name', dn: BY_NAME.binddn });
    expect(find({ filter })).toEqual({ by: 'search', filter, as: undefined });
  });

  it('groups of the whole tree, of Active Directory, of FreeIPA', () => {
    for (const groupou of ['', null, false]) {
      expect(read({ ...BY_NAME, groupou }).settings.groups.base).toBe('dc=x');
    }
    expect(read({ ...BY_NAME, activedirectory: true }).settings.groups).toMatchObject({
      kind: 'activedirectory',
      base: 'dc=x',
    });
    const ipa = { freeipa: true, group_basedn: 'cn=groups,dc=x', group_filter: 'member=uid={{ username }}' };
    expect(read({ ...BY_NAME, ...ipa }).settings.groups).toMatchObject({ kind: 'freeipa', base: 'cn=groups,dc=x' });
  });
});

describe('refused, because it would let in who should not be', () => {
  it.each([
    [{ basedn: 'dc=x' }, "auth.ldap.binddn without bindpw is the user's own name"],
    [{ ...BY_NAME, binddn: 'cn=reader,dc=x' }, "auth.ldap.binddn without bindpw is the user's own name"],
    [{ ...BY_SEARCH, filter: '' }, 'auth.ldap.filter has to hold'],
    [{ ...BY_SEARCH, filter: 'objectClass=person' }, 'auth.ldap.filter has to hold'],
    [{ anonymous: true }, 'auth.ldap.filter has to hold'],
    [{ ...BY_SEARCH, binddn: 'uid={{ username }},dc=x' }, 'auth.ldap.binddn with bindpw is the account that searches'],
    [{ ...BY_NAME, binddn: '{{ password }}{{ username }}' }, 'auth.ldap.binddn may hold'],
    [{ ...BY_NAME, tls: true, starttls: true }, 'auth.ldap.tls and starttls exclude each other'],
    [{ ...BY_NAME, uri: 'ldaps://x', starttls: true }, 'auth.ldap.tls and starttls exclude each other'],
    [{ ...BY_NAME, uri: 'ldap://x ldaps://y', starttls: true }, 'auth.ldap.tls and starttls exclude each other'],
    [{ ...BY_NAME, uri: 'ldap://x http://y' }, 'auth.ldap.uri or server and port make no address'],
    [{ ...BY_NAME, uri: 'ldapi://%2frun%2fldapi' }, 'auth.ldap.uri or server and port make no address'],
    [{ ...BY_NAME, uri: 'ldap:///dc=example,dc=com' }, 'auth.ldap.uri or server and port make no address'],
    [{ ...BY_NAME, groupou: true }, 'auth.ldap.groupou takes a text'],
    [{ ...BY_NAME, uri: 'ldap://user:secret@x' }, 'auth.ldap.uri or server and port make no address'],
    [{ ...BY_NAME, cacert: '/nowhere/ca.pem' }, 'auth.ldap.cacert names /nowhere/ca.pem, which cannot be read'],
    [{ ...BY_NAME, scope: 3 }, 'auth.ldap.scope is 0'],
    [{ ...BY_NAME, anonymous: 'yes' }, 'auth.ldap.anonymous takes yes or no'],
    [{ ...BY_NAME, groupclass: 'posixGroup)(uid=*' }, 'auth.ldap.groupclass is not a name'],
    [{ ...BY_NAME, freeipa: true }, 'auth.ldap.group_filter is needed'],
    [{ ...BY_SEARCH, bindpw: [CANARY] }, 'auth.ldap.bindpw takes a text'],
  ])('%j: %s', (given, sentence) => {
    expect(() => read(given)).toThrow(sentence);
    expect(inspect(thrownBy(() => read(given)))).not.toContain(CANARY);
  });
});

describe('taken, with a warning', () => {
  it.each([
    [{ server: 'ldap.x' }, 'passwords go to ldap.x without encryption'],
    [{ server: 'ldap.x', tls: true, no_verify: true }, 'anybody between here and ldap.x can read every password'],
    [{ uri: 'ldaps://ldap.x ldap://other.x' }, 'passwords go to other.x without encryption'],
    [{ auth_by_group_membership_only: true }, 'the password is always checked'],
    [{ bind_dn: 'x' }, 'auth.ldap.bind_dn is not a setting'],
    [
      { minion_stripdomains: ['.x'] },
      'auth.ldap.minion_stripdomains is not a setting of the ldap back end; it has no effect',
    ],
  ])('%j: %s', (given, sentence) => {
    expect(read({ ...BY_NAME, ...given }).warnings).toEqual([expect.stringContaining(sentence)]);
  });
});
