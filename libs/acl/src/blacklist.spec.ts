/** Rules of spec/acl.md#blacklist. */
import type { Value } from '@natrium/model';
import { allowsByLists } from './allow-deny.js';
import { deniedFunction, deniedUser } from './blacklist.js';
import { compilePolicy } from './compile-policy.js';

function denies(blacklist: Value, user: string, funs: readonly string[] = []): boolean {
  const { policy } = compilePolicy({ publisher_acl_blacklist: blacklist });
  return deniedUser(policy, user) !== undefined || deniedFunction(policy, funs) !== undefined;
}

describe('the blacklist', () => {
  it.each<[Value, string, string[], boolean]>([
    [{ users: ['root', '^(?!sudo_).*$'] }, 'fred', [], true],
    [{ users: ['root', '^(?!sudo_).*$'] }, 'sudo_fred', [], false],
    [{ users: 'fred' }, 'fred', [], true],
    [{ users: ['root|sudo_.*'] }, 'rooty', [], false],
    [{ modules: ['cmd'] }, 'x', ['cmd.run'], false],
    [{ modules: ['cmd.*'] }, 'x', ['test.ping', 'cmd.run'], true],
    [{ modules: ['*.run'] }, 'x', ['cmd.run_all'], false],
    [{ users: [], modules: null }, 'x', ['cmd.run'], false],
    [{ users: {}, modules: ['cmd.*'] }, 'x', ['test.ping'], false],
    [{ users: {}, modules: ['cmd.*'] }, 'x', ['cmd.run'], true],
    [{ users: '', modules: 0 }, '', ['cmd.run'], false],
    [{ users: false, modules: false }, 'x', ['cmd.run'], false],
  ])('%j on %s and %j: %s', (blacklist, user, funs, expected) => {
    expect(denies(blacklist, user, funs)).toBe(expected);
  });

  it.each<[Value]>([
    [{ users: ['(?<!x)fred'] }],
    [{ users: ['fred('] }],
    [{ users: [5] }],
    [{ users: 5 }],
    [{ users: { fred: null } }],
    ['all'],
  ])('denies everyone while a rule of it cannot be compiled: %j', (blacklist) => {
    expect(denies(blacklist, 'anyone')).toBe(true);
  });

  it('is one of a pair where something is let in as well', () => {
    expect(allowsByLists('fred', ['f*'], ['fred'])).toBe(false);
    expect(allowsByLists('frank', ['f*'], ['fred'])).toBe(true);
    expect(allowsByLists('dave', [], [])).toBe(true);
    expect(allowsByLists('fred', '', ['bob'])).toBe(true);
    expect(allowsByLists('bob', '', ['bob'])).toBe(false);
    expect(allowsByLists('fred', 'bob', '')).toBe(false);
    for (const malformed of [[5], [null], [['dave']]]) expect(allowsByLists('dave', malformed, [])).toBe(false);
  });
});
