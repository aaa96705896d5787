/** Rules of whom a gateway takes for accepted: the acl-service's signed word, and the newest of it. */
import { MemoryStore, SealedStore } from '@natrium/bus';
import { encode, type RosterState, signRoster, SigningKey, sodiumReady, type Wire } from '@natrium/envelope';
import { records, writeAs } from '@natrium/wire';
import { Minions } from './minions.js';

const CLUSTER = new Uint8Array(32).fill(7);
const KEY = new Uint8Array(32).fill(9);

beforeAll(() => sodiumReady());

async function aRoster() {
  const acl = SigningKey.fromSeed(new Uint8Array(32).fill(1));
  const aclKeys = [acl.publicKey];
  const storageKey = { id: 'one', key: new Uint8Array(32).fill(3) };
  const storage = { newest: storageKey, byId: () => storageKey };
  const store = new SealedStore(new MemoryStore('roster'), storage, () => undefined);
  const minions = await Minions.follow(store, CLUSTER, () => aclKeys);
  const put = (state: RosterState, revision: number, signer = acl) => {
    const record = { kind: 'minion' as const, name: 'web1', identity: KEY, nkey: KEY, state, revision };
    const entry = { record: signRoster(signer, CLUSTER, record), reply: null, question: null, announcement: null };
    return store.put('k.web1', encode(writeAs(records.RosterEntry, entry) as Wire));
  };
  return { minions, store, aclKeys, put, ids: () => minions.all().map(({ id }) => id) };
}

it('one is in while its newest record says so', async () => {
  const { put, ids } = await aRoster();
  await put('pending', 1);
  expect(ids()).toEqual([]);
  await put('accepted', 2);
  expect(ids()).toEqual(['web1']);
  await put('deleted', 3);
  expect(ids()).toEqual([]);
});

it('an old record that somebody has put back brings nobody back; a newer one does', async () => {
  const { put, ids, minions } = await aRoster();
  const told: boolean[] = [];
  minions.onStanding(({ accepted }) => told.push(accepted));
  await put('accepted', 2);
  await put('deleted', 3);
  await put('accepted', 2);
  expect([ids(), told]).toEqual([[], [true, false]]);
  await put('accepted', 4);
  expect([ids(), told]).toEqual([['web1'], [true, false, true]]);
});

it('another than the acl-service lets nobody in', async () => {
  const { put, ids } = await aRoster();
  await put('accepted', 2, SigningKey.fromSeed(new Uint8Array(32).fill(2)));
  expect(ids()).toEqual([]);
});

it('the word of an acl key that is not known yet counts once the document that names it has come', async () => {
  const { put, ids, store, aclKeys } = await aRoster();
  const next = SigningKey.fromSeed(new Uint8Array(32).fill(2));
  await put('accepted', 2);
  await put('deleted', 3, next);
  await store.readMissed();
  expect(ids()).toEqual(['web1']);
  aclKeys.push(next.publicKey);
  await store.readMissed();
  expect(ids()).toEqual([]);
});
