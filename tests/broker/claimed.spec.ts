/**
 * A joiner names its NATS key itself, and its id. Naming somebody else's lets it have nobody cut off, a key that only asks
 * becomes nobody's minion, and only one that is accepted gets a user of the broker.
 */
import { join } from 'node:path';
import { Clock, NatsTransport } from '@natrium/bus';
import { connectIdentity } from '@natrium/client';
import { type Account, decode, type User } from '@nats-io/jwt';
import { connect } from '@nats-io/transport-node';
import {
  fingerprint,
  fp,
  type Identity,
  identityFrom,
  newIdentitySecret,
  nkeyText,
  randomBytes,
  signJoin,
  toHex,
} from '@natrium/envelope';
import { MasterKeys, readCredentials, readIdentity } from '@natrium/keystore';
import { until } from '@natrium/testing';
import { contracts, joinInboxOf } from '@natrium/wire';
import { openSession } from '../../apps/cli/src/link/broker-session.js';
import { openMaster, type OpenMaster } from '../../apps/cli/src/link/open-master.js';
import { brokerKeysOf, systemLogin } from '../support/broker-operator.js';
import { START_MS } from '../support/up-cluster.js';
import { useCluster } from '../support/use-cluster.js';

const cluster = useCluster({ minions: ['a'], masterConfig: '' });
let master: OpenMaster;
beforeAll(async () => {
  const opened = await openMaster(cluster().master);
  if (!opened.ok) throw new Error(opened.error.sentence);
  master = opened.value;
}, START_MS);
afterAll(() => master.transport.drain());

const newKey = (): Identity => identityFrom(newIdentitySecret());
const joinCreds = () => readCredentials(join(cluster().master, 'pki', 'broker', 'join.creds'))!;

/** What a newcomer hears that names this NATS key as its own: its state, and its user of the broker. */
async function hears(id: string, identity: Identity, nkey = identity.nkeyPublic) {
  const { jwt, key } = joinCreds();
  const inbox = joinInboxOf(fp(identity.publicKey));
  const user = { jwt: () => jwt, key };
  const transport = await NatsTransport.connect({ servers: [cluster().brokerUrl], name: 'newcomer', user, inbox });
  try {
    const [firstRoot] = new MasterKeys(master.config.pki_dir).chain();
    const linked = await connectIdentity({
      ...{ transport, cluster: 'main', identity, use: 'jobs', pin: { firstRoot }, minSerial: 0, newest: undefined },
      ...{ clock: new Clock(30_000), epochMs: 86_400_000, overlapMs: 0, helloTimeoutMs: 5000, entering: 'join' },
    });
    if (!linked.ok) throw new Error(linked.error.sentence);
    const { bus, subjects, roles, own, clock, services } = linked.value;
    const about = { id, identity: identity.publicKey, nkey, announcement: own.announced };
    const request = signJoin(identity.signing, roles.cluster, {
      ...about,
      issued: clock.now(),
      nonce: randomBytes(16),
    });
    const question = {
      contract: contracts.join,
      body: { request, grains: {} },
      subject: subjects.join,
      to: () => services('acl'),
    };
    const answer = await bus.ask(question, contracts.joined, 5000);
    if (!answer.ok) throw new Error(answer.error);
    const { state, user } = answer.value.body;
    return { state, user };
  } finally {
    await transport.drain();
  }
}

const asks = async (...of: Parameters<typeof hears>) => (await hears(...of)).state;

const listed = async () => (await cluster().key('-L', '--out=json')).stdout;

it('a joiner that names the key of the join user, or of a minion, is denied and kept nowhere; one that names its own waits', async () => {
  const minion = readIdentity(join(cluster().folder, 'minions', 'a', 'pki', 'minion.key'))!;
  for (const nkey of [joinCreds().key.publicKey, minion.nkeyPublic])
    expect(await asks('evil', newKey(), nkey)).toBe('denied');
  expect(await listed()).not.toContain('evil');
  expect(await asks('web9', newKey())).toBe('pending');
  expect(await listed()).toContain('web9');
});

it('the join user is never cut off, also where a key that was accepted with its NATS key is taken away', async () => {
  const gone = newKey();
  await takenAway('evil', newKey(), joinCreds().key.publicKey);
  await takenAway('gone', gone, gone.nkeyPublic);
  const cutOff = await until('the broker has the list', async () => {
    const list = await revoked();
    return list.includes(nkeyText('user', gone.nkeyPublic)) ? list : undefined;
  });
  expect(cutOff).not.toContain(joinCreds().key.name);
  expect(await asks('web8', newKey())).toBe('pending');
});

it('a key gets a user of the broker when it is accepted, and none while it waits, is denied or is rejected', async () => {
  const [key, other] = [newKey(), newKey()];
  const pair = { id: 'web7', fingerprint: fingerprint(key.publicKey) };
  const becomes = async (fun: string) => {
    expect(await master.client.admin('key', fun, [pair])).toMatchObject({ ok: true });
    return hears('web7', key);
  };
  for (let times = 0; times < 2; times += 1) expect(await hears('web7', key)).toEqual({ state: 'pending', user: null });
  expect(await becomes('key.reject')).toEqual({ state: 'rejected', user: null });
  const { state, user } = await becomes('key.accept');
  expect([state, decode<User>(user ?? '').sub]).toEqual(['accepted', nkeyText('user', key.nkeyPublic)]);
  for (let times = 0; times < 2; times += 1)
    expect(await hears('web7', other)).toEqual({ state: 'denied', user: null });
  expect(await becomes('key.delete')).toEqual({ state: 'pending', user: null });
});

async function takenAway(id: string, { publicKey }: Identity, nkey: Uint8Array): Promise<void> {
  const admin = (fun: string, arg: Readonly<Record<string, string>>) => master.client.admin('key', fun, [arg]);
  const key = { id, identity: toHex(publicKey), nkey: toHex(nkey) };
  expect(await admin('key.enrol', key)).toMatchObject({ ok: true });
  expect(await admin('key.delete', { id, fingerprint: fingerprint(publicKey) })).toMatchObject({ ok: true });
}

/** NATS keys that the broker has in the account's list. */
async function revoked(): Promise<readonly string[]> {
  const { account } = brokerKeysOf(cluster().folder);
  const system = await connect({ servers: cluster().brokerUrl, authenticator: await systemLogin(cluster().folder) });
  const jwt = (await system.request(`$SYS.REQ.ACCOUNT.${account}.CLAIMS.LOOKUP`)).string();
  await system.close();
  return Object.keys(decode<Account>(jwt).nats.revocations ?? {});
}

it('an account whose key is not accepted is told so, with 77, and becomes no pending minion', async () => {
  const keys = new MasterKeys(master.config.pki_dir);
  const { firstRoot, document } = keys.roles();
  const opened = await openSession({
    ...{ config: master.config, identity: newKey(), keyPath: join(cluster().folder, 'old.key') },
    ...{ firstRoot, rolesSerial: document.serial, newest: keys.chain()[1].at(-1) },
  });
  expect(opened).toEqual({
    ok: false,
    error: { sentence: 'the key of this account is not an accepted one', exit: 77 },
  });
  expect(await listed()).not.toContain(master.config.user);
});
