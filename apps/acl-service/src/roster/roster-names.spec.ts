/** Rules of a name's entry that somebody spoilt: it ends nobody's start, and it hands the name of an accepted key to no other. */
import { MemoryStore, SealedStore } from '@natrium/bus';
import { clusterOf, identityFrom, newIdentitySecret, SigningKey, sodiumReady } from '@natrium/envelope';
import type { KeyRecord, KeyState } from '@natrium/flow';
import { Roster } from './roster.js';

type Next = Omit<KeyRecord, 'revision'>;

let raw: MemoryStore;
let alerts: string[];
let open: () => Promise<Roster>;

beforeAll(sodiumReady);
beforeEach(() => {
  raw = new MemoryStore('roster');
  alerts = [];
  const storageKey = { id: 'one', key: new Uint8Array(32).fill(1) };
  const storage = { newest: storageKey, byId: (id: string) => (id === 'one' ? storageKey : undefined) };
  const acl = SigningKey.generate();
  const keys = {
    acl,
    aclKeys: () => [acl.publicKey],
    cluster: clusterOf(SigningKey.generate().publicKey),
    nameKey: storageKey,
    onSpoilt: ({ place }: { readonly place: string }) => alerts.push(place.slice(0, 'roster/n.'.length)),
  };
  open = () => Roster.open(new SealedStore(raw, storage, () => undefined), keys);
});

function aKey(name: string, state: KeyState = 'accepted', kind: KeyRecord['kind'] = 'minion'): Next {
  const identity = identityFrom(newIdentitySecret());
  return { kind, name, identity: identity.publicKey, nkey: identity.nkeyPublic, state };
}

async function spoil(pattern: string): Promise<void> {
  for (const { key } of await raw.list(pattern)) await raw.put(key, Uint8Array.of(1, 2, 3));
}

it('a spoilt name is claimed anew where nobody holds it, with an alert', async () => {
  const root = aKey('root', 'accepted', 'account');
  await (await open()).write(root);
  await spoil('n.*');
  await raw.delete((await raw.list('k.*'))[0]?.key ?? '');
  const roster = await open();
  expect(await roster.write(root)).toBeDefined();
  expect(roster.callerOf(root.identity)).toEqual({ kind: 'account', name: 'root' });
  expect(alerts).toEqual(['roster/n.']);
  const another = aKey('root', 'accepted', 'account');
  expect(await roster.write(another)).toBeUndefined();
});

it('a spoilt name goes to its accepted key, and to no other', async () => {
  const [web1, another] = [aKey('web1'), aKey('web1')];
  await (await open()).write(web1);
  await spoil('n.*');
  const roster = await open();
  expect(await roster.write(another)).toBeUndefined();
  expect(await roster.write(web1)).toBeDefined();
  expect(alerts).toEqual(['roster/n.', 'roster/n.']);
  expect(await roster.write(another)).toBeUndefined();
  expect(alerts).toHaveLength(2);
});

it('of two that claim a spoilt name one gets it', async () => {
  const [old, one, two] = [aKey('web1'), aKey('web1'), aKey('web1')];
  const roster = await open();
  await roster.write(old);
  await roster.write({ ...old, state: 'deleted' });
  await roster.write(aKey('web1'));
  await raw.delete((await raw.list('k.*')).at(-1)?.key ?? '');
  await spoil('n.*');
  const written = await Promise.all([(await open()).write(one), (await open()).write(two)]);
  expect(written.filter((each) => each !== undefined)).toHaveLength(1);
});

it('a spoilt name passes to what follows its key, and the key of it can be taken away', async () => {
  const [web1, next, db1] = [aKey('web1'), aKey('web1'), aKey('db1')];
  const roster = await open();
  const written = await roster.write(web1);
  await roster.write(db1);
  await spoil('n.*');
  const [held] = roster.named('minion', 'web1');
  if (written === undefined || held === undefined) throw new Error('web1 is accepted');
  expect(await roster.succeed(held, next, written.signed)).toBe(true);
  expect(roster.keyOfMinion('web1')).toEqual(next.identity);
  expect(await roster.write({ ...db1, state: 'deleted' })).toBeDefined();
  expect(await roster.write(aKey('db1'))).toBeDefined();
});
