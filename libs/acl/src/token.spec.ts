/** Rules of spec/acl.md#tokens. */
import { compilePolicy } from './compile-policy.js';
import { checkToken, makeToken, type TokenRecord } from './token.js';

const login = { name: 'fred', groups: ['ops'] };
const external_auth = { pam: { fred: ['test.*'], 'ops%': ['cmd.*'] } };
const plain = compilePolicy({ external_auth }).policy;
const keeping = compilePolicy({ external_auth, keep_acl_in_token: true }).policy;
const record = (policy = plain): TokenRecord => makeToken(policy, { backend: 'pam', login, expires: 100 });

describe('a token', () => {
  it('proves the login and its groups until it expires', () => {
    expect(checkToken(plain, record(), 99)).toMatchObject({ ok: true, value: { name: 'fred', groups: ['ops'] } });
    expect(checkToken(plain, record(), 100).ok).toBe(false);
    expect(checkToken(plain, { ...record(), expires: undefined }, 1).ok).toBe(false);
    expect(checkToken(plain, undefined, 1).ok).toBe(false);
  });

  it('is refused when its backend is gone', () => {
    expect(checkToken(compilePolicy({ external_auth: { ldap: {} } }).policy, record(), 1).ok).toBe(false);
  });

  it('keeps the list of its login only when the master keeps lists', () => {
    expect(record().list).toBeUndefined();
    expect(record(keeping).list).toEqual(['test.*', 'cmd.*']);
    expect(checkToken(plain, record(keeping), 1)).toMatchObject({ value: { list: undefined } });
    const rest = compilePolicy({ external_auth: { ...external_auth, rest: {} } }).policy;
    expect(record(rest).list).toEqual(['test.*', 'cmd.*']);
  });
});
