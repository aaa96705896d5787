/**
 * Keys that come to a host after what is read with them: a gateway that has missed the end of a key for the lack of a storage
 * key, or of the roles document that names its signer, learns of it when that is there, without a restart.
 */
import { copyFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { openBucket, type Store } from '@natrium/bus';
import { readServiceConfig, RoleLink } from '@natrium/edge';
import { encode, fp, signRoster, storedKeyId, toHex, type Wire } from '@natrium/envelope';
import { MasterKeys, RolesChanges } from '@natrium/keystore';
import { LogLines, until } from '@natrium/testing';
import { records, writeAs } from '@natrium/wire';
import { Minions } from '../../apps/master-gateway/src/minions/minions.js';
import { apps } from '../hostile/apps.js';
import { Enrolling } from '../hostile/enrolling.js';
import { World } from '../hostile/world.js';

let world: World;
let keys: Enrolling;
let raw: Store;
let late: { readonly pki: string; readonly link: RoleLink; readonly minions: Minions; readonly log: LogLines };

beforeAll(async () => {
  world = await World.start();
  keys = await Enrolling.in(world);
  raw = await openBucket(world.gateway.link.transport, { name: 'NT_main_roster', replicas: 1, ttlMs: 0 });
  const pki = pkiCopy('late');
  const log = new LogLines();
  const config = {
    ...readServiceConfig(join(world.cluster.folder, 'master')),
    pkiDir: pki,
    cacheDir: join(pki, 'cache'),
  };
  const link = await RoleLink.open({ role: 'gateway', log: apps.logTo(log.hear), ...config });
  const { cluster } = link.roles;
  const minions = await Minions.follow(await link.store('roster', 'roster'), cluster, () => link.roles.keysOf('acl'));
  late = { pki, link, minions, log };
});
afterAll(async () => {
  await late.link.close();
  await world.stop();
});

/** The master's keys as they are now, on another host. */
function pkiCopy(name: string): string {
  const folder = join(world.cluster.folder, name);
  cpSync(world.cluster.keys.folder, folder, { recursive: true });
  return folder;
}

async function anAcceptedKey(id: string) {
  const { link, pair } = await keys.aPendingKey(id);
  expect(await keys.admin(keys.account, 'key.accept', [pair])).toEqual([id]);
  const { identity } = link;
  const isKnown = () => late.minions.idOf(toHex(identity.publicKey)) === id;
  await until(`${id} is known`, isKnown);
  return { pair, identity, isKnown };
}

/** The gateway has been told of what stands there now, and could not read it. */
async function isLeftOut(identity: { readonly publicKey: Uint8Array }): Promise<void> {
  const place = `NT_main_roster/k.${fp(identity.publicKey)}`;
  await until('it is left out', () => late.log.all.some((line) => JSON.stringify(line).includes(place)));
}

it('a key that was taken away under a storage key that comes later is refused once that is there', async () => {
  const { pair, identity, isKnown } = await anAcceptedKey('late-1.example.com');
  const storage = world.cluster.keys.storageKeys('roster');
  const [first] = storage.ids;
  const id = await until('the next second', () => {
    const made = storage.add(Date.now());
    return made !== first && made;
  });
  let count = 0;
  await until('the acl-service seals with the new key', async () => {
    const { link } = await keys.aPendingKey(`fence-${String((count += 1))}.example.com`);
    const entry = await raw.get(`k.${fp(link.identity.publicKey)}`);
    return entry !== undefined && storedKeyId(entry.value) === id;
  });
  expect(await keys.admin(keys.account, 'key.delete', [pair])).toEqual([pair.id]);
  await isLeftOut(identity);
  expect(isKnown()).toBe(true);
  const file = join('storage', 'roster', `${id}.key`);
  copyFileSync(join(world.cluster.keys.folder, file), join(late.pki, file));
  await until('it is known no more', () => !isKnown());
});

it('a key that was taken away by an acl key that is not known yet is refused once the roles document names that', async () => {
  const { pair, identity, isKnown } = await anAcceptedKey('late-2.example.com');
  const next = new MasterKeys(pkiCopy('next'));
  new RolesChanges(next).newKey('acl', world.now);
  const { publicKey, nkeyPublic: nkey } = identity;
  const gone = { kind: 'minion', name: pair.id, identity: publicKey, nkey, state: 'deleted', revision: 9 } as const;
  const record = signRoster(next.roleKey('acl'), world.acl.cluster, gone);
  const entry = writeAs(records.RosterEntry, { record, reply: null, question: null, announcement: null });
  const store = await late.link.store('roster', 'roster');
  await store.put(`k.${fp(publicKey)}`, encode(entry as Wire));
  await isLeftOut(identity);
  expect(isKnown()).toBe(true);
  copyFileSync(next.rolesPath, join(late.pki, 'roles'));
  await until('it is known no more', () => !isKnown());
});
