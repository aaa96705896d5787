/** Rules of a service's announcement: by storing it a service that writes nothing else knows whether its broker takes writes. */
import { jest } from '@jest/globals';
import { MemoryStore } from '@natrium/bus';
import { decode, type Signed, signedFromWire } from '@natrium/envelope';
import { pino } from 'pino';
import { OwnAnnouncement } from './own-announcement.js';

const KEY = 's.runner.abc';
const aSigned = (n: number): Signed => ({ bytes: Uint8Array.of(n), signature: new Uint8Array(64) });

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});
const pass = (seconds: number) => jest.advanceTimersByTimeAsync(seconds * 1000);

/** A broker that takes writes or not, and a service that has announced itself there. */
async function aService() {
  const store = new MemoryStore('announcements');
  const world = { takes: true, puts: 0, announced: aSigned(1), tell: [] as (() => void)[] };
  const refuse = () => {
    for (const tell of world.tell) tell();
  };
  const published: string[] = [];
  const announcement = new OwnAnnouncement({
    transport: { publish: (subject) => published.push(subject), flush: () => Promise.resolve() },
    announcements: {
      put: (key, value) => {
        world.puts += 1;
        if (world.takes) return store.put(key, value);
        refuse();
        return Promise.reject(new Error('the broker takes none'));
      },
      delete: (key) => store.delete(key),
    },
    own: {
      get announced() {
        return world.announced;
      },
    },
    place: { subject: 'dir.runner', key: KEY },
    log: pino({ enabled: false }),
    whenRefused: (tell) => world.tell.push(tell),
  });
  await announcement.begin();
  const stored = async () => {
    const value = (await store.get(KEY))?.value;
    return value === undefined ? undefined : signedFromWire(decode(value));
  };
  return { world, refuse, announcement, published, stored };
}

it('one that was refused is stored again until the broker takes it, and no more then; it is told once', async () => {
  const { world, announcement, published, stored } = await aService();
  world.takes = false;
  world.announced = aSigned(2);
  announcement.renew();
  await pass(20);
  expect([world.puts, await stored()]).toEqual([6, aSigned(1)]);
  world.takes = true;
  await pass(60);
  expect([world.puts, await stored()]).toEqual([7, aSigned(2)]);
  expect(published).toEqual(['dir.runner', 'dir.runner']);
});

it('is stored again, once, after whatever else the broker refused', async () => {
  const { world, refuse } = await aService();
  await pass(60);
  expect(world.puts).toBe(1);
  refuse();
  refuse();
  await pass(60);
  expect(world.puts).toBe(2);
});

it.each([
  ['while it waits to be stored again', 'before'],
  ['and a write is refused after that', 'after'],
])('is gone and stored no more once its service ends, %s', async (_about, when) => {
  const { world, refuse, announcement, stored } = await aService();
  if (when === 'before') refuse();
  await announcement.end();
  if (when === 'after') refuse();
  await pass(60);
  expect([world.puts, await stored()]).toEqual([1, undefined]);
});
