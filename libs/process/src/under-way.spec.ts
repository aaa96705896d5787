/** Rules of what a process waits for before it ends, and for how long. */
import { readdirSync, readFileSync } from 'node:fs';
import { STOP_MS, UnderWay } from './under-way.js';

/** Work that ends when it is told. */
function work() {
  let end: (failure?: Error) => void = () => undefined;
  const ended = new Promise<string>((resolve, reject) => {
    end = (failure) => {
      if (failure === undefined) resolve('done');
      else reject(failure);
    };
  });
  return { ended, end };
}

it('with nothing under way it is settled at once', async () => {
  await expect(new UnderWay().settled()).resolves.toBeUndefined();
});

it('it is settled when the last piece has ended, also one that began while it was waited for, or failed', async () => {
  const underWay = new UnderWay();
  const [first, second] = [work(), work()];
  const one = underWay.during(() => first.ended);
  let isSettled = false;
  const settled = underWay.settled().then(() => (isSettled = true));
  const two = underWay.during(() => second.ended);
  first.end();
  expect(await one).toBe('done');
  expect([underWay.size, isSettled]).toEqual([1, false]);
  second.end(new Error('broken'));
  await expect(two).rejects.toThrow('broken');
  expect(await settled).toBe(true);
  expect(underWay.size).toBe(0);
});

/** For what comes after: the last writes, the good-bye to the broker. */
const ROOM_S = 5;
const root = new URL('../../../', import.meta.url);
const units = readdirSync(new URL('systemd/', root)).filter(
  (name) => name.endsWith('.service') && name !== 'natrium-broker.service',
);

it.each([...units.map((name) => [`systemd/${name}`, /^TimeoutStopSec=(\d+)$/gm] as const), ['docker-compose.yml', /^ +stop_grace_period: (\d+)s$/gm] as const])(
  '%s gives it that time and more before it is killed',
  (name, pattern) => {
    const given = [...readFileSync(new URL(name, root), 'utf8').matchAll(pattern)].map(([, seconds]) => Number(seconds));
    expect(given.length).toBeGreaterThan(0);
    for (const seconds of given) expect(seconds).toBeGreaterThanOrEqual(STOP_MS / 1000 + ROOM_S);
  },
); // prettier-ignore
