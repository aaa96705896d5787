import { type AccountPorts, AccountRequests, isAccountName } from './account-requests.js';
import type { KeyRecord } from './join.js';

const key = (byte: number) => new Uint8Array(32).fill(byte);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const enrolment = (name: string, byte: number) => ({ name, identity: hex(key(byte)), nkey: hex(key(byte + 100)) });

class Fake implements AccountPorts {
  readonly held: KeyRecord[] = [
    { kind: 'account', name: 'root', identity: key(1), nkey: key(101), state: 'accepted', revision: 1 },
  ];
  readonly requests = new AccountRequests(this);

  records = () => this.held;
  fingerprintOf = hex;
  keyFrom = (text: string) => (/^[0-9a-f]{64}$/.test(text) ? Uint8Array.from(Buffer.from(text, 'hex')) : undefined);
  masterAccount = () => 'root';
  write = (next: Omit<KeyRecord, 'revision'>) => {
    const at = this.held.findIndex(({ identity }) => hex(identity) === hex(next.identity));
    const record = { ...next, revision: (this.held[at]?.revision ?? 0) + 1 };
    if (at < 0) this.held.push(record);
    else this.held[at] = record;
    return Promise.resolve(record);
  };

  async ask(fun: string, arg: Readonly<Record<string, string>> = {}): Promise<string> {
    const done = await this.requests.handle(fun, [arg]);
    return done.ok ? 'done' : done.error.code;
  }
}

describe('accounts', () => {
  it('are enrolled with a key, and the same again changes nothing', async () => {
    const fake = new Fake();
    expect(await fake.ask('account.enrol', enrolment('fred', 2))).toBe('done');
    expect(await fake.ask('account.enrol', enrolment('fred', 2))).toBe('done');
    expect(fake.held.map(({ name, state, revision }) => [name, state, revision])).toEqual([
      ['root', 'accepted', 1],
      ['fred', 'accepted', 1],
    ]);
  });

  it('keep their key: a second one is refused until the first is removed, and a removed one never comes back', async () => {
    const fake = new Fake();
    await fake.ask('account.enrol', enrolment('fred', 2));
    expect(await fake.ask('account.enrol', enrolment('fred', 3))).toBe('key_state');
    expect(await fake.ask('account.remove', { name: 'fred', fingerprint: hex(key(2)) })).toBe('done');
    expect(await fake.ask('account.enrol', enrolment('fred', 2))).toBe('key_state');
    expect(await fake.ask('account.enrol', enrolment('fred', 3))).toBe('done');
  });

  it('never share a key', async () => {
    const fake = new Fake();
    await fake.ask('account.enrol', enrolment('fred', 2));
    expect(await fake.ask('account.enrol', enrolment('steve', 2))).toBe('key_state');
    expect(await fake.ask('account.enrol', enrolment('steve', 1))).toBe('key_state');
  });

  it.each([
    '',
    '-rf',
    '.hidden',
    'a/b',
    '../x',
    'a b',
    'sudo_fred',
    'root',
    'é',
    'a\n',
    'a'.repeat(129),
    '1000',
    '$(id)',
  ])('may not be called %j', async (name) => {
    const fake = new Fake();
    expect(isAccountName(name)).toBe(false);
    expect(await fake.ask('account.enrol', enrolment(name, 2))).toBe('bad_request');
    expect(fake.held).toHaveLength(1);
  });

  it.each(['fred', 'user_a', 'svc-web', 'EXAMPLE\\fred', 'fred@example.com', 'host$', 'a.b'])(
    'may be called %s',
    async (name) => {
      expect(await new Fake().ask('account.enrol', enrolment(name, 2))).toBe('done');
    },
  );

  it('are removed by name and fingerprint; the master’s own stays', async () => {
    const fake = new Fake();
    await fake.ask('account.enrol', enrolment('fred', 2));
    expect(await fake.ask('account.remove', { name: 'fred', fingerprint: hex(key(9)) })).toBe('key_mismatch');
    expect(await fake.ask('account.remove', { name: 'root', fingerprint: hex(key(1)) })).toBe('key_state');
    expect(await fake.ask('account.remove', { name: 'fred', fingerprint: hex(key(2)) })).toBe('done');
    expect(fake.held.at(-1)).toMatchObject({ name: 'fred', state: 'deleted' });
  });

  it.each(['account.enrol', 'account.remove', 'account.other'])('%s without what it needs is refused', async (fun) => {
    expect(await new Fake().ask(fun)).toBe('bad_request');
  });
});
