/**
 * Rules of the list at the broker. While the roster is not whole, nobody comes back for the lack of a record, and more can be cut off;
 * an identity that was succeeded hears for a while what was on its way to it.
 */
import { jest } from '@jest/globals';
import { MemoryStore, SealedStore } from '@natrium/bus';
import {
  clusterOf,
  identityFrom,
  newIdentitySecret,
  randomBytes,
  SigningKey,
  sodiumReady,
  type StorageKey,
} from '@natrium/envelope';
import type { KeyRecord, KeyState } from '@natrium/flow';
import { Arrivals } from '@natrium/testing';
import { nameOf } from './revocation-list.js';
import { RevocationPush } from './revocation-push.js';
import { Roster } from '../roster/roster.js';

type Next = Omit<KeyRecord, 'revision'>;

const [OLD, NEW] = ['old', 'new'].map((id, n): StorageKey => ({ id, key: new Uint8Array(32).fill(n + 1) }));

let raw: MemoryStore;
let keys: Parameters<typeof Roster.open>[1];
let atBroker: readonly string[];
let written: Arrivals<readonly string[]>;
const opened: RevocationPush[] = [];
beforeAll(sodiumReady);
beforeEach(() => {
  raw = new MemoryStore('roster');
  const acl = SigningKey.generate();
  keys = {
    acl,
    aclKeys: () => [acl.publicKey],
    cluster: clusterOf(SigningKey.generate().publicKey),
    nameKey: { id: 'names', key: new Uint8Array(32).fill(9) },
    onSpoilt: () => undefined,
  };
  atBroker = [];
  written = new Arrivals('a revocation list at the broker');
});

afterEach(() => {
  // What one of them still has to push is not the next rule's.
  for (const push of opened.splice(0)) push.close();
  jest.useRealTimers();
});

/** A host of the acl-service, with the storage keys that have come there; the first seals. */
async function aReplica(...own: StorageKey[]) {
  const byId = (id: string) => own.find((key) => key.id === id);
  const storage = { byId, newest: own[0]! };
  const store = new SealedStore(raw, storage, () => undefined);
  const roster = await Roster.open(store, keys);
  const push = new RevocationPush(
    {
      read: () => Promise.resolve(atBroker),
      write: (revoked) => {
        atBroker = revoked;
        written.push(revoked);
        return Promise.resolve();
      },
    },
    roster,
    { error: () => undefined },
    new Set(),
  );
  opened.push(push);
  roster.onChange((record, { before }) => {
    push.heed(record, before);
  });
  const hears = async (key: StorageKey) => {
    own.push(key);
    await store.readMissed();
  };
  return { roster, push, hears };
}

function aKey(name: string): Next {
  const identity = identityFrom(newIdentitySecret());
  return { kind: 'minion', name, identity: identity.publicKey, nkey: identity.nkeyPublic, state: 'accepted' };
}

const as = (key: Next, state: KeyState): Next => ({ ...key, state });
const cutOff = (...some: readonly Next[]) => some.map(nameOf).sort();

it('keeps whoever is cut off by a record that cannot be read, and cuts off more; with its key the list is whole', async () => {
  const [whole, late] = [await aReplica(NEW!, OLD!), await aReplica(OLD!)];
  const [web1, web2, db1] = [aKey('web1'), aKey('web2'), aKey('db1')];
  for (const key of [web1, web2, db1]) await late.roster.write(key);
  await whole.roster.write(as(web1, 'deleted'));
  atBroker = cutOff(web1);
  await late.push.begin();
  expect(atBroker).toEqual(cutOff(web1));
  await late.roster.write(as(db1, 'deleted'));
  await written.next((list) => list.length === 2);
  expect(atBroker).toEqual(cutOff(web1, db1));
  await late.hears(NEW!);
  await late.roster.write(as(web2, 'deleted'));
  await written.next((list) => list.length === 3);
  expect(atBroker).toEqual(cutOff(web1, web2, db1));
});

it('lets in again whose own record can be read; whose newest cannot stays out, though an earlier one let it in', async () => {
  const [whole, late] = [await aReplica(NEW!, OLD!), await aReplica(OLD!)];
  const [web1, db1] = [aKey('web1'), aKey('db1')];
  for (const key of [web1, db1]) await late.roster.write(key);
  await whole.roster.write(as(web1, 'deleted'));
  await late.roster.write(as(db1, 'deleted'));
  atBroker = cutOff(web1, db1);
  await late.roster.write(as(db1, 'accepted'));
  await late.push.begin();
  expect(late.roster.byKey(web1.identity)?.state).toBe('accepted');
  expect(atBroker).toEqual(cutOff(web1));
});

it('makes the list from the roster alone where all of it can be read', async () => {
  const { roster, push } = await aReplica(OLD!);
  const [web1, gone] = [aKey('web1'), aKey('gone')];
  await roster.write(web1);
  atBroker = cutOff(web1, gone);
  await push.begin();
  expect(atBroker).toEqual([]);
});

it('is written again where the broker was busy, also where just this list is there: the account around it may be older', async () => {
  const [whole, late] = [await aReplica(NEW!, OLD!), await aReplica(OLD!)];
  const web1 = aKey('web1');
  await late.roster.write(web1);
  await whole.roster.write(as(web1, 'deleted'));
  const taken = new Arrivals<readonly string[]>('a list that the broker takes');
  let writes = 0;
  const write = (revoked: readonly string[]) => {
    writes += 1;
    if (writes === 1) return Promise.reject(new Error('the broker is busy'));
    taken.push(revoked);
    return Promise.resolve();
  };
  const resolver = { read: () => Promise.resolve(cutOff(web1)), write };
  await new RevocationPush(resolver, late.roster, { error: () => undefined }, new Set()).begin();
  expect(await taken.next()).toEqual(cutOff(web1));
});

it('an identity that was succeeded is cut off 90 s later, and not before', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance'] });
  const { roster, push } = await aReplica(OLD!);
  const [web1, next, db1] = [aKey('web1'), aKey('web1'), aKey('db1')];
  await roster.write(db1);
  const old = await roster.write(web1);
  await push.begin();
  expect(await roster.succeed(old!.record, next, { bytes: randomBytes(9), signature: randomBytes(64) })).toBe(true);
  jest.advanceTimersByTime(89_999);
  await roster.write(as(db1, 'deleted'));
  expect(await written.next((list) => list.length > 0)).toEqual(cutOff(db1));
  jest.advanceTimersByTime(1);
  expect(await written.next((list) => list.length > 1)).toEqual(cutOff(web1, db1));
});
