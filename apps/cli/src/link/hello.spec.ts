/**
 * Rules of the first word of a command with the master. Whoever has a retired key and the broker is not believed: the roles
 * document that lies on this host is newer than his, or none of his branch. An acl-service that is started anew is waited for.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { NatsTransport } from '@natrium/bus';
import type { MasterConfig } from '@natrium/config';
import {
  announce,
  decode,
  encode,
  EpochKeyring,
  identityFrom,
  newIdentitySecret,
  type RolesChain,
  SigningKey,
  signRoles,
  signTime,
  sodiumReady,
  type Wire,
} from '@natrium/envelope';
import { MasterKeys, readKeyFile, RolesChanges } from '@natrium/keystore';
import { type Broker, startBroker } from '@natrium/testing';
import { contracts, readAs, writeAs } from '@natrium/wire';
import { openSession } from './broker-session.js';

const AN_HOUR = 3_600_000;

let folder: string;
let keys: MasterKeys;
let broker: Broker;
let acl: NatsTransport;
beforeAll(async () => {
  await sodiumReady();
  broker = await startBroker();
});
afterAll(async () => {
  await broker.stop();
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nt-hello-'));
  keys = new MasterKeys(join(folder, 'pki'));
  keys.create(Date.now());
  acl = await NatsTransport.connect({ servers: [broker.url], name: 'acl' });
});
afterEach(async () => {
  await acl.drain();
  rmSync(folder, { recursive: true });
});

/** Whoever has the acl-service's key of now answers each hello with the chain that it says, but for the first so many. */
async function answers(chain: () => RolesChain[1], deafTo = 0): Promise<() => number> {
  let heard = 0;
  const { cluster } = keys.roles();
  const [[firstRoot], key] = [keys.chain(), keys.roleKey('acl')];
  const now = Date.now();
  const epochKey = new EpochKeyring(newIdentitySecret()).rotate(now, AN_HOUR, 0).publicKey;
  const owner = { type: 'role', role: 'acl', instance: 'a1', key: key.publicKey } as const;
  const service = announce(key, cluster, { owner, use: 'service', epochKey, notBefore: now, notAfter: now + AN_HOUR, rolesSerial: 1 }); // prettier-ignore
  acl.subscribe('nt.main.hello', ({ payload, respond }) => {
    if ((heard += 1) <= deafTo) return;
    const { nonce } = readAs(contracts.helloQuestion, decode(payload));
    const time = signTime(key, cluster, nonce, Date.now());
    const said = { version: 1 as const, firstRoot, chain: [...chain()], services: [service], time };
    respond(encode(writeAs(contracts.helloAnswer, said) as Wire));
  });
  await acl.flush();
  return () => heard;
}

/** The same broker, behind a door that tells of each hello. */
async function doorOf(onHello: () => void) {
  const links: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(Number(new URL(broker.url).port), '127.0.0.1');
    links.push(near, far);
    for (const end of [near, far]) end.on('error', () => undefined);
    near.on('data', (data: Buffer) => {
      if (data.includes('PUB nt.main.hello')) onHello();
      far.write(data);
    });
    far.pipe(near);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `nats://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const close = () => {
    for (const link of links) link.destroy();
    server.close();
  };
  return { url, close };
}

async function opened(url = broker.url) {
  const config = { nats: [url], cluster: 'main', clock_skew: 30, broker_auth: 'none', broker_ca: '', broker_cert: '', broker_key: '' } as unknown as MasterConfig; // prettier-ignore
  const { firstRoot, document } = keys.roles();
  const session = await openSession({
    config,
    identity: identityFrom(newIdentitySecret()),
    keyPath: undefined,
    firstRoot,
    rolesSerial: document.serial,
    newest: keys.chain()[1].at(-1),
  });
  if (session.ok) await session.value.transport.drain();
  return session;
}

it('a session is opened with the document that is known, and with none that is older or beside it', async () => {
  const { cluster } = keys.roles();
  const [old, key] = [keys.chain(), keys.roleKey('acl')];
  const root = SigningKey.fromSeed(readKeyFile(join(keys.folder, 'root.key')) ?? new Uint8Array());
  let chain = old[1];
  await answers(() => chain);
  expect((await opened()).ok).toBe(true);
  const changes = new RolesChanges(keys);
  changes.newKey('acl', Date.now());
  changes.retire('acl', Date.now());
  expect(await opened()).toMatchObject({
    ok: false,
    error: { exit: 69, sentence: expect.stringMatching(/roles document/) as string },
  });
  const { document } = keys.roles();
  changes.newRoot(Date.now());
  chain = [...old[1], signRoles(root, cluster, { ...document, serial: 9, roles: { ...document.roles, acl: [key.publicKey] } })]; // prettier-ignore
  expect(await opened()).toMatchObject({
    ok: false,
    error: { sentence: expect.stringMatching(/does not continue/) as string },
  });
});

it('one that is started anew is waited for', async () => {
  const session = opened();
  await pause(700);
  await answers(() => keys.chain()[1]);
  expect((await session).ok).toBe(true);
});

it('and given up after two seconds', async () => {
  const begun = performance.now();
  expect(await opened()).toEqual({
    ok: false,
    error: {
      exit: 69,
      sentence: 'no acl-service of the cluster main answers; is natrium-acl running?',
      mend: 'start an acl-service (systemctl start natrium-acl), or look into its log',
    },
  });
  expect(performance.now() - begun).toBeGreaterThan(2000);
});

it('nor later where it takes long to hear that nobody is there', async () => {
  let hellos = 0;
  const time = jest.spyOn(performance, 'now').mockImplementation(() => 1100 * hellos);
  const door = await doorOf(() => (hellos += 1));
  const session = await opened(door.url);
  time.mockRestore();
  door.close();
  expect([session.ok, hellos]).toEqual([false, 2]);
});

it.each([
  ['one that stands still for a while is asked again', 2, true, 3],
  ['and given up after seven times', 99, false, 7],
])('%s', async (_about, deafTo, isOpened, times) => {
  const heard = await answers(() => keys.chain()[1], deafTo);
  const session = await opened();
  expect(session.ok).toBe(isOpened);
  if (!session.ok) expect(session.error.sentence).toMatch(/stand still\?$/);
  expect(heard()).toBe(times);
});
