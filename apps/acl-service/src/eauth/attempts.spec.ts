import { Attempts } from './attempts.js';

const fred = { eauth: 'ldap', username: 'fred', address: '192.0.2.1' };

function failing(times: number, { now = (): number => 0, as = fred } = {}): Attempts {
  const attempts = new Attempts(now);
  for (let n = 0; n < times; n += 1) attempts.failed(as);
  return attempts;
}

describe('an account', () => {
  it('is locked from every address after ten failures, and no other account is', () => {
    expect(failing(9).isLocked(fred)).toBe(false);
    const attempts = failing(10);
    expect(attempts.isLocked({ ...fred, address: '192.0.2.2' })).toBe(true);
    expect(attempts.isLocked({ ...fred, username: 'thatch' })).toBe(false);
    expect(attempts.isLocked({ ...fred, eauth: 'pam' })).toBe(false);
  });

  it.each(['FRED', 'fReD', ' fred', 'fred  ', 'ｆｒｅｄ'])('has no second budget as %j', (username) => {
    expect(failing(10).isLocked({ ...fred, username })).toBe(true);
  });

  it('is open again five minutes after the first failure', () => {
    let now = 0;
    const attempts = failing(10, { now: () => now });
    now = 299_999;
    expect(attempts.isLocked(fred)).toBe(true);
    now = 300_000;
    expect(attempts.isLocked(fred)).toBe(false);
  });

  it('begins anew after a good login', () => {
    const attempts = failing(9);
    attempts.succeeded(fred);
    attempts.failed(fred);
    expect(attempts.isLocked(fred)).toBe(false);
  });
});

describe('an address', () => {
  it('is locked after a hundred failures under any names, and a good login does not open it', () => {
    const attempts = new Attempts(() => 0);
    for (let n = 0; n < 100; n += 1) attempts.failed({ ...fred, username: `user${String(n)}` });
    attempts.succeeded({ ...fred, username: 'user0' });
    expect(attempts.isLocked({ ...fred, username: 'somebody' })).toBe(true);
    expect(attempts.isLocked({ ...fred, username: 'somebody', address: '192.0.2.2' })).toBe(false);
  });
});
