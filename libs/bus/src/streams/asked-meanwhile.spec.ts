import { jest } from '@jest/globals';
import { askedMeanwhile } from './asked-meanwhile.js';

const AGAIN_MS = 1500;

interface Ask {
  come(made: string): void;
  fail(cause: Error): void;
}

let asks: Ask[];
let unused: string[];
let first: Promise<string>;
beforeEach(() => {
  jest.useFakeTimers();
  asks = [];
  unused = [];
  const ask = () => new Promise<string>((come, fail) => void asks.push({ come, fail }));
  first = askedMeanwhile(ask, AGAIN_MS, (late) => unused.push(late));
});
afterEach(() => {
  jest.useRealTimers();
});

it('asks once where the answer comes in time', async () => {
  asks[0]?.come('a');
  expect(await first).toBe('a');
  await jest.advanceTimersByTimeAsync(10 * AGAIN_MS);
  expect([asks.length, unused]).toEqual([1, []]);
});

it('asks again while nobody answers, and hands on what comes first', async () => {
  await jest.advanceTimersByTimeAsync(2 * AGAIN_MS);
  expect(asks).toHaveLength(3);
  asks[1]?.come('b');
  expect(await first).toBe('b');
  await jest.advanceTimersByTimeAsync(10 * AGAIN_MS);
  expect(asks).toHaveLength(3);
});

it('tells of each that comes later that it is not used', async () => {
  await jest.advanceTimersByTimeAsync(2 * AGAIN_MS);
  asks[2]?.come('c');
  asks[0]?.come('a'); // at the same time
  expect(await first).toBe('c');
  asks[1]?.fail(new Error('timeout'));
  await jest.advanceTimersByTimeAsync(0);
  expect(unused).toEqual(['a']);
});

it('fails with the first failure, asks no more, and tells of what comes after it', async () => {
  await jest.advanceTimersByTimeAsync(AGAIN_MS);
  asks[1]?.fail(new Error('no stream'));
  await expect(first).rejects.toThrow('no stream');
  asks[0]?.come('a');
  await jest.advanceTimersByTimeAsync(10 * AGAIN_MS);
  expect([asks.length, unused]).toEqual([2, ['a']]);
});

it('fails with what is thrown instead of asking, and asks no more', async () => {
  let asked = 0;
  const ask = () => {
    asked += 1;
    throw new RangeError('no such time');
  };
  await expect(askedMeanwhile(ask, AGAIN_MS, () => undefined)).rejects.toThrow('no such time');
  await jest.advanceTimersByTimeAsync(10 * AGAIN_MS);
  expect(asked).toBe(1);
});
