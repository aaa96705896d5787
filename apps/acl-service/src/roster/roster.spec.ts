/** Rules of the roster: one key never has two names, one name never two accepted keys, whoever races; only acl's word counts. */
import { MemoryStore } from '@natrium/bus';
import {
  clusterOf,
  encode,
  fp,
  identityFrom,
  newIdentitySecret,
  signRoster,
  SigningKey,
  sodiumReady,
  type Wire,
} from '@natrium/envelope';
import type { KeyRecord, KeyState } from '@natrium/flow';
import { seeded } from '@natrium/testing';
import { records, writeAs } from '@natrium/wire';
import { Roster } from './roster.js';

type Next = Omit<KeyRecord, 'revision'>;

let store: MemoryStore;
let acl: SigningKey;
let keys: Parameters<typeof Roster.open>[1];
let uptime: number;
beforeAll(sodiumReady);
beforeEach(() => {
  uptime = 0;
  store = new MemoryStore('roster');
  acl = SigningKey.generate();
  keys = {
    acl,
    aclKeys: () => [acl.publicKey],
    cluster: clusterOf(SigningKey.generate().publicKey),
    nameKey: { id: 'one', key: new Uint8Array(32).fill(1) },
    onSpoilt: () => undefined,
    uptime: () => uptime,
  };
});

const open = () => Roster.open(store, keys);

function aKey(name: string, state: KeyState = 'pending', kind: KeyRecord['kind'] = 'minion'): Next {
  const identity = identityFrom(newIdentitySecret());
  return { kind, name, identity: identity.publicKey, nkey: identity.nkeyPublic, state };
}

const as = (record: Next, state: KeyState): Next => ({ ...record, state });

describe('the roster', () => {
  it('tells every replica of a new key and of what becomes of it', async () => {
    const [one, two] = [await open(), await open()];
    const web1 = aKey('web1');
    await one.write(web1);
    expect([two.byKey(web1.identity)?.state, two.count('pending')]).toEqual(['pending', 1]);
    expect(two.callerOf(web1.identity)).toBeUndefined();
    await two.write(as(web1, 'accepted'));
    expect(one.callerOf(web1.identity)).toEqual({ kind: 'minion', name: 'web1' });
    expect([...one.acceptedMinions()]).toEqual(['web1']);
    expect(one.keyOfMinion('web1')).toEqual(web1.identity);
    expect(one.byKey(web1.identity)?.revision).toBe(2);
  });

  it('knows a key by the name of its subjects, and who is accepted by the NATS key', async () => {
    const roster = await open();
    const [web1, web2] = [aKey('web1', 'accepted'), { ...aKey('web2'), nkey: aKey('web1').nkey }];
    for (const key of [web1, web2]) await roster.write(key);
    const names = ({ identity, nkey }: Next) => [
      roster.byFp(fp(identity))?.name,
      roster.acceptedWith(nkey).map(({ name }) => name),
    ];
    expect([web1, web2, aKey('web3')].map(names)).toEqual([
      ['web1', ['web1']],
      ['web2', []],
      [undefined, []],
    ]);
    await roster.write(as(web2, 'accepted'));
    await roster.write(as(web1, 'deleted'));
    expect([web1, web2].map(names)).toEqual([
      ['web1', []],
      ['web2', ['web2']],
    ]);
  });

  it('is the same after a restart', async () => {
    const web1 = aKey('web1', 'accepted');
    await (await open()).write(web1);
    expect((await open()).callerOf(web1.identity)).toEqual({ kind: 'minion', name: 'web1' });
  });

  it.each(['pending', 'rejected', 'denied', 'deleted'] as const)(
    'gives nobody a voice whose key is %s',
    async (state) => {
      const roster = await open();
      const web1 = aKey('web1', 'accepted');
      await roster.write(web1);
      await roster.write(as(web1, state));
      expect(roster.callerOf(web1.identity)).toBeUndefined();
      expect([...roster.acceptedMinions()]).toEqual([]);
      expect(roster.keyOfMinion('web1')).toBeUndefined();
    },
  );

  it('keeps the kinds apart: a minion and an account may have one name', async () => {
    const roster = await open();
    const [minion, account] = [aKey('root', 'accepted'), aKey('root', 'accepted', 'account')];
    expect(await roster.write(minion)).toBeDefined();
    expect(await roster.write(account)).toBeDefined();
    expect(roster.callerOf(account.identity)).toEqual({ kind: 'account', name: 'root' });
    expect([...roster.acceptedMinions()]).toEqual(['root']);
  });

  it('shows no name in the keys of the bucket', async () => {
    await (await open()).write(aKey('canary', 'accepted'));
    for (const { key } of await store.list('>')) expect(key).not.toContain('canary');
  });

  it('finds by name the accepted key before others, and never a denied or deleted one', async () => {
    const roster = await open();
    const [first, second] = [aKey('web1', 'denied'), aKey('web1', 'accepted')];
    await roster.write(first);
    expect(roster.byName('minion', 'web1')).toBeUndefined();
    await roster.write(second);
    expect(roster.byName('minion', 'web1')?.identity).toEqual(second.identity);
    expect(roster.byName('account', 'web1')).toBeUndefined();
  });
});

describe('a key that was deleted', () => {
  const waiting = (key: Next) => ({
    reply: '_INBOX_JOIN.web1',
    question: new Uint8Array(16),
    announcement: signRoster(acl, keys.cluster, { ...key, revision: 1 }),
  });

  it('is known as such while it waits to come back, on every replica and after a restart, until somebody decides', async () => {
    const [one, two] = [await open(), await open()];
    const web1 = aKey('web1');
    await one.write(web1, waiting(web1));
    expect(one.wasDeleted(web1.identity)).toBe(false);
    for (const state of ['deleted', 'pending', 'pending'] as const) {
      await one.write(as(web1, state), waiting(web1));
      for (const roster of [one, two, await open()]) expect(roster.wasDeleted(web1.identity)).toBe(true);
    }
    await two.write(as(web1, 'accepted'));
    expect(one.wasDeleted(web1.identity)).toBe(false);
  });

  it('is another than one that nobody has heard of', async () => {
    const roster = await open();
    expect(roster.wasDeleted(aKey('web1').identity)).toBe(false);
  });
});

describe('a race', () => {
  it('for one key is won once', async () => {
    const [one, two] = [await open(), await open()];
    const web1 = aKey('web1');
    await one.write(web1);
    const results = await Promise.all([one.write(as(web1, 'accepted')), two.write(as(web1, 'rejected'))]);
    expect(results.filter((won) => won !== undefined)).toHaveLength(1);
    expect(one.byKey(web1.identity)).toEqual(two.byKey(web1.identity));
  });

  it('for one name accepts one key', async () => {
    const [one, two] = [await open(), await open()];
    const [first, second] = [aKey('web1'), aKey('web1')];
    await one.write(first);
    await one.write(second);
    const results = await Promise.all([one.write(as(first, 'accepted')), two.write(as(second, 'accepted'))]);
    expect(results.filter((won) => won !== undefined)).toHaveLength(1);
    expect(one.records().filter(({ state }) => state === 'accepted')).toHaveLength(1);
  });

  it('of one key for two names gives it one', async () => {
    const [one, two] = [await open(), await open()];
    const web1 = aKey('web1');
    const results = await Promise.all([one.write(web1), two.write({ ...web1, name: 'web2' })]);
    expect(results.filter((won) => won !== undefined)).toHaveLength(1);
    expect(one.records().map(({ name }) => name)).toEqual(two.records().map(({ name }) => name));
  });
});

describe('a name', () => {
  it.each([['deleted'], ['rejected', 'deleted'], ['rejected'], ['denied', 'deleted']] as const)(
    'is free again when its key is %s %s',
    async (...states) => {
      const roster = await open();
      const [first, second] = [aKey('web1', 'accepted'), aKey('web1')];
      await roster.write(first);
      await roster.write(second);
      expect(await roster.write(as(second, 'accepted'))).toBeUndefined();
      for (const state of states) await roster.write(as(first, state));
      expect(await roster.write(as(second, 'accepted'))).toBeDefined();
    },
  );

  it('that was claimed in a race that was lost is free when that key is deleted', async () => {
    const roster = await open();
    const [first, second] = [aKey('web1'), aKey('web1')];
    await roster.write(first);
    const behind = await open();
    const update = store.update.bind(store);
    store.update = () => Promise.resolve(undefined);
    expect(await behind.write(as(first, 'accepted'))).toBeUndefined();
    store.update = update;
    await roster.write(as(first, 'deleted'));
    expect(await roster.write({ ...second, state: 'accepted' })).toBeDefined();
  });

  /** A key that is deleted, and has its name still. */
  async function aDeadHolder(roster: Roster): Promise<Next> {
    const dead = aKey('web1', 'accepted');
    await roster.write(dead);
    const remove = store.delete.bind(store);
    store.delete = () => Promise.reject(new Error('the broker does not answer'));
    await expect(roster.write(as(dead, 'deleted'))).rejects.toThrow('does not answer');
    store.delete = remove;
    return dead;
  }

  it('that could not be freed is the next key’s, on every replica', async () => {
    const [one, two] = [await open(), await open()];
    const dead = await aDeadHolder(one);
    expect(two.byKey(dead.identity)?.state).toBe('deleted');
    const [second, third] = [aKey('web1'), aKey('web1')];
    await two.write(second);
    expect(await two.write(as(second, 'accepted'))).toBeDefined();
    expect(await one.write(as(third, 'accepted'))).toBeUndefined();
    expect(one.keyOfMinion('web1')).toEqual(second.identity);
    expect(await one.write(as(dead, 'accepted'))).toBeUndefined();
    await one.write(as(second, 'deleted'));
    expect(await one.write(as(third, 'accepted'))).toBeDefined();
  });

  it.each(['accepted', 'rejected', 'pending'] as const)('that a key has which is %s is not taken', async (state) => {
    const roster = await open();
    const [holder, second] = [aKey('web1', 'accepted'), aKey('web1')];
    await roster.write(holder);
    const remove = store.delete.bind(store);
    store.delete = () => Promise.reject(new Error('the broker does not answer'));
    await roster.write(as(holder, state)).catch(() => undefined);
    store.delete = remove;
    expect(roster.byKey(holder.identity)?.state).toBe(state);
    expect(await roster.write(as(second, 'accepted'))).toBeUndefined();
  });

  it.each(['the next key', 'the dead one'])(
    'has one accepted key when the dead one comes back while the next claims it, at whichever step of %s',
    async (first) => {
      for (let at = 1; at <= 6; at += 1) {
        store = new MemoryStore('roster');
        const [one, two] = [await open(), await open()];
        const dead = as(await aDeadHolder(one), 'accepted');
        const next = aKey('web1', 'accepted');
        const [slow, quick] = first === 'the next key' ? [next, dead] : [dead, next];
        before(at, () => two.write(quick));
        await one.write(slow);
        expect(one.records().filter(({ state }) => state === 'accepted')).toHaveLength(1);
        expect(await two.write(aKey('web1', 'accepted'))).toBeUndefined();
      }
    },
  );

  const MINUTE_MS = 60_000;

  /** A key for which its name was claimed by a process that died before it wrote anything else. */
  async function aClaimant(): Promise<Next> {
    const claimant = aKey('web1', 'accepted');
    const create = store.create.bind(store);
    store.create = (place, value) =>
      place.startsWith('k.') ? Promise.reject(new Error('killed')) : create(place, value);
    await expect((await open()).write(claimant)).rejects.toThrow('killed');
    store.create = create;
    return claimant;
  }

  it('that was claimed by a process that died then is the next key’s a minute after that has asked first', async () => {
    const claimant = await aClaimant();
    const [one, two] = [await open(), await open()];
    const next = aKey('web1', 'accepted');
    expect(await one.write(next)).toBeUndefined();
    uptime += MINUTE_MS - 1;
    expect(await one.write(next)).toBeUndefined();
    uptime += 1;
    expect(await one.write(next)).toBeDefined();
    expect(two.keyOfMinion('web1')).toEqual(next.identity);
    expect(two.byKey(claimant.identity)?.state).toBe('deleted');
    expect(await two.write(claimant)).toBeUndefined();
    await two.write(as(next, 'deleted'));
    expect(await two.write(claimant)).toBeDefined();
  });

  it('that was claimed so is its own key’s at once, and the minute begins anew with each claim', async () => {
    const claimant = await aClaimant();
    const [roster, next] = [await open(), aKey('web1', 'accepted')];
    expect(await roster.write(next)).toBeUndefined();
    expect(await roster.write(claimant)).toBeDefined();
    await roster.write(as(claimant, 'deleted'));
    await aClaimant();
    uptime += MINUTE_MS;
    expect(await roster.write(next)).toBeUndefined();
  });

  it.each(['the next key', 'the one that claimed it'])(
    'has one accepted key when who claimed it had only stood still, at whichever step of %s',
    async (first) => {
      for (let at = 1; at <= 6; at += 1) {
        store = new MemoryStore('roster');
        const claimant = await aClaimant();
        const [one, two] = [await open(), await open()];
        const next = aKey('web1', 'accepted');
        for (const roster of [one, two]) expect(await roster.write(next)).toBeUndefined();
        uptime += MINUTE_MS;
        const [slow, quick] = first === 'the next key' ? [next, claimant] : [claimant, next];
        before(at, () => two.write(quick));
        await one.write(slow);
        expect(one.records().filter(({ state }) => state === 'accepted')).toHaveLength(1);
        expect(await two.write(aKey('web1', 'accepted'))).toBeUndefined();
      }
    },
  );

  it('that is claimed while it is freed stays with whom it was given to', async () => {
    for (let at = 1; at <= 4; at += 1) {
      store = new MemoryStore('roster');
      const [one, two] = [await open(), await open()];
      const [first, second] = [aKey('web1', 'accepted'), aKey('web1', 'accepted')];
      await one.write(first);
      before(at, () => two.write(second));
      await one.write(as(first, 'deleted'));
      if (two.keyOfMinion('web1') === undefined) await two.write(second);
      expect(await two.write(aKey('web1', 'accepted'))).toBeUndefined();
      expect(one.keyOfMinion('web1')).toEqual(second.identity);
    }
  });

  /** Has something happen before the store is asked for the `at`th time. */
  function before(at: number, happens: () => Promise<unknown>): void {
    let asked = 0;
    for (const verb of ['get', 'create', 'update', 'delete'] as const) {
      const original = store[verb].bind(store) as (...of: readonly unknown[]) => Promise<never>;
      store[verb] = async (...of: readonly unknown[]) => {
        asked += 1;
        if (asked === at) await happens();
        return original(...of);
      };
    }
  }

  it('stays with its accepted key when another key of that name is deleted', async () => {
    const roster = await open();
    const [first, second, third] = [aKey('web1', 'accepted'), aKey('web1', 'denied'), aKey('web1')];
    for (const key of [first, second, third]) await roster.write(key);
    await roster.write(as(second, 'deleted'));
    expect(await roster.write(as(third, 'accepted'))).toBeUndefined();
    expect(roster.keyOfMinion('web1')).toEqual(first.identity);
  });
});

describe('a stored record', () => {
  const entry = (record: KeyRecord, by: SigningKey) => {
    const signed = signRoster(by, keys.cluster, record);
    return encode(
      writeAs(records.RosterEntry, { record: signed, reply: null, question: null, announcement: null }) as Wire,
    );
  };

  it('that acl did not sign is nobody', async () => {
    const roster = await open();
    const web1 = { ...aKey('web1', 'accepted'), revision: 1 };
    await store.put('k.one', entry(web1, SigningKey.generate()));
    expect(roster.records()).toEqual([]);
    await store.put('k.one', entry(web1, acl));
    expect(roster.callerOf(web1.identity)).toBeDefined();
  });

  it('of a lower revision than was seen brings nobody back', async () => {
    const roster = await open();
    const web1 = aKey('web1', 'accepted');
    await roster.write(web1);
    const [old] = await store.list('k.*');
    await roster.write(as(web1, 'deleted'));
    await store.put(old!.key, old!.value);
    expect(roster.callerOf(web1.identity)).toBeUndefined();
  });
});

describe('a large fleet', () => {
  /** Counts what it is asked. */
  class CountingStore extends MemoryStore {
    readonly asked = { get: 0, create: 0, update: 0, list: 0 };

    override get(...of: Parameters<MemoryStore['get']>) {
      this.asked.get += 1;
      return super.get(...of);
    }
    override create(...of: Parameters<MemoryStore['create']>) {
      this.asked.create += 1;
      return super.create(...of);
    }
    override update(...of: Parameters<MemoryStore['update']>) {
      this.asked.update += 1;
      return super.update(...of);
    }
    override list(...of: Parameters<MemoryStore['list']>) {
      this.asked.list += 1;
      return super.list(...of);
    }
  }

  it('costs two writes for each that is let in, and no reading, however many are there', async () => {
    const counting = new CountingStore('roster');
    const roster = await Roster.open(counting, keys);
    await Promise.all(Array.from({ length: 300 }, (_, n) => roster.write(aKey(`web${String(n)}`, 'accepted'))));
    expect(roster.acceptedMinions().size).toBe(300);
    expect(counting.asked).toEqual({ get: 0, create: 600, update: 0, list: 0 });
  });

  it('is not verified again where it was signed', async () => {
    const roster = await open();
    const web1 = aKey('web1', 'accepted');
    const written = await roster.write(web1);
    expect(roster.byKey(web1.identity)).toBe(written?.record);
    expect((await open()).byKey(web1.identity)).toEqual(written?.record);
  });
});

it('takes nothing of its own once its key is no longer the acl role’s', async () => {
  const roster = await Roster.open(store, { ...keys, aclKeys: () => [SigningKey.generate().publicKey] });
  const web1 = aKey('web1', 'accepted');
  await roster.write(web1);
  expect(roster.callerOf(web1.identity)).toBeUndefined();
});

describe('what was resolved from the roster', () => {
  it.each(['pending', 'rejected', 'denied', 'deleted'] as const)(
    'stays as it is, on every replica, when a key that nobody let in becomes %s',
    async (state) => {
      const [one, two] = [await open(), await open()];
      for (const key of [aKey('web1', 'accepted'), aKey('root', 'accepted', 'account')]) await one.write(key);
      const rosters = [one, two];
      const seen = () => rosters.map((roster) => [roster.revision, roster.acceptedMinions()]);
      const before = seen();
      const stranger = aKey('web2');
      for (const key of [stranger, as(stranger, state), as(stranger, state)]) await one.write(key);
      for (const [n, [revision, ids]] of seen().entries()) {
        expect(revision).toBe(before[n]![0]);
        expect(ids).toBe(before[n]![1]);
      }
      expect(two.byKey(stranger.identity)?.state).toBe(state);
    },
  );

  it.each(['pending', 'accepted', 'rejected', 'denied', 'deleted'] as const)(
    'counts for nothing any more, on every replica, once a key is let in, and again when it becomes %s',
    async (state) => {
      const [one, two] = [await open(), await open()];
      const web1 = aKey('web1');
      await one.write(web1);
      for (const next of [as(web1, 'accepted'), as(web1, state)]) {
        const before = [one.revision, two.revision];
        await one.write(next);
        expect([one.revision, two.revision]).toEqual(before.map((revision) => revision + 1));
        const there = next.state === 'accepted' ? [next.identity] : [];
        for (const roster of [one, two]) {
          expect([...roster.acceptedMinions()].map((id) => roster.keyOfMinion(id))).toEqual(there);
        }
      }
    },
  );
});

it('counts and names as it would by looking through all of it, whatever becomes of its keys', async () => {
  const roster = await open();
  const below = seeded(3);
  const all = Array.from({ length: 6 }, () => aKey('web'));
  const account = { ...aKey('root', 'accepted'), kind: 'account' } as const;
  await roster.write(account);
  const states = ['pending', 'accepted', 'rejected', 'denied', 'deleted'] as const;
  for (let n = 0; n < 200; n += 1) {
    const key = all[below(6)]!;
    await roster.write({ ...key, name: `web${String(below(3))}`, state: states[below(5)]! });
    const there = roster.records().filter(({ kind }) => kind === 'minion');
    const of = (...some: readonly KeyState[]) => there.filter(({ state }) => some.includes(state)).length;
    expect([roster.count('pending'), roster.count('turned_away')]).toEqual([of('pending'), of('denied', 'rejected')]);
    expect(roster.count('accepted')).toBe(of('accepted'));
    const accepted = there.filter(({ state }) => state === 'accepted').map(({ name, identity }) => [name, identity]);
    const found = [...roster.acceptedMinions()].map((id) => [id, roster.keyOfMinion(id)]);
    expect(new Set(found)).toEqual(new Set(accepted));
    for (const name of ['web0', 'web1', 'web2']) {
      const named = there.filter((record) => record.name === name);
      expect(new Set(roster.named('minion', name))).toEqual(new Set(named));
      expect(roster.named('account', name)).toEqual([]);
    }
  }
});
