/** Rules of an event's size: what somebody fires is refused where it is too large, what a service tells of others is trimmed. */
import type { Value, ValueMap } from '@natrium/model';
import { sized, trimmed } from './sized.js';

const MAX = 1000;
const text = (length: number) => 'x'.repeat(length);
const nested = (levels: number) => Array.from({ length: levels }).reduce<Value>((inner) => [inner], 1);

it('what fits is measured and left as it is, whichever way', () => {
  const data = { a: text(500), b: [1, 2] };
  const { bytes } = sized(data, MAX);
  expect(bytes).toBeGreaterThan(500);
  expect(bytes).toBeLessThan(600);
  expect(trimmed(data, MAX)).toEqual({ data, bytes });
});

it.each<[string, ValueMap, string]>([
  ['is too large', { a: text(1000) }, 'at most 1000 bytes (max_event_size)'],
  ['has no encoding', { a: nested(30) }, 'nested deeper than 26 levels'],
])('what %s is refused', (_, data, why) => {
  expect(() => sized(data, MAX)).toThrow(why);
});

it.each<[string, ValueMap, ValueMap]>([
  ['the largest value', { id: 'a', arg: text(2000) }, { id: 'a', arg: 'VALUE_TRIMMED' }],
  [
    'no more than is needed',
    { a: text(400), b: text(600), c: text(300) },
    { a: text(400), b: 'VALUE_TRIMMED', c: text(300) },
  ],
  ['as many as are needed', { a: text(900), b: [text(2000)], c: 1 }, { a: text(900), b: 'VALUE_TRIMMED', c: 1 }],
  ['all that is large', { a: text(990), b: text(999), c: 1 }, { a: 'VALUE_TRIMMED', b: 'VALUE_TRIMMED', c: 1 }],
  ['what is nested too deep', { a: nested(30), b: text(900) }, { a: 'VALUE_TRIMMED', b: text(900) }],
])('of what a service tells %s is trimmed', (_, data, left) => {
  expect(trimmed(data, MAX).data).toEqual(left);
});

it('what is too large without any large value is refused', () => {
  const data = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`key${String(n)}`, n]));
  expect(() => trimmed(data, MAX)).toThrow('at most 1000 bytes');
});
