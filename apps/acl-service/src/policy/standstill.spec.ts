/** Rules of a process that stood still: it knows so once, before it decides anything. */
import { jest } from '@jest/globals';
import { Standstill, standstillOf } from './standstill.js';

let stoodMs: number;
const now = () => Date.now() + stoodMs;

beforeEach(() => {
  jest.useFakeTimers();
  stoodMs = 0;
});
afterEach(() => {
  jest.useRealTimers();
});

it('knows it once when it goes on, before its first tick', () => {
  const standstill = new Standstill(now);
  jest.advanceTimersByTime(60_000);
  expect(standstill.isOver()).toBe(false);
  stoodMs = 2000;
  expect([standstill.isOver(), standstill.isOver()]).toEqual([true, false]);
  standstill.stop();
  expect(jest.getTimerCount()).toBe(0);
});

it('knows it also where a tick comes first', () => {
  const standstill = new Standstill(now);
  stoodMs = 2000;
  jest.advanceTimersByTime(5000);
  expect([standstill.isOver(), standstill.isOver()]).toEqual([true, false]);
  standstill.stop();
});

it('a busy moment is none', () => {
  const standstill = new Standstill(now);
  stoodMs = 900;
  expect(standstill.isOver()).toBe(false);
  jest.advanceTimersByTime(5000);
  expect(standstill.isOver()).toBe(false);
  standstill.stop();
});

it('a service that still starts stands still for nobody, and one that stops leaves no timer', () => {
  const hooks: (() => unknown)[] = [];
  const register = (hook: () => unknown) => void hooks.push(hook);
  const isOver = standstillOf(register, register);
  const [listening, stopping] = hooks;
  expect(isOver()).toBe(false);
  stopping?.();
  listening?.();
  expect([isOver(), jest.getTimerCount()]).toEqual([false, 1]);
  stopping?.();
  expect(jest.getTimerCount()).toBe(0);
});
