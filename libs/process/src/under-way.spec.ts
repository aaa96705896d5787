/** Rules of what a process waits for before it ends, and for how long. */
import { readdirSync, readFileSync } from 'node:fs';
import { finished, STOP_MS, UnderWay } from './under-way.js';

const never = new Promise<never>(() => undefined);
const LONG_MS = 1_000_000;

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

describe('work that is waited for', () => {
  it('is finished when it ends in time', async () => {
    expect(await finished(Promise.resolve(), LONG_MS, new AbortController().signal)).toBe(true);
  });

  it('is given up after its time', async () => {
    expect(await finished(never, 1, new AbortController().signal)).toBe(false);
  });

  it('is given up at once, then or later', async () => {
    expect(await finished(never, LONG_MS, AbortSignal.abort())).toBe(false);
    const atOnce = new AbortController();
    const waiting = finished(never, LONG_MS, atOnce.signal);
    atOnce.abort();
    expect(await waiting).toBe(false);
  });

  it('and was given up is let fail: nobody hears of it, and the process goes on', async () => {
    const unheard: unknown[] = [];
    const hear = (cause: unknown) => unheard.push(cause);
    process.on('unhandledRejection', hear);
    const failing = work();
    expect(await finished(failing.ended, LONG_MS, AbortSignal.abort())).toBe(false);
    failing.end(new Error('broken'));
    // Node tells of it once all that is due has been done.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    process.off('unhandledRejection', hear);
    expect(unheard).toEqual([]);
  });

  it('that fails is told', async () => {
    const failing = Promise.reject(new Error('broken'));
    await expect(finished(failing, LONG_MS, new AbortController().signal)).rejects.toThrow('broken');
  });
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
