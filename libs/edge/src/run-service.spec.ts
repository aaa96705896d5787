/** Rules of how a service ends of which a part cannot be begun, or cannot be stopped. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Logger, Module } from '@nestjs/common';
import { type Opened, SealedBus } from '@natrium/bus';
import { sodiumReady } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { type Broker, startBroker } from '@natrium/testing';
import { routes } from '@natrium/wire';
import { pino } from 'pino';
import { Handles } from './handles.js';
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

const aService = (parts: (start: ServiceStart) => Promise<void> | void) =>
  openService({ role: 'acl', config: readServiceConfig(folder), log: pino({ enabled: false }) }, async (start) => {
    await parts(start);
    return { module: AnyModule };
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

it('one of which a part fails when it leaves finishes all the same what is under way', async () => {
  const ended: string[] = [];
  let finish: () => void = () => undefined;
  let begun: () => void = () => undefined;
  const finishing = new Promise<void>((resolve) => (begun = resolve));
  const service = await aService(({ beforeStop, onFinish, onStop }) => {
    beforeStop(() => {
      throw new Error('the door');
    });
    beforeStop(() => Promise.reject(new Error('the other door')));
    onFinish(async () => {
      begun();
      await new Promise<void>((resolve) => (finish = resolve));
      ended.push('under way');
    });
    onStop(() => void ended.push('stopped'));
  });
  const closing = service.close();
  await Promise.race([finishing, closing]);
  finish();
  await closing;
  expect(ended).toEqual(['under way', 'stopped']);
});

it.each([
  ['cannot be made', () => Promise.reject(new Error('a part'))],
  [
    'cannot be begun',
    ({ onListening }: ServiceStart) => {
      onListening(() => Promise.reject(new Error('a part')));
    },
  ],
])('one of which a part %s ends the others, and leaves no connection behind', async (_, part) => {
  const stopped: string[] = [];
  let link: ServiceStart['link'] | undefined;
  const opening = aService((start) => {
    link = start.link;
    start.beforeStop(() => void stopped.push('first'));
    start.onStop(() => void stopped.push('last'));
    return part(start);
  });
  await expect(opening).rejects.toThrow('a part');
  expect([stopped, link?.transport.connection.isClosed()]).toEqual([['first', 'last'], true]);
});

@Controller()
class FailingDoor {
  @Handles(routes.gatewayHere)
  here(): Promise<never> {
    return Promise.reject(new Error('the disk has no room'));
  }
}

@Module({ controllers: [FailingDoor] })
class FailingModule {}

it('one that fails at a request says why in its log, also where Nest itself is told to say nothing', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const takes: ((opened: Opened) => unknown)[] = [];
  const service = await openService({ role: 'acl', config: readServiceConfig(folder), log }, ({ link: { bus } }) => {
    const serve: typeof bus.serve = (subject, queue, asked, take) => {
      takes.push(take);
      return SealedBus.prototype.serve.call(bus, subject, queue, asked, take);
    };
    Object.assign(bus, { serve });
    return Promise.resolve({ module: FailingModule });
  });
  Logger.overrideLogger(false); // as the HTTP API does
  await Promise.all(takes.map((take) => take({} as Opened)));
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { route: routes.gatewayHere.at, err: { message: 'the disk has no room' } },
  ]);
  await service.close();
});
