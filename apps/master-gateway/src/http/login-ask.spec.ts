/** Rules of what a body says of who wants to log in. */
import { Float, type Value } from '@natrium/model';
import { loginAsk } from './login-ask.js';

const ASKED = { eauth: 'file', username: 'bob', password: 'one' };

it.each<[Value, number | null]>([
  [3600, 3600],
  ['3600', 3600],
  [new Float(1.9), 1],
  [new Float(0.5), 0],
  [0, 0],
  [-5, 0],
  [1e300, Number.MAX_SAFE_INTEGER],
  [null, null],
  ['', null],
  ['soon', null],
  [true, null],
  [[5], null],
  [{ a: 1 }, null],
])('token_expire %j is a wish for %j seconds', (expire, seconds) => {
  expect(loginAsk({ ...ASKED, token_expire: expire }, 'session')?.expire).toBe(seconds);
});

it.each<[Value, string]>([
  [20, '20'],
  [12345678901234567890n, '12345678901234567890'],
  [1.5, '1.5'],
])('a number is its text, however long: %s', (number, text) => {
  const ask = loginAsk({ eauth: 'file', username: number, password: number }, 'token');
  expect(ask).toMatchObject({ username: text, secret: text });
});

it('a body without a wish has none, and one without who it is about is no login', () => {
  const { password: secret, ...who } = ASKED;
  expect(loginAsk(ASKED, 'session')).toEqual({ ...who, secret, use: 'session', expire: null });
  for (const key of ['eauth', 'username', 'password'] as const) {
    const { [key]: _, ...others } = ASKED;
    expect(loginAsk(others, 'session')).toBeUndefined();
    for (const value of [null, true, ['x'], { a: 1 }]) {
      expect(loginAsk({ ...ASKED, [key]: value }, 'session')).toBeUndefined();
    }
  }
});
