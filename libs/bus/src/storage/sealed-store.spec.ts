/** Rules of what a follower of a sealed store could not read: it is read again when keys have come, once, and only while it stands there. */
import { sodiumReady, type StorageKey } from '@natrium/envelope';
import { turnsDuring } from '@natrium/testing';
import { MemoryStore } from '../ports/memory-store.js';
import { storeContract } from '../ports/store.contract.js';
import { SealedStore } from './sealed-store.js';

const OLD: StorageKey = { id: 'old', key: new Uint8Array(32).fill(1) };
const NEW: StorageKey = { id: 'new', key: new Uint8Array(32).fill(2) };
const bytes = (text: string) => new TextEncoder().encode(text);

beforeAll(sodiumReady);

function sealedWith(raw: MemoryStore, ...keys: readonly StorageKey[]): SealedStore {
  const storage = { newest: keys[0]!, byId: (id: string) => keys.find((key) => key.id === id) };
  return new SealedStore(raw, storage, () => undefined);
}

storeContract('sealed, in memory', () => {
  const raw = new MemoryStore('NT_main_roster');
  return Promise.resolve([sealedWith(raw, NEW), sealedWith(raw, NEW)]);
});

/** A writer with the new key, and a follower to whose host it comes later. */
async function aLateFollower(takes: (text: string) => boolean = () => true) {
  const raw = new MemoryStore('NT_main_roster');
  const keys = [OLD];
  const alerts: string[] = [];
  const storage = { newest: OLD, byId: (id: string) => keys.find((key) => key.id === id) };
  const sealed = new SealedStore(raw, storage, ({ place }) => alerts.push(place));
  const told: string[] = [];
  const following = await sealed.follow(({ key, value }) => {
    const text = value === undefined ? 'gone' : new TextDecoder().decode(value);
    if (!takes(text)) throw new Error('not yet');
    told.push(`${key} ${text}`);
  });
  const keyComes = () => {
    keys.push(NEW);
    return sealed.readMissed();
  };
  return { raw, writer: sealedWith(raw, NEW, OLD), sealed, following, told, alerts, keyComes };
}

const missedOf = ({ missed }: { readonly missed?: ReadonlyMap<string, number> }) => [...(missed?.keys() ?? [])];

it('is told of it once its key is there, and once', async () => {
  const { writer, sealed, following, told, alerts, keyComes } = await aLateFollower();
  await writer.put('a', bytes('one'));
  await sealed.put('b', bytes('two'));
  expect([told, missedOf(following)]).toEqual([['b two'], ['a']]);
  await sealed.readMissed();
  expect([told, missedOf(following)]).toEqual([['b two'], ['a']]);
  await Promise.all([keyComes(), sealed.readMissed()]);
  await sealed.readMissed();
  expect([told, missedOf(following)]).toEqual([['b two', 'a one'], []]);
  expect(alerts).toEqual(['NT_main_roster/a']);
});

it('is told again of what it could not take', async () => {
  let isReady = false;
  const { sealed, following, told } = await aLateFollower(() => isReady);
  await sealed.put('a', bytes('one'));
  expect([told, missedOf(following)]).toEqual([[], ['a']]);
  isReady = true;
  await sealed.readMissed();
  expect([told, missedOf(following)]).toEqual([['a one'], []]);
});

it('is told of nothing that was replaced or deleted since', async () => {
  const { writer, sealed, following, told, keyComes } = await aLateFollower();
  await writer.put('a', bytes('one'));
  await writer.put('b', bytes('one'));
  await sealed.put('a', bytes('two'));
  await writer.delete('b');
  expect(missedOf(following)).toEqual([]);
  await keyComes();
  expect(told).toEqual(['a two', 'b gone']);
});

it('is told of nothing that is replaced while it is read again', async () => {
  const { raw, writer, sealed, told, keyComes } = await aLateFollower();
  await writer.put('a', bytes('one'));
  const at = raw.at.bind(raw);
  raw.at = async (revision) => {
    const entry = await at(revision);
    await sealed.put('a', bytes('two'));
    return entry;
  };
  await keyComes();
  expect(told).toEqual(['a two']);
});

it('is without what nobody can read, and is told of the rest', async () => {
  const { raw, writer, following, told, alerts, keyComes } = await aLateFollower();
  await raw.put('junk', bytes('junk'));
  for (let n = 0; n < 100; n += 1) await writer.put(`a${String(n)}`, bytes('one'));
  await keyComes();
  expect(told).toHaveLength(100);
  expect([missedOf(following), alerts.length]).toEqual([['junk'], 101]);
});

it('is listed while others have their turn, however much there is', async () => {
  const raw = new MemoryStore('NT_main_jobs');
  const sealed = sealedWith(raw, NEW);
  for (let n = 0; n < 2000; n += 1) await sealed.put(`j.${String(n)}`, bytes('one'));
  let listed: readonly unknown[] = [];
  const turns = await turnsDuring(async () => {
    listed = await sealed.list('j.*');
  });
  expect([listed.length, turns >= 3]).toEqual([2000, true]);
});

it('is told of nothing where it could not follow at all', async () => {
  const raw = new MemoryStore('NT_main_roster');
  const keys = [OLD];
  const storage = { newest: OLD, byId: (id: string) => keys.find((key) => key.id === id) };
  const sealed = new SealedStore(raw, storage, () => undefined);
  await sealedWith(raw, NEW).put('a', bytes('one'));
  const follow = raw.follow.bind(raw);
  raw.follow = async (onEntry) => {
    (await follow(onEntry)).close();
    throw new Error('no broker');
  };
  const told: string[] = [];
  await expect(sealed.follow(({ key }) => told.push(key))).rejects.toThrow('no broker');
  keys.push(NEW);
  await sealed.readMissed();
  expect(told).toEqual([]);
});
