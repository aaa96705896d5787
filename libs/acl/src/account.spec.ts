/** Rules of spec/acl.md#accounts. */
import { authenticateAccount, keyHolders } from './account.js';
import { compilePolicy } from './compile-policy.js';
import type { PolicyConfig } from './policy-config.js';

function identity(claimed: string, keyOf: string | null, config: PolicyConfig = {}, processAccount?: string): string {
  const made = authenticateAccount(compilePolicy(config).policy, { claimed, keyOf }, processAccount);
  return made.ok ? (made.value.listsOf ?? 'everything') : 'refused';
}

describe('a claimed account', () => {
  it.each([
    ['fred', 'fred', 'fred'],
    ['fred', 'dave', 'refused'],
    ['fred', null, 'refused'],
    ['fred', 'root', 'everything'],
    ['root', 'root', 'everything'],
    ['root', 'fred', 'refused'],
    ['sudo_fred', 'root', 'everything'],
    ['sudo_fred', 'fred', 'refused'],
    ['sudo_', 'root', 'refused'],
    ['', 'root', 'refused'],
  ])('%s with the key of %s is %s', (claimed, keyOf, expected) => {
    expect(identity(claimed, keyOf)).toBe(expected);
  });

  it('with sudo has the lists of the account behind it, when sudo_acl says so and there is a list at all', () => {
    const publisher_acl = { fred: ['test.*'] };
    expect(identity('sudo_a_b', 'root', { publisher_acl, sudo_acl: true })).toBe('a_b');
    expect(identity('sudo_fred', 'root', { sudo_acl: true })).toBe('everything');
    expect(identity('sudo_fred', 'root', { publisher_acl })).toBe('everything');
  });

  it.each([
    ['salt', 'everything'],
    ['root', 'refused'],
    ['fred', 'refused'],
  ])('of the process that serves, with the key of %s, is %s', (keyOf, expected) => {
    expect(identity('salt', keyOf, {}, 'salt')).toBe(expected);
  });

  it('of another master account is proved by that one', () => {
    expect(identity('root', 'salt', { user: 'salt' })).toBe('everything');
    expect(identity('root', 'root', { user: 'salt' })).toBe('refused');
  });
});

describe('keys', () => {
  const holders = (config: PolicyConfig): readonly string[] =>
    [...keyHolders(compilePolicy(config).policy, ['root', 'fred', 'frank', 'dave'])].sort();
  const publisher_acl = { 'fr*': ['test.*'], ghost: ['test.*'], dave: [] };

  it('are made for existing accounts that a key names or matches', () => {
    expect(holders({ publisher_acl })).toEqual(['dave', 'frank', 'fred', 'root']);
  });

  it('are made for the account of the process too, whose key speaks for everybody where it is root', () => {
    const { policy } = compilePolicy({ user: 'salt', publisher_acl: { fred: ['test.*'] } });
    expect([...keyHolders(policy, ['root', 'salt', 'fred'], 'root')].sort()).toEqual(['fred', 'root', 'salt']);
    const claim = { claimed: 'fred', keyOf: 'root' };
    expect(authenticateAccount(policy, claim, 'root')).toMatchObject({ ok: true, value: { listsOf: undefined } });
    expect(authenticateAccount(policy, { claimed: '', keyOf: '' }, 'root').ok).toBe(false);
  });

  it('are made for the literal keys alone when accounts are not verified', () => {
    expect(holders({ publisher_acl, client_acl_verify: false })).toEqual(['dave', 'fr*', 'ghost', 'root']);
  });
});
