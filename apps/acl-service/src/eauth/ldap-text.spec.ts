import { bindNameOf, dnOf, dnValue, filterOf, filterValue, firstValue, isTemplate, namesUser } from './ldap-text.js';

describe('a filter', () => {
  it.each([
    ['uid={{ username }}', 'fred', '(uid=fred)'],
    ['(&(uid={{username}})(objectClass=person))', 'fred', '(&(uid=fred)(objectClass=person))'],
    ['mail={{ username }}', 'fred@example.com', '(mail=fred@example.com)'],
    ['uid={{ username }}', '*', '(uid=\\2a)'],
    ['uid={{ username }}', 'x)(uid=*', '(uid=x\\29\\28uid\\3d\\2a)'],
    ['uid={{ username }}', '$&', '(uid=\\24\\26)'],
    ['uid={{ username }}', '{{ username }}', '(uid=\\7b\\7b username \\7d\\7d)'],
  ])('%s for %s is %s', (template, username, filter) => {
    expect(filterOf(template, username)).toBe(filter);
  });

  it.each([
    ['\\', '\\5c'],
    ['\0', '\\00'],
    ['é', '\\c3\\a9'],
    ['\n', '\\0a'],
  ])('%j is the value %s', (text, value) => {
    expect(filterValue(text)).toBe(value);
  });
});

describe('a distinguished name', () => {
  it.each([
    ['fred', 'uid=fred,dc=x'],
    ['fred,ou=admins', 'uid=fred\\2cou\\3dadmins,dc=x'],
    [' fred ', 'uid=\\20fred\\20,dc=x'],
    ['f"r+e<d', 'uid=f\\22r\\2be\\3cd,dc=x'],
  ])('for %j is %s', (username, dn) => {
    expect(dnOf('uid={{ username }},dc=x', username)).toBe(dn);
  });

  it.each([
    ['cn=admins,ou=Groups,dc=x', 'admins'],
    ['cn=a\\,b,dc=x', 'a,b'],
    ['cn=a\\2cb,dc=x', 'a,b'],
    ['cn=B\\C3\\BCro,dc=x', 'Büro'],
    ['cn=Büro,dc=x', 'Büro'],
    ['admins', ''],
  ])('%s begins with the value %s', (dn, value) => {
    expect(firstValue(dn)).toBe(value);
  });

  it('gives back what was put into it', () => {
    for (const name of ['a,b', 'x=y+z', 'q"\\;', 'josé', '€,ü'])
      expect(firstValue(`cn=${dnValue(name)},dc=x`)).toBe(name);
  });
});

describe('what is bound', () => {
  it.each([
    ['uid={{ username }},dc=x', "o'brien", 'uid=o\\27brien,dc=x'],
    ['{{ username }}@example.com', "o'brien", "o'brien@example.com"],
    ['{{username}}@example.com', 'josé', 'josé@example.com'],
    ['{{ username }}', 'fred@example.com', 'fred@example.com'],
    ['EXAMPLE\\{{ username }}', '$&', 'EXAMPLE\\$&'],
  ])('with %s for %s is %s', (template, username, name) => {
    expect(bindNameOf(template, username)).toBe(name);
  });

  it.each([
    ['{{ username }}@example.com', 'fred@other.com'],
    ['{{ username }}@example.com', 'OTHER\\fred'],
    ['{{ username }}@example.com', 'fr\0ed'],
    ['{{ username }}', 'OTHER\\fred'],
    ['{{ username }}', 'cn=fred'],
  ])('with %s for %j is nothing', (template, username) => {
    expect(bindNameOf(template, username)).toBeUndefined();
  });
});

it('no other template than the name is one', () => {
  expect(isTemplate('uid={{ username }}')).toBe(true);
  for (const text of ['{{ password }}', '{% if username %}', '{{ username|upper }}'])
    expect(isTemplate(text)).toBe(false);
  expect(namesUser('uid={{username}}')).toBe(true);
  expect(namesUser('uid=username')).toBe(false);
});
