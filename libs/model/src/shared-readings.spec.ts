import { SharedReadings } from './shared-readings.js';

let begun: ((end: number | Error) => void)[];
let readings: SharedReadings<string, number>;
beforeEach(() => {
  begun = [];
  readings = new SharedReadings();
});

const ask = (key = 'a') =>
  readings.of(
    key,
    () =>
      new Promise((resolve, reject) => {
        begun.push((end) => {
          if (end instanceof Error) reject(end);
          else resolve(end);
        });
      }),
  );
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('all who ask while one is under way share the next, which begins when that has ended', async () => {
  const asked = [ask(), ask(), ask()];
  await turn();
  expect(begun).toHaveLength(1);
  begun[0]?.(1);
  await turn();
  expect(begun).toHaveLength(2);
  begun[1]?.(2);
  expect(await Promise.all(asked)).toEqual([1, 2, 2]);
});

it('one that fails is the failure of its own askers alone', async () => {
  const [first, second] = [ask(), ask()];
  await turn();
  begun[0]?.(new Error('no'));
  await expect(first).rejects.toThrow('no');
  await turn();
  begun[1]?.(2);
  expect(await second).toBe(2);
});

it('those of different keys do not wait for one another, and who comes after the end has one of his own', async () => {
  const [a, b] = [ask('a'), ask('b')];
  await turn();
  expect(begun).toHaveLength(2);
  begun.forEach((end, n) => end(n));
  expect(await Promise.all([a, b])).toEqual([0, 1]);
  void ask('a');
  await turn();
  expect(begun).toHaveLength(3);
});
