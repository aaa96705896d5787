/** Whoever has a retired key and the broker is not believed: the roles document that lies on this host is newer than his, or none of his branch. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NatsTransport } from '@natrium/bus';
import type { MasterConfig } from '@natrium/config';
import {
  announce,
  decode,
  encode,
  EpochKeyring,
  identityFrom,
  newIdentitySecret,
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
let broker: Broker;
beforeAll(async () => {
  await sodiumReady();
  broker = await startBroker();
  folder = mkdtempSync(join(tmpdir(), 'nt-old-roles-'));
});
afterAll(async () => {
  await broker.stop();
  rmSync(folder, { recursive: true });
});

it('a session is opened with the document that is known, and with none that is older or beside it', async () => {
  const keys = new MasterKeys(join(folder, 'pki'));
  const { cluster } = keys.create(Date.now());
  const [old, acl] = [keys.chain(), keys.roleKey('acl')];
  const root = SigningKey.fromSeed(readKeyFile(join(keys.folder, 'root.key')) ?? new Uint8Array());
  let chain = [...old[1]];
  const thief = await NatsTransport.connect({ servers: [broker.url], name: 'thief' });
  const now = Date.now();
  const epochKey = new EpochKeyring(newIdentitySecret()).rotate(now, AN_HOUR, 0).publicKey;
  const owner = { type: 'role', role: 'acl', instance: 'thief', key: acl.publicKey } as const;
  const service = announce(acl, cluster, { owner, use: 'service', epochKey, notBefore: now, notAfter: now + AN_HOUR, rolesSerial: 1 }); // prettier-ignore
  thief.subscribe('nt.main.hello', ({ payload, respond }) => {
    const { nonce } = readAs(contracts.helloQuestion, decode(payload));
    const time = signTime(acl, cluster, nonce, Date.now());
    const said = { version: 1 as const, firstRoot: old[0], chain, services: [service], time };
    respond(encode(writeAs(contracts.helloAnswer, said) as Wire));
  });
  await thief.flush();
  const config = { nats: [broker.url], cluster: 'main', clock_skew: 30, broker_auth: 'none', broker_ca: '', broker_cert: '', broker_key: '' } as unknown as MasterConfig; // prettier-ignore
  const opened = async () => {
    const { firstRoot, document } = keys.roles();
    const identity = identityFrom(newIdentitySecret());
    const session = await openSession({
      config,
      identity,
      keyPath: undefined,
      firstRoot,
      rolesSerial: document.serial,
      newest: keys.chain()[1].at(-1),
    });
    if (session.ok) await session.value.transport.drain();
    return session;
  };
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
  chain = [...old[1], signRoles(root, cluster, { ...document, serial: 9, roles: { ...document.roles, acl: [acl.publicKey] } })]; // prettier-ignore
  expect(await opened()).toMatchObject({
    ok: false,
    error: { sentence: expect.stringMatching(/does not continue/) as string },
  });
  await thief.drain();
});
