/** Rules of what a bus keeps of the batches that it told last: so many events and so many bytes, whoever fired them. */
import { jest } from '@jest/globals';
import { encode, sodiumReady, type Wire } from '@natrium/envelope';
import { records, writeAs } from '@natrium/wire';
import { RecentBatches } from './recent-batches.js';

beforeAll(sodiumReady);

function aBatch(sequence: number, text: string) {
  const events = [
    { number: sequence, tag: 't', data: { text }, stamp: '', origin: { kind: 'minion' as const, name: 'web1' } },
  ];
  const batch = { sender: 'a', through: sequence, events };
  return { ...batch, sequence, encoded: encode(writeAs(records.EventBatch, batch) as Wire) };
}

function keeping(count: number, text: string): RecentBatches {
  const recent = new RecentBatches();
  for (let sequence = 1; sequence <= count; sequence += 1) recent.keep(aBatch(sequence, text));
  return recent;
}

const sequencesOf = (recent: RecentBatches, after: number) => recent.after(after)?.map(({ sequence }) => sequence);

it('gives back those after a place, as they were', () => {
  const { sequence, sender, events } = aBatch(3, 'x');
  expect(keeping(3, 'x').after(2)).toMatchObject([{ sequence, sender, events }]);
  expect(keeping(3, 'x').after(3)).toEqual([]);
});

it('keeps few of what is large, however few events they are, and says that it has the others no more', () => {
  const recent = keeping(300, 'x'.repeat(1 << 20));
  expect(recent.after(290)).toBeUndefined();
  expect(sequencesOf(recent, 297)).toEqual([298, 299, 300]);
});

it('keeps the last one, however large it is', () => {
  expect(sequencesOf(keeping(2, 'x'.repeat(5 << 20)), 1)).toEqual([2]);
});

it('keeps so many events of what is small', () => {
  const recent = keeping(2500, 'x');
  expect(recent.after(499)).toBeUndefined();
  expect(recent.after(500)).toHaveLength(2000);
});

it('forgets what was told a while ago, however little it is', () => {
  jest.useFakeTimers();
  try {
    const recent = keeping(2, 'x');
    jest.advanceTimersByTime(6000);
    recent.keep(aBatch(3, 'x'));
    expect(sequencesOf(recent, 0)).toEqual([1, 2, 3]);
    jest.advanceTimersByTime(5000);
    expect(recent.after(0)).toBeUndefined();
    expect(sequencesOf(recent, 2)).toEqual([3]);
    jest.advanceTimersByTime(5000);
    expect(recent.after(2)).toBeUndefined();
    expect(jest.getTimerCount()).toBe(0);
    recent.keep(aBatch(4, 'x'));
    expect(sequencesOf(recent, 3)).toEqual([4]);
  } finally {
    jest.useRealTimers();
  }
});

it('holds nothing but the batch: a small one shares its buffer with others', () => {
  const shared = new Uint8Array(1 << 16);
  const batch = aBatch(1, 'x');
  shared.set(batch.encoded);
  const recent = new RecentBatches();
  recent.keep({ ...batch, encoded: shared.subarray(0, batch.encoded.length) });
  shared.fill(0);
  expect(recent.after(0)).toMatchObject([{ events: batch.events }]);
});
