/** Rules of times in words: as an event's stamp is written, and as people write them. */
import { jest } from '@jest/globals';
import { stampOf, timeOf } from './event.js';

const MS = 1_795_000_000_000;

/** `Date` as on a host five hours west of Greenwich. */
beforeEach(() => {
  const { parse } = Date;
  const isZoned = /z$|[+-]\d\d:?\d\d$|^[\d-]*$/i;
  jest.spyOn(Date, 'parse').mockImplementation((text) => parse(isZoned.test(text) ? text : `${text} -0500`));
});
afterEach(() => {
  jest.restoreAllMocks();
});

it.each([
  [stampOf(MS), MS],
  ['2026-11-18T11:06:40', MS],
  ['2026-11-18T11:06', MS - 40_000],
  ['2026-11-18 11:06:40', MS],
  ['2026-11-18', MS - 40_000_000],
])('%s, which names no zone, is UTC', (text, ms) => {
  expect(timeOf(text)).toBe(ms);
});

it.each([
  ['2026-11-18T11:06:40Z', MS],
  ['2026-11-18T13:06:40+02:00', MS],
  ['2026-11-18T06:06:40.000-0500', MS],
])('%s is what its zone says', (text, ms) => {
  expect(timeOf(text)).toBe(ms);
});

it.each(['', 'tomorrow', '2026-13-01', '17.99999', '12:30'])('%j is no time', (text) => {
  expect(timeOf(text)).toBeNaN();
});
