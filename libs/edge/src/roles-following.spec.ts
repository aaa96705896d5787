/** Rules of newer roles documents while a service runs: they are kept for its next start, and the acl-service alone tells them. */
import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryBroker, readChain, ROLES_DOCUMENTS, writeChain } from '@natrium/bus';
import { type RoleName, type RolesChain, sodiumReady } from '@natrium/envelope';
import { MasterKeys, readRolesFile, RolesChanges } from '@natrium/keystore';
import { subjectsOf } from '@natrium/wire';
import { pino } from 'pino';
import { rolesAtStart } from './roles-at-start.js';
import { RolesFollowing } from './roles-following.js';

const NOW = 1_795_000_000_000;
const subjects = subjectsOf('main');

let folder: string;
let seenPath: string;
let keys: MasterKeys;
beforeAll(sodiumReady);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-following-'));
  seenPath = join(folder, 'seen');
  keys = new MasterKeys(join(folder, 'pki'));
  keys.create(NOW);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A service of that role, what it tells, and what its log says of trouble and of its end, with the level of each. */
function aService(role: RoleName) {
  const broker = new MemoryBroker();
  const [transport, other] = [broker.connect(), broker.connect()];
  const said: string[] = [];
  const write = (line: string) => {
    const { level, msg } = JSON.parse(line) as { readonly level: number; readonly msg: string };
    said.push(`${pino.levels.labels[level] ?? ''}: ${msg}`);
  };
  const log = pino({ level: 'warn' }, { write });
  const roles = rolesAtStart(keys, seenPath, pino({ enabled: false }));
  const following = new RolesFollowing({ role, roles, keys, seenPath, transport, subjects, now: () => NOW, log });
  const told: (RolesChain | undefined)[] = [];
  other.subscribe(subjects.dir(ROLES_DOCUMENTS), ({ payload }) => told.push(readChain(payload)));
  const tell = async (chain: RolesChain) => {
    other.publish(subjects.dir(ROLES_DOCUMENTS), writeChain(chain));
    await other.flush();
  };
  return { roles, following, said, told, tell, flush: () => other.flush() };
}

it.each<[RoleName, 'the others' | 'nobody']>([
  ['acl', 'the others'],
  ['gateway', 'nobody'],
  ['runner', 'nobody'],
  ['reactor', 'nobody'],
  ['sink', 'nobody'],
])('a newer document in its own folder is in force and kept, and %s tells %s', async (role, whom) => {
  const { roles, following, told, flush } = aService(role);
  new RolesChanges(keys).renew(NOW);
  following.readFolder();
  await flush();
  expect([roles.document.serial, readRolesFile(seenPath)]).toEqual([2, keys.chain()]);
  expect(told).toEqual(whom === 'nobody' ? [] : [keys.chain()]);
});

it('one that is told is in force and kept too, and no older one after it', async () => {
  const { roles, tell } = aService('gateway');
  const older = keys.chain();
  new RolesChanges(keys).renew(NOW);
  for (const chain of [keys.chain(), older]) await tell(chain);
  expect([roles.document.serial, readRolesFile(seenPath)]).toEqual([2, keys.chain()]);
});

it('what the disk does not take is in force all the same, and is kept at the next telling that finds it writable', async () => {
  const { roles, following, said, tell } = aService('gateway');
  mkdirSync(seenPath); // nothing can take its place
  new RolesChanges(keys).renew(NOW);
  following.readFolder();
  await tell(keys.chain());
  expect([roles.document.serial, said]).toEqual([
    2,
    [expect.stringMatching(/^error: .* is not kept for the next start/)],
  ]);
  rmdirSync(seenPath);
  await tell(keys.chain());
  expect(readRolesFile(seenPath)).toEqual(keys.chain());
  expect(said.slice(1)).toEqual(['warn: the newest roles document is kept for the next start now']);
});
