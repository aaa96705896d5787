/** Rules of how a service ends whose parts cannot all be stopped. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { sodiumReady } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { type Broker, startBroker } from '@natrium/testing';
import { pino } from 'pino';
import { openService, type ServiceStart } from './run-service.js';
import { readServiceConfig } from './service-config.js';

let broker: Broker;
let folder: string;
beforeAll(async () => {
  await sodiumReady();
  broker = await startBroker();
});
afterAll(() => broker.stop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-service-'));
  mkdirSync(join(folder, 'master.d'));
  writeFileSync(join(folder, 'master'), `nats: ${broker.url}\n`);
  new MasterKeys(join(folder, 'pki')).create(Date.now());
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

@Module({})
class AnyModule {}

const aService = (parts: (start: ServiceStart) => void) =>
  openService({ role: 'acl', config: readServiceConfig(folder), log: pino({ enabled: false }) }, (start) => {
    parts(start);
    return Promise.resolve({ module: AnyModule });
  });

it('one of which a part cannot be stopped stops the others, closes its connection, and says what failed', async () => {
  const stopped: string[] = [];
  const service = await aService(({ onStop }) => {
    onStop(() => Promise.reject(new Error('the first part')));
    onStop(() => void stopped.push('second'));
    onStop(() => {
      throw new Error('the third part');
    });
    onStop(() => void stopped.push('fourth'));
  });
  await expect(service.close()).rejects.toThrow('the first part; the third part');
  expect([stopped, service.link.transport.connection.isClosed()]).toEqual([['second', 'fourth'], true]);
});

it('one whose parts all stop ends without a word', async () => {
  const service = await aService(({ onStop }) => {
    onStop(() => undefined);
  });
  await service.close();
  expect(service.link.transport.connection.isClosed()).toBe(true);
});
