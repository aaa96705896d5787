/** Rules of a process that stood still: it knows so before anything else, and for a while. */
import { jest } from '@jest/globals';
import { Standstill } from './standstill.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

it('knows it when it goes on, before its first tick, and for ten seconds', () => {
  let stoodMs = 0;
  const began = Date.now();
  const standstill = new Standstill(() => Date.now() - began + stoodMs);
  jest.advanceTimersByTime(60_000);
  expect(standstill.isRecent()).toBe(false);
  stoodMs = 6000;
  expect(standstill.isRecent()).toBe(true);
  jest.advanceTimersByTime(10_000);
  expect(standstill.isRecent()).toBe(true);
  jest.advanceTimersByTime(2000);
  expect(standstill.isRecent()).toBe(false);
  standstill.stop();
  expect(jest.getTimerCount()).toBe(0);
});

it('a busy moment is none', () => {
  let busyMs = 0;
  const standstill = new Standstill(() => Date.now() + busyMs);
  busyMs = 4000;
  expect(standstill.isRecent()).toBe(false);
  jest.advanceTimersByTime(1000);
  expect(standstill.isRecent()).toBe(false);
  standstill.stop();
});
