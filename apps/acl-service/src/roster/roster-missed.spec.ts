/** Rules of records that come before the keys that they are read with: they count as soon as those are there, and not before. */
import { MemoryStore, SealedStore } from '@natrium/bus';
import { clusterOf, identityFrom, newIdentitySecret, SigningKey, sodiumReady } from '@natrium/envelope';
import type { KeyRecord } from '@natrium/flow';
import { Roster } from './roster.js';

const storageKey = { id: 'one', key: new Uint8Array(32).fill(1) };

let raw: MemoryStore;
let cluster: ReturnType<typeof clusterOf>;
beforeAll(sodiumReady);
beforeEach(() => {
  raw = new MemoryStore('roster');
  cluster = clusterOf(SigningKey.generate().publicKey);
});

/** @param storage Ids of the storage keys that its host has. @param aclKeys As its roles document has them. */
async function aReplica(acl: SigningKey, aclKeys: readonly Uint8Array[], storage: readonly string[]) {
  const byId = (id: string) => (storage.includes(id) ? storageKey : undefined);
  const store = new SealedStore(raw, { newest: storageKey, byId }, () => undefined);
  const keys = { acl, aclKeys: () => aclKeys, cluster, nameKey: storageKey, onSpoilt: () => undefined };
  return { store, roster: await Roster.open(store, keys) };
}

function aKey(): Omit<KeyRecord, 'revision'> {
  const { publicKey: identity, nkeyPublic: nkey } = identityFrom(newIdentitySecret());
  return { kind: 'minion', name: 'web1', identity, nkey, state: 'accepted' };
}

it('a key is taken away by a newer acl key as soon as the roles document names that', async () => {
  const [acl, next] = [SigningKey.generate(), SigningKey.generate()];
  const known = [acl.publicKey];
  const { store, roster: late } = await aReplica(acl, known, ['one']);
  const { roster } = await aReplica(next, [acl.publicKey, next.publicKey], ['one']);
  const web1 = aKey();
  await late.write(web1);
  expect(late.isInDoubt).toBe(false);
  await roster.write({ ...web1, state: 'deleted' });
  await store.readMissed();
  expect([late.callerOf(web1.identity)?.name, late.isInDoubt, late.isInDoubtAbout(web1.identity)]).toEqual(['web1', true, true]); // prettier-ignore
  known.push(next.publicKey);
  await store.readMissed();
  expect([late.callerOf(web1.identity), late.isInDoubt]).toEqual([undefined, false]);
});

it('a replica that starts without a storage key knows whom a record takes away once that key is there', async () => {
  const acl = SigningKey.generate();
  const storage: string[] = [];
  const { roster } = await aReplica(acl, [acl.publicKey], ['one']);
  const web1 = aKey();
  await roster.write(web1);
  await roster.write({ ...web1, state: 'deleted' });
  const { store, roster: late } = await aReplica(acl, [acl.publicKey], storage);
  expect([late.records(), late.isInDoubtAbout(web1.identity)]).toEqual([[], true]);
  storage.push('one');
  await store.readMissed();
  expect([late.byKey(web1.identity)?.state, late.isInDoubt]).toEqual(['deleted', false]);
});

it('a name that does not open is no record', async () => {
  const acl = SigningKey.generate();
  const { roster } = await aReplica(acl, [acl.publicKey], ['one']);
  await raw.put('n.one', Uint8Array.of(1));
  expect(roster.isInDoubt).toBe(false);
  await raw.put('k.one', Uint8Array.of(1));
  expect(roster.isInDoubt).toBe(true);
});

it('what belongs to a key is nobody’s when that was taken away or has no record, and not while one cannot be read', async () => {
  const acl = SigningKey.generate();
  const storage = ['one'];
  const { store, roster } = await aReplica(acl, [acl.publicKey], storage);
  const [web1, db1] = [aKey(), { ...aKey(), name: 'db1' }];
  const { identity } = web1;
  expect(roster.isNobodys(identity)).toBe(true);
  for (const state of ['pending', 'accepted', 'rejected'] as const) {
    await roster.write({ ...web1, state });
    expect(roster.isNobodys(identity)).toBe(false);
  }
  await roster.write({ ...web1, state: 'deleted' });
  expect(roster.isNobodys(identity)).toBe(true);
  storage.pop();
  const { roster: other } = await aReplica(acl, [acl.publicKey], ['one']);
  for (const key of [web1, db1]) await other.write({ ...key, state: 'accepted' });
  expect([roster.isNobodys(identity), roster.isNobodys(db1.identity)]).toEqual([false, false]);
  storage.push('one');
  await store.readMissed();
  expect([roster.isNobodys(identity), roster.isNobodys(db1.identity)]).toEqual([false, false]);
});
