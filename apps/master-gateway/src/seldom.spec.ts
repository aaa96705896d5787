/** Rules of telling seldom: the first at once, none uncounted, and nothing when nothing comes. */
import { Seldom } from './seldom.js';

it('tells of the first at once, of the others by their number, and of each kind for itself', () => {
  const told: unknown[] = [];
  const timers: (() => void)[] = [];
  const seldom = new Seldom<string>((what, times) => told.push([what, times]), (_, run) => timers.push(run)); // prettier-ignore
  for (let n = 0; n < 1000; n += 1) seldom.note('duplicate');
  seldom.note('stranger');
  expect(told.splice(0)).toEqual([['duplicate', 1], ['stranger', 1]]); // prettier-ignore
  for (const timer of timers.splice(0)) timer();
  expect(told.splice(0)).toEqual([['duplicate', 999]]);
  for (const timer of timers.splice(0)) timer();
  expect([told, timers]).toEqual([[], []]);
  seldom.note('duplicate');
  expect(told).toEqual([['duplicate', 1]]);
});
