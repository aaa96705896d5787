/** Rules of a service's connection to the broker. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NatsKey, sodiumReady } from '@natrium/envelope';
import { pino } from 'pino';
import { asRole, connectBroker, endWhenLost } from './broker-login.js';

it('a service whose connection is lost for good says why and ends with 1, for its supervisor to start it again', async () => {
  const said: unknown[] = [];
  const log = { error: (sentence: unknown) => said.push(sentence) };
  const status = await new Promise((end) => {
    endWhenLost({ lost: Promise.resolve('Authorization Violation') }, log, end);
  });
  expect(status).toBe(1);
  expect(said).toEqual(['the broker is lost for good: Authorization Violation']);
});

/** Credentials as `natriumctl init` makes them, that no broker knows. */
function credentials(): string {
  const body = Buffer.from(JSON.stringify({ name: 'gateway', sub: 'U', iat: 0 })).toString('base64url');
  const seed = NatsKey.generate('user').seedText;
  return `-----BEGIN NATS USER JWT-----\na.${body}.c\n------END NATS USER JWT------\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`;
}

it.each([
  ['jwt', 'Authorization Violation', 'it does not know FILE; see that nats names the broker of this cluster'],
  ['none', 'Authorization Violation', 'it wants to know who comes: set broker_auth: jwt'],
  ['jwt', 'Authentication Timeout', 'the login took longer than the broker waits for one; see that neither its host'],
  ['none', 'Authentication Timeout', 'the login took longer than the broker waits for one; see that neither its host'],
  ['jwt', 'User Authentication Expired', "FILE has expired, by the clock of the broker's host; see that this clock"],
] as const)(
  'a service that the broker refuses says so and what to look at: broker_auth %s, %s',
  async (brokerAuth, word, why) => {
    await sodiumReady();
    const folder = mkdtempSync(join(tmpdir(), 'nt-broker-login-'));
    const users = join(folder, 'broker', 'users');
    mkdirSync(users, { recursive: true });
    writeFileSync(join(users, 'gateway.creds'), credentials());
    const broker = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(`-ERR '${word}'\r\n`));
      socket.write(
        'INFO {"server_id":"x","version":"2.10.27","max_payload":1048576,"headers":true,"proto":1,"nonce":"n"}\r\n',
      );
    });
    await new Promise<void>((listening) => broker.listen(0, '127.0.0.1', listening));
    const url = `nats://127.0.0.1:${String((broker.address() as AddressInfo).port)}`;
    try {
      const own = { servers: [url], log: pino({ enabled: false }) };
      const connecting = connectBroker(own, asRole({ role: 'gateway', brokerAuth, pkiDir: folder }));
      const said = why.replace('FILE', join(users, 'gateway.creds'));
      await expect(connecting).rejects.toThrow(`the broker at ${url} refuses this service: ${said}`);
    } finally {
      broker.close();
      rmSync(folder, { recursive: true });
    }
  },
);
