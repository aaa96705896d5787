/**
 * Rules of a succession in the roster: the name is never without an accepted key, whatever dies in between; whoever decides
 * about the old key at the same time wins; and only the next key's place is taken, by nobody else.
 */
import { MemoryStore } from '@natrium/bus';
import {
  announce,
  clusterOf,
  identityFrom,
  newIdentitySecret,
  randomBytes,
  type Signed,
  SigningKey,
  sodiumReady,
} from '@natrium/envelope';
import type { KeyRecord, KeyState } from '@natrium/flow';
import { Roster } from './roster.js';

/** A store of which this process's writes end at some point, as if it had been killed. */
class DyingStore extends MemoryStore {
  /** Writes that still happen. */
  left = Number.POSITIVE_INFINITY;

  override create(key: string, value: Uint8Array): Promise<number | undefined> {
    return this.#alive() ? super.create(key, value) : NEVER;
  }

  override update(key: string, value: Uint8Array, revision: number): Promise<number | undefined> {
    return this.#alive() ? super.update(key, value, revision) : NEVER;
  }

  #alive(): boolean {
    this.left -= 1;
    return this.left >= 0;
  }
}

const NEVER = Promise.reject(new Error('killed'));
NEVER.catch(() => undefined);

let store: DyingStore;
let keys: Parameters<typeof Roster.open>[1];
let uptime: number;
beforeAll(sodiumReady);
beforeEach(() => {
  uptime = 0;
  store = new DyingStore('roster');
  const acl = SigningKey.generate();
  const cluster = clusterOf(SigningKey.generate().publicKey);
  keys = {
    acl,
    aclKeys: () => [acl.publicKey],
    cluster,
    nameKey: { id: 'one', key: new Uint8Array(32).fill(1) },
    onSpoilt: () => undefined,
    uptime: () => uptime,
  };
});

const open = () => Roster.open(store, keys);

function aKey(state: KeyState = 'accepted'): Omit<KeyRecord, 'revision'> & { readonly announcement: Signed } {
  const { publicKey: identity, nkeyPublic: nkey, signing } = identityFrom(newIdentitySecret());
  const announcement = announce(signing, keys.cluster, {
    owner: { type: 'identity', key: identity },
    use: 'jobs',
    epochKey: randomBytes(32),
    notBefore: 1,
    notAfter: 2,
    rolesSerial: 1,
  });
  return { kind: 'minion', name: 'web1', identity, nkey, state, announcement };
}

async function accepted(roster: Roster) {
  const old = aKey();
  const written = await roster.write(old);
  if (written === undefined) throw new Error('not accepted');
  return written.record;
}

const acceptedIn = (roster: Roster) =>
  roster
    .records()
    .filter(({ state }) => state === 'accepted')
    .map(({ identity }) => identity);

describe('a succession', () => {
  it('puts the next key in the place of the accepted one, under its name', async () => {
    const roster = await open();
    const [old, next] = [await accepted(roster), aKey()];
    expect(await roster.succeed(old, next, next.announcement)).toBe(true);
    expect(acceptedIn(roster)).toEqual([next.identity]);
    expect(roster.keyOfMinion('web1')).toEqual(next.identity);
    expect(roster.callerOf(old.identity)).toBeUndefined();
    expect([roster.wasSucceeded(old.identity), roster.wasSucceeded(next.identity)]).toEqual([true, false]);
    const third = aKey();
    expect(await roster.write(third)).toBeUndefined();
  });

  it('a key that an operator takes away was not succeeded', async () => {
    const roster = await open();
    const old = await accepted(roster);
    await roster.write({ ...old, state: 'deleted' });
    expect(roster.wasSucceeded(old.identity)).toBe(false);
  });

  it('is the same after a restart, and under another key of the acl role', async () => {
    const roster = await open();
    const [old, next] = [await accepted(roster), aKey()];
    await roster.succeed(old, next, next.announcement);
    const acl = SigningKey.generate();
    const both = [acl.publicKey, keys.acl.publicKey];
    const later = await Roster.open(store, { ...keys, acl, aclKeys: () => both });
    expect(await later.signAnew()).toBe(2);
    const after = await Roster.open(store, { ...keys, acl, aclKeys: () => [acl.publicKey] });
    expect(acceptedIn(after)).toEqual([next.identity]);
    expect(after.wasSucceeded(old.identity)).toBe(true);
  });

  it.each([0, 1, 2, 3])(
    'has a key for the name whenever its process dies (at write %d), and is finished by the next',
    async (writes) => {
      const dying = await open();
      const [old, next] = [await accepted(dying), aKey()];
      store.left = writes;
      await expect(dying.succeed(old, next, next.announcement)).rejects.toThrow('killed');
      store.left = Number.POSITIVE_INFINITY;
      const roster = await open();
      expect(acceptedIn(roster).length).toBeGreaterThanOrEqual(1);
      expect(roster.keyOfMinion('web1')).toEqual(writes < 3 ? old.identity : next.identity);
      expect(await roster.succeed(old, next, next.announcement)).toBe(true);
      expect(acceptedIn(roster)).toEqual([next.identity]);
    },
  );

  /** A process has died with its first write; another is there, and a third key. */
  async function begun() {
    const dying = await open();
    const [old, next] = [await accepted(dying), aKey()];
    store.left = 1;
    await expect(dying.succeed(old, next, next.announcement)).rejects.toThrow('killed');
    store.left = Number.POSITIVE_INFINITY;
    return { roster: await open(), old, next, third: aKey() };
  }

  it('that died with its first write leaves the name to nobody when the old key is taken away', async () => {
    const { roster, old, third } = await begun();
    await roster.write({ ...old, state: 'deleted' });
    expect(await roster.write(third)).toBeDefined();
  });

  it('that died with its first write keeps the name from any third key for as long as the old one is accepted', async () => {
    const { roster, old, next, third } = await begun();
    for (const ms of [0, 60_000, 60_000]) {
      uptime += ms;
      expect(await roster.write(third)).toBeUndefined();
    }
    expect(await roster.succeed(old, next, next.announcement)).toBe(true);
    expect(acceptedIn(roster)).toEqual([next.identity]);
  });

  it('asked of two replicas at once happens once, and the name has one key', async () => {
    const [one, two] = [await open(), await open()];
    const [old, next] = [await accepted(one), aKey()];
    await Promise.all([one.succeed(old, next, next.announcement), two.succeed(old, next, next.announcement)]);
    expect(acceptedIn(one)).toEqual([next.identity]);
    expect(acceptedIn(two)).toEqual([next.identity]);
  });

  it('by two keys at once is won by one', async () => {
    const [one, two] = [await open(), await open()];
    const [old, next, other] = [await accepted(one), aKey(), aKey()];
    const won = await Promise.all([
      one.succeed(old, next, next.announcement),
      two.succeed(old, other, other.announcement),
    ]);
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(acceptedIn(one)).toEqual([won[0] ? next.identity : other.identity]);
  });

  it('brings nobody in when the old key is taken away meanwhile, at whichever of its writes', async () => {
    for (const at of [1, 2, 3, 4]) {
      store = new DyingStore('roster');
      const [one, operator] = [await open(), await open()];
      const [old, next] = [await accepted(one), aKey()];
      const update = store.update.bind(store);
      let writes = 0;
      const takeAway = async () => {
        writes += 1;
        if (writes === at) await operator.write({ ...old, state: 'deleted' });
      };
      const create = store.create.bind(store);
      store.create = async (key, value) => {
        await takeAway();
        return create(key, value);
      };
      store.update = async (key, value, revision) => {
        await takeAway();
        return update(key, value, revision);
      };
      expect(await one.succeed(old, next, next.announcement)).toBe(false);
      expect(acceptedIn(one)).toEqual([]);
      expect(await operator.write(aKey())).toBeDefined();
    }
  });
});
