/** Rules of the acl-service's second connection, at which it says who is let in no longer. */
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrokerKeys } from '@natrium/broker-auth';
import type { RoleLink, ServiceConfig } from '@natrium/edge';
import { sodiumReady } from '@natrium/envelope';
import { pino } from 'pino';
import type { Roster } from '../roster/roster.js';
import { BrokerUsers } from './broker-users.js';

const INFO = '{"server_id":"x","version":"2.10.27","max_payload":1048576,"headers":true,"proto":1,"nonce":"n"}';

let pkiDir: string;
beforeEach(async () => {
  await sodiumReady();
  pkiDir = mkdtempSync(join(tmpdir(), 'nt-broker-users-'));
  await new BrokerKeys(join(pkiDir, 'broker')).create('main');
});
afterEach(() => {
  rmSync(pkiDir, { recursive: true });
});

/** A port at which nobody listens, until `broker` does. */
async function aPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

it('waits for a broker that has just gone, as while it is restarted, and is refused by one that does not know it', async () => {
  const port = await aPort();
  const url = `nats://127.0.0.1:${String(port)}`;
  const config = { servers: [url], brokerAuth: 'jwt', cluster: 'main', pkiDir } as unknown as ServiceConfig;
  let isTold: (sentence: string) => void = () => undefined;
  const told = new Promise<string>((resolve) => (isTold = resolve));
  const log = pino(
    { base: null, timestamp: false },
    { write: (line) => isTold((JSON.parse(line) as { msg: string }).msg) },
  );
  const opening = BrokerUsers.open({} as RoleLink, config, {} as Roster, log);
  const ended = opening.then(
    () => 'let in',
    (cause: unknown) => String(cause),
  );
  expect(await Promise.race([told, ended])).toBe(`no broker answers at ${url}; trying on`);
  const broker = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end("-ERR 'Authorization Violation'\r\n"));
    socket.write(`INFO ${INFO}\r\n`);
  });
  await new Promise<void>((listening) => broker.listen(port, '127.0.0.1', listening));
  try {
    const file = new BrokerKeys(join(pkiDir, 'broker')).credsPath('system');
    expect(await ended).toContain(`the broker at ${url} refuses this service: it does not know ${file}`);
  } finally {
    broker.close();
  }
});
