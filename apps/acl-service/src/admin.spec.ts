/** Rules of who may ask the authority, and of what the audit says of a request about keys, whatever failed. */
import { MemoryStore, type Opened } from '@natrium/bus';
import {
  clusterOf,
  fingerprint,
  type Identity,
  identityFrom,
  newIdentitySecret,
  SigningKey,
  sodiumReady,
  toHex,
} from '@natrium/envelope';
import { Budget, type KeyState } from '@natrium/flow';
import { ok, type Request } from '@natrium/model';
import { aRequest, signedBy } from '@natrium/testing';
import { contracts, writeAs } from '@natrium/wire';
import { Admin } from './admin.js';
import type { AuditLog } from './audit/audit-log.js';
import { tokenHandler } from './eauth/token-requests.js';
import { Tokens } from './eauth/tokens.js';
import { accountHandler, keyHandler } from './keys/key-requests.js';
import { OnceOnly } from './once-only.js';
import { Room } from './keys/room.js';
import { Roster } from './roster/roster.js';

const NOW = 1_795_000_000_000;

beforeAll(sodiumReady);

async function anAuthority() {
  const store = new MemoryStore('roster');
  const [acl, cluster] = [SigningKey.generate(), clusterOf(SigningKey.generate().publicKey)];
  const nameKey = { id: 'one', key: new Uint8Array(32).fill(1) };
  const roster = await Roster.open(store, {
    acl,
    aclKeys: () => [acl.publicKey],
    cluster,
    nameKey,
    onSpoilt: () => undefined,
  });
  const enrolled = async (kind: 'minion' | 'account', name: string, state: KeyState) => {
    const made = identityFrom(newIdentitySecret());
    await roster.write({ kind, name, identity: made.publicKey, nkey: made.nkeyPublic, state });
    return made;
  };
  return { store, cluster, roster, enrolled, root: await enrolled('account', 'root', 'accepted') };
}

type Arg = Readonly<Record<string, string>>;

/** @param failing Asked before each change is told to the event bus. @param rate Of each asker's budget; 0: there is none. */
async function aWorld(failing: (id: string, state: string) => void = () => undefined, rate = 0) {
  const { store, cluster, roster, enrolled, root } = await anAuthority();
  const recorded: Parameters<AuditLog['write']>[0][] = [];
  const refused: string[] = [];
  const audit = {
    write: (fields: Parameters<AuditLog['write']>[0]) => {
      recorded.push(fields);
      return { chain: 'acl1', number: 0 };
    },
    refuse: ({ code }: Parameters<AuditLog['refuse']>[0]) => {
      refused.push(code);
      return { chain: 'acl1', number: 0 };
    },
  };
  const clock = { now: NOW };
  const tokens = await Tokens.follow(new MemoryStore('tokens'), () => NOW);
  const read: string[] = [];
  const done = new MemoryStore('tokens');
  const admin = new Admin(
    { roles: { cluster }, clock: { skewMs: 1000, now: () => clock.now, own: () => clock.now } },
    {
      roster,
      policies: { current: { hasFullAccess: (account) => account.endsWith('root') } },
      audit,
      budget: new Budget({ rate, burst: 1 }),
      once: new OnceOnly(done, () => NOW),
    },
    {
      key: keyHandler(roster, new Room(roster, () => ({ max_minions: 0 })), { decided: failing }),
      account: accountHandler(roster, () => 'root'),
      token: tokenHandler(tokens),
      audit: (fun) => Promise.resolve(ok(String(read.push(fun)))),
    },
  );
  const signed = (by: Identity, what: Request['what'], fun: string, ...args: readonly Arg[]) => {
    const request = aRequest(NOW, { what, funs: [fun], args: [[...args]], tgt: '' });
    const body = signedBy(by.signing, cluster, request);
    const party = { owner: { type: 'identity', key: by.publicKey } };
    return { body, party } as unknown as Opened<typeof contracts.admin>;
  };
  const answerTo = (...asked: Parameters<typeof signed>) => admin.handle(signed(...asked));
  const askAs = async (...asked: Parameters<typeof answerTo>) => {
    const { refusal, result } = await answerTo(...asked);
    return refusal?.code ?? result;
  };
  return {
    store,
    done,
    roster,
    recorded,
    refused,
    clock,
    admin,
    signed,
    tokens,
    read,
    root,
    enrolled,
    askAs,
    answerTo,
    ask: (fun: string, ...args: readonly Arg[]) => askAs(root, 'key', fun, ...args),
    pending: async (id: string, state: KeyState = 'pending') => {
      const { publicKey } = await enrolled('minion', id, state);
      return { id, fingerprint: fingerprint(publicKey) };
    },
  };
}

describe('a request to the authority', () => {
  it.each([
    ['keys', 'key', 'key.accept', { id: 'web1' }],
    ['accounts', 'key', 'account.remove', { name: 'fred' }],
    ['tokens', 'token', 'token.revoke', { user: 'zoe' }],
    ['the audit', 'audit', 'audit.read', {}],
    ['an archive', 'audit', 'audit.archive', {}],
    ['what is archived', 'audit', 'audit.sweep', {}],
  ] as const)('about %s does nothing for an account without full access; root’s is heard', async (...row) => {
    const [, what, fun, named] = row;
    const told: string[] = [];
    const { roster, tokens, read, root, enrolled, pending, askAs } = await aWorld((id) => void told.push(id));
    const fred = await enrolled('account', 'fred', 'accepted');
    const web1 = await pending('web1');
    await tokens.issue({
      use: 'session',
      eauth: 'pam',
      name: 'zoe',
      groups: [],
      start: 0,
      expires: NOW + 1,
      list: null,
    });
    const all = async () => [roster.records(), await tokens.list(), [...told], [...read]];
    const before = await all();
    const of = 'id' in named ? web1.fingerprint : fingerprint(fred.publicKey);
    const arg = 'user' in named ? named : { ...named, fingerprint: of };
    expect(await askAs(fred, what, fun, arg)).toBe('not_permitted');
    expect(await all()).toEqual(before);
    await askAs(root, what, fun, arg);
    expect(await all()).not.toEqual(before);
  });

  it('that says it is something else is refused, also to root, and changes nothing', async () => {
    const { askAs, root, pending, roster } = await aWorld();
    const web1 = await pending('web1');
    for (const what of ['job', 'run', 'wheel', 'token', 'audit'] as const)
      expect(await askAs(root, what, 'key.accept', web1)).toBe('bad_request');
    expect([...roster.acceptedMinions()]).toEqual([]);
    expect(await askAs(root, 'key', 'key.accept', web1)).toEqual(['web1']);
  });

  it('that comes again, as of whoever hears nothing for a moment, is refused; the audit tells of one that comes later', async () => {
    const { admin, signed, root, pending, clock, refused } = await aWorld();
    const asked = signed(root, 'key', 'key.accept', await pending('web1'));
    const codes = async () => (await admin.handle(asked)).refusal?.code;
    expect([await codes(), await codes(), refused]).toEqual([undefined, 'already_ran', []]);
    clock.now += 30_000;
    expect([await codes(), refused]).toEqual(['already_ran', ['already_ran']]);
  });

  it('of one account beyond its budget is told to slow down, and changes nothing; another’s is heard', async () => {
    const { askAs, ask, enrolled, pending, roster } = await aWorld(undefined, 1);
    const other = await enrolled('account', 'other-root', 'accepted');
    const [web1, web2] = [await pending('web1'), await pending('web2')];
    expect(await ask('key.accept', web1)).toEqual(['web1']);
    expect(await ask('key.accept', web2)).toBe('slow_down');
    expect([...roster.acceptedMinions()]).toEqual(['web1']);
    expect(await askAs(other, 'key', 'key.accept', web2)).toEqual(['web2']);
  });
});

it('the audit says of an archive that it is one, and who asked; not of each page that is read, or deleted for it', async () => {
  const { askAs, root, recorded } = await aWorld();
  for (const fun of ['audit.read', 'audit.cut', 'audit.archive', 'audit.sweep']) await askAs(root, 'audit', fun);
  const caller = { kind: 'account', name: 'root' };
  expect(recorded).toMatchObject([
    { what: 'key', caller, verdict: 'allow', detail: { fun: 'audit.cut' } },
    { what: 'archive', caller, verdict: 'allow', detail: { fun: 'audit.archive' } },
  ]);
});

it('a list that no message carries is refused, and so is a key whose name is as long as a request, in words that one carries', async () => {
  const { askAs, answerTo, root, tokens, recorded } = await aWorld();
  const entry = { use: 'session', eauth: 'ldap', name: 'zoe', start: 0, expires: NOW + 1, list: null } as const;
  const groups = Array.from({ length: 1000 }, (_, n) => `group ${String(n)} of a large directory`);
  for (let n = 0; n < 100; n += 1) await tokens.issue({ ...entry, groups });
  expect(await askAs(root, 'token', 'token.list')).toMatchObject({ tokens: { length: 100 } });
  for (let n = 0; n < 200; n += 1) await tokens.issue({ ...entry, groups });
  const told = await askAs(root, 'token', 'token.list');
  expect([told, recorded.at(-1)?.verdict]).toEqual(['bad_request', 'refuse']);
  const { refusal } = await answerTo(root, 'key', 'key.delete', { id: 'x'.repeat(1 << 20), fingerprint: '' });
  expect(() => writeAs(contracts.adminDone.schema, { refusal, result: null })).not.toThrow();
});

it('the audit says whose tokens were ended, by a name or by the beginning of an id; of none, nobody’s', async () => {
  const { askAs, root, tokens, recorded } = await aWorld();
  const entry = { use: 'session' as const, groups: [], start: 0, expires: NOW + 1, list: null };
  const revoke = async (arg: Arg) => {
    const told = await askAs(root, 'token', 'token.revoke', arg);
    return [told, recorded.at(-1)?.detail['users']];
  };
  for (const eauth of ['ldap', 'pam', 'ldap']) await tokens.issue({ ...entry, eauth, name: 'zoe' });
  await tokens.issue({ ...entry, eauth: 'file', name: 'fred' });
  const [users, one] = [['ldap/zoe', 'pam/zoe'], ['file/fred']];
  const [told, recordedUsers] = await revoke({ user: 'ZOE' });
  expect(told).toMatchObject({ revoked: 3 });
  expect([...(recordedUsers as readonly string[])].sort()).toEqual(users);
  expect(await revoke({ id: (await tokens.list())[0]?.id ?? '' })).toMatchObject([{ revoked: 1 }, one]);
  expect(await revoke({ user: 'zoe' })).toMatchObject([{ revoked: 0 }, []]);
  expect(await revoke({ id: '00000000' })).toEqual(['bad_request', undefined]);
});

const fails = (name: string) => () => Promise.reject(Object.assign(new Error('the broker does not answer'), { name }));

it('what only reads is answered also where nothing can be stored; what would change something is not begun', async () => {
  const { askAs, root, done, roster, pending } = await aWorld();
  const web1 = await pending('web1');
  done.create = fails('TimeoutError');
  const answers = [
    await askAs(root, 'key', 'key.list'),
    await askAs(root, 'key', 'account.list'),
    await askAs(root, 'token', 'token.list'),
    await askAs(root, 'audit', 'audit.read'),
  ];
  expect(answers).not.toContain('store_unavailable');
  expect(await askAs(root, 'key', 'key.accept', web1)).toBe('store_unavailable');
  expect(await askAs(root, 'token', 'token.revoke', { user: 'zoe' })).toBe('store_unavailable');
  expect([...roster.acceptedMinions()]).toEqual([]);
});

describe('the audit of a request about keys', () => {
  it.each([
    ['first', true],
    ['last', false],
  ])('names the key that was accepted, and the one that was refused, when that comes %s', async (_where, isFirst) => {
    const { ask, recorded, pending, roster } = await aWorld();
    const good = await pending('good');
    const bad = { id: 'bad', fingerprint: good.fingerprint };
    expect(await ask('key.accept', ...(isFirst ? [bad, good] : [good, bad]))).toBe('key_mismatch');
    expect([...roster.acceptedMinions()]).toEqual(['good']);
    expect(recorded).toHaveLength(1);
    expect(recorded[0]).toMatchObject({
      verdict: 'allow',
      rule: null,
      detail: {
        fun: 'key.accept',
        keys: [{ change: 'accept', ...good }],
        refused: [{ change: 'accept', ...bad, code: 'key_mismatch' }],
        complete: false,
      },
    });
  });

  it('is a refusal when no key was changed', async () => {
    const { ask, recorded, pending } = await aWorld();
    const { fingerprint: of } = await pending('good');
    expect(await ask('key.accept', { id: 'bad', fingerprint: of })).toBe('key_mismatch');
    expect(recorded[0]).toMatchObject({
      verdict: 'refuse',
      rule: 'key_mismatch',
      detail: { keys: [], complete: false },
    });
  });

  it('names every key of many, in records that fit', async () => {
    const { ask, recorded, pending } = await aWorld();
    const many = await Promise.all(Array.from({ length: 130 }, (_, n) => pending(`web${String(n)}`)));
    await ask('key.reject', ...many);
    expect(recorded.map(({ detail }) => (detail['keys'] as readonly unknown[]).length)).toEqual([64, 64, 2]);
    expect(recorded.flatMap(({ detail }) => detail['keys'])).toEqual(many.map((key) => ({ change: 'reject', ...key })));
  });

  it('names a key as far as that can be recorded: no half of a character ends what it was called', async () => {
    const { ask, recorded } = await aWorld();
    const called = { id: `${'x'.repeat(254)}\u{1f600}`, fingerprint: `${'a'.repeat(127)}\u{1f600}` };
    expect(await ask('key.delete', called)).toBe('key_mismatch');
    const cut = { id: `${'x'.repeat(254)}\ufffd`, fingerprint: `${'a'.repeat(127)}\ufffd` };
    expect(recorded[0]?.detail).toMatchObject({ refused: [{ change: 'delete', ...cut, code: 'key_mismatch' }] });
  });

  it('quotes arguments of any size as far as they fit, and says how large they were', async () => {
    const { ask, recorded } = await aWorld();
    expect(await ask('key.accept', { id: 'web1' }, { id: 'x'.repeat(5 << 20) })).toBe('bad_request');
    expect(recorded).toHaveLength(1);
    expect(recorded[0]?.detail).toMatchObject({
      fun: 'key.accept',
      args: [{ id: 'web1' }],
      args_cut: { bytes: expect.any(Number) as number, digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    });
    expect(await ask('key.accept', { id: 'web2' })).toBe('bad_request');
    expect(recorded[1]?.detail).toMatchObject({ args: [{ id: 'web2' }] });
    expect(recorded[1]?.detail).not.toHaveProperty('args_cut');
  });

  it.each(['TimeoutError', 'JetStreamApiError', 'NoResponders'])(
    'is written, and the caller hears it, when the store fails with %s after a key was changed',
    async (name) => {
      const { ask, recorded, pending, store, roster } = await aWorld();
      const [gone, other] = [await pending('gone', 'accepted'), await pending('other')];
      store.delete = fails(name);
      expect(await ask('key.delete', gone, other)).toBe('store_unavailable');
      expect([...roster.acceptedMinions()]).toEqual([]);
      expect(recorded).toHaveLength(1);
      expect(recorded[0]).toMatchObject({
        verdict: 'allow',
        detail: { keys: [{ change: 'delete', ...other }], refused: [{ ...gone, code: 'failed' }], complete: false },
      });
      expect(await ask('key.delete', { id: 'gone', fingerprint: gone.fingerprint })).toBe('key_mismatch');
    },
  );

  it('is a refusal with the store’s code when nothing was changed', async () => {
    const { ask, recorded, pending, store } = await aWorld();
    const waits = await pending('waits');
    store.get = fails('TimeoutError');
    store.create = () => Promise.resolve(undefined);
    expect(await ask('key.accept', waits)).toBe('store_unavailable');
    expect(recorded[0]).toMatchObject({ verdict: 'refuse', rule: 'store_unavailable', detail: { keys: [] } });
  });

  it('is written when the program itself is at fault, which its log hears of', async () => {
    const { ask, recorded, pending } = await aWorld(() => {
      throw new TypeError('x is not a function');
    });
    const key = await pending('web1');
    await expect(ask('key.accept', key)).rejects.toThrow('x is not a function');
    expect(recorded[0]).toMatchObject({
      verdict: 'refuse',
      rule: null,
      detail: { refused: [{ ...key, code: 'failed' }] },
    });
  });

  it('names the keys that were enrolled when the store does not take another', async () => {
    const { ask, recorded, store } = await aWorld();
    const cards = ['bad', 'good'].map((id) => {
      const { publicKey, nkeyPublic } = identityFrom(newIdentitySecret());
      return { id, identity: toHex(publicKey), nkey: toHex(nkeyPublic), fingerprint: fingerprint(publicKey) };
    });
    const create = store.create.bind(store);
    let created = 0;
    store.create = (...of) => {
      created += 1;
      return created === 1 ? fails('TimeoutError')() : create(...of);
    };
    const [bad, good] = cards.map(({ id, fingerprint: of }) => ({ change: 'accept', id, fingerprint: of }));
    expect(await ask('key.enrol', ...cards.map(({ id, identity, nkey }) => ({ id, identity, nkey })))).toBe(
      'store_unavailable',
    );
    expect(recorded[0]).toMatchObject({
      verdict: 'allow',
      detail: { keys: [good], refused: [{ ...bad, code: 'failed' }] },
    });
  });
});
