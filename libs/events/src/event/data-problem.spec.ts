/** What the data of an event may be: all that is let through has an encoding in every message and record that carries it. */
import { encode, type Wire } from '@natrium/envelope';
import { Float, type Value, type ValueMap } from '@natrium/model';
import { contracts, records, writeAs } from '@natrium/wire';
import { dataProblem } from './data-problem.js';

const HALF = '\udcff'; // what Python writes for a byte of a file's name that is not UTF-8
const nested = (levels: number): ValueMap =>
  Array.from({ length: levels - 1 }).reduce<ValueMap>((inner) => ({ a: inner }), { f: new Float(1) });

it.each<[string, ValueMap, string]>([
  ['a text that is half a character', { f: HALF }, 'a text is not valid Unicode at data.f'],
  ['one far inside', { a: [1, { b: HALF }] }, 'a text is not valid Unicode at data.a[1].b'],
  ['such a key', { a: { [HALF]: 1 } }, 'a key is not valid Unicode at data.a'],
  ['the key that is the prototype', { a: JSON.parse('{"__proto__": 1}') as Value }, 'a key is __proto__ at data.a'],
  ['the same at the top', JSON.parse('{"__proto__": {}}') as ValueMap, 'a key is __proto__'],
  ['a whole number that no reader takes', { n: 10n ** 400n }, 'a whole number has more than 400 digits at data.n'],
  ['an item that is none', { l: [undefined] as unknown as Value }, 'a list has an item that is undefined at data.l[0]'],
  ['27 levels', nested(27), 'it is nested deeper than 26 levels'],
])('%s has no encoding, and it is said where', (_, data, why) => {
  expect(dataProblem(data)).toBe(`an event's data has no encoding: ${why}`);
});

it('what is told of a place is short, and can itself be sent', () => {
  const problem = dataProblem({ [`${'k'.repeat(31)}😀${'k'.repeat(9000)}`]: HALF }) ?? '';
  expect(problem.length).toBeLessThan(120);
  expect(problem.isWellFormed()).toBe(true);
});

it('all else has one, as deep as a minion, a gateway and the journal carry it', () => {
  const none = undefined as unknown as Value;
  const data = { ...nested(26), s: 'ü😀', i: -(10n ** 399n), n: [new Float(NaN), -0, 1e300, 0.1, null, true], none };
  expect(dataProblem(data)).toBeUndefined();
  const event = { tag: 't', data, load: { pretag: null }, stamp: 0 };
  const origin = { kind: 'minion' as const, name: 'a' };
  const all = [
    writeAs(contracts.events.schema, { first: 1, dropped: 0, events: [event] }),
    writeAs(contracts.fire.schema, { tag: 't', data, grantRun: null, lane: new Uint8Array(16), number: 1 }),
    writeAs(records.EventBatch, {
      sender: 'a',
      through: 1,
      events: [{ number: 1, tag: 't', data, stamp: '', origin }],
    }),
  ];
  for (const wire of all) expect(encode(wire as Wire).length).toBeGreaterThan(26);
});
