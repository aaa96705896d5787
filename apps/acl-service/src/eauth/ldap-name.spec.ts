/** Rules of names: one spelling for each account, the directory's. */
import type { Found } from './ldap-directory.js';
import { ownSpelling, placesIn } from './ldap-name.js';

const FRED: Found = { dn: ['uid=fred,dc=x'], uid: ['fred'], cn: ['Fred'], mail: ['Fred@x'], upn: ['fred@EXAMPLE.com'] };

it.each([
  ['uid={{ username }}', ['uid']],
  ['(&(objectClass=person)(|(uid={{username}})(mail={{ username }})))', ['uid', 'mail']],
  ['(sAMAccountName:2.5.13.2:={{ username }})', ['sAMAccountName']],
  ['uid={{ username }},ou=People,dc=x', ['uid']],
  ['(memberOf=cn=a,dc=x)', []],
  ['{{ username }}@example.com', []],
])('%s has the name in %j', (template, attributes) => {
  expect(placesIn(template).map(({ attribute }) => attribute)).toEqual(attributes);
});

it.each([
  ['uid={{ username }}', 'fred', 'fred'],
  ['uid={{ username }}', 'FRED', 'fred'],
  ['uid={{ username }}', 'Fred', 'fred'],
  ['(|(uid={{ username }})(cn={{ username }}))', 'Fred', 'fred'],
  ['(|(uid={{ username }})(mail={{ username }}))', 'FRED@x', 'Fred@x'],
  ['upn={{ username }}@example.com', 'FRED', 'fred'],
])('found by %s, who typed %s is %s', (template, typed, name) => {
  expect(ownSpelling(FRED, placesIn(template), typed)).toBe(name);
});

it('is nobody when the entry has another name there, also when it has this one elsewhere', () => {
  expect(ownSpelling(FRED, placesIn('uid={{ username }}'), 'Fred@x')).toBeUndefined();
  expect(ownSpelling(FRED, placesIn('uid={{ username }}'), 'fréd')).toBeUndefined();
});

it.each([undefined, { dn: ['uid=fred,dc=x'] as const, cn: ['FRED'] }])(
  'where it cannot be read in %j, only lower case is taken',
  (entry) => {
    const places = placesIn('uid={{ username }}');
    expect(ownSpelling(entry, places, 'fred')).toBe('fred');
    expect(ownSpelling(entry, places, 'FRED')).toBeUndefined();
  },
);
