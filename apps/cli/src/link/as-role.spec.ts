import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrokerKeys } from '@natrium/broker-auth';
import type { NatsTransport } from '@natrium/bus';
import type { MasterConfig } from '@natrium/config';
import { sodiumReady } from '@natrium/envelope';
import { readCredentials } from '@natrium/keystore';
import { type Broker, startBroker } from '@natrium/testing';
import { asRole } from './as-role.js';

let broker: Broker;
let pki_dir: string;
beforeAll(async () => {
  await sodiumReady();
  broker = await startBroker();
  pki_dir = mkdtempSync(join(tmpdir(), 'nt-as-role-'));
});
afterAll(async () => {
  await broker.stop();
  rmSync(pki_dir, { recursive: true });
});

const config = (broker_auth: 'jwt' | 'none') =>
  ({ nats: [broker.url], pki_dir, broker_auth, broker_ca: '', broker_cert: '', broker_key: '' }) as unknown as MasterConfig; // prettier-ignore

it('where the broker asks who comes and there are no credentials, nothing is done', async () => {
  const done: string[] = [];
  expect(await asRole('keeper', config('jwt'), async () => done.push('something'))).toBeUndefined();
  expect(done).toEqual([]);
});

it('where the broker does not ask it is done without credentials, over a connection that is closed then', async () => {
  let used: NatsTransport | undefined;
  expect(
    await asRole('keeper', config('none'), async (transport) => {
      used = transport;
      return transport.connection.isClosed();
    }),
  ).toBe(false);
  expect(used?.connection.isClosed()).toBe(true);
});

it('what fails is told, and its connection is closed, too', async () => {
  let used: NatsTransport | undefined;
  const failing = asRole('keeper', config('none'), async (transport) => {
    used = transport;
    throw new Error('no such bucket');
  });
  await expect(failing).rejects.toThrow('no such bucket');
  expect(used?.connection.isClosed()).toBe(true);
});

it('a question that the broker leaves without an answer is told as no broker that answers', async () => {
  const asking = asRole('keeper', config('none'), async (transport) => {
    transport.subscribe('deaf', () => undefined);
    await transport.flush();
    return transport.request('deaf', new Uint8Array(), 20);
  });
  await expect(asking).rejects.toMatchObject({
    name: 'NoBroker',
    problem: { sentence: `no broker answers at ${broker.url}`, exit: 69 },
  });
});

it('with its credentials it hears answers where only that user may', async () => {
  const keys = new BrokerKeys(join(pki_dir, 'broker'));
  await keys.create('main');
  const user = readCredentials(keys.credsPath('auditor'));
  const inbox = await asRole('auditor', config('jwt'), (transport) => Promise.resolve(transport.inbox));
  expect(inbox).toMatch(new RegExp(`^_INBOX\\.${user?.name ?? '-'}`));
});
