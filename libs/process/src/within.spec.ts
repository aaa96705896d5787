/** Rules of work that is waited for up to a limit. */
import { LATE, within } from './within.js';

const never = new Promise<never>(() => undefined);
const LONG_MS = 1_000_000;

it('work that ends in time gives its result', async () => {
  expect(await within(LONG_MS, Promise.resolve('done'))).toBe('done');
  expect(await within(LONG_MS, Promise.resolve('done'), new AbortController().signal)).toBe('done');
});

it('work is given up after its time', async () => {
  expect(await within(1, never)).toBe(LATE);
});

it('work is given up when its signal is aborted, also where that was before', async () => {
  expect(await within(LONG_MS, Promise.resolve('done'), AbortSignal.abort())).toBe(LATE);
  const atOnce = new AbortController();
  const waiting = within(LONG_MS, never, atOnce.signal);
  atOnce.abort();
  expect(await waiting).toBe(LATE);
});

it('work that was given up may fail: nobody hears of it, and the process goes on', async () => {
  const unheard: unknown[] = [];
  const hear = (cause: unknown) => unheard.push(cause);
  process.on('unhandledRejection', hear);
  let fail: () => void = () => undefined;
  const failing = new Promise<never>((_, reject) => {
    fail = () => {
      reject(new Error('broken'));
    };
  });
  expect(await within(LONG_MS, failing, AbortSignal.abort())).toBe(LATE);
  fail();
  // Node tells of it once all that is due has been done.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  process.off('unhandledRejection', hear);
  expect(unheard).toEqual([]);
});

it('work that fails in time is heard', async () => {
  await expect(within(LONG_MS, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});
