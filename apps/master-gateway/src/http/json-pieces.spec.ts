import { Float, type Value } from '@natrium/model';
import { plainJson } from '@natrium/output';
import { jsonPieces } from './json-pieces.js';

async function gathered(value: Value): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const piece of jsonPieces(value)) all.push(piece);
  return all;
}

const deep = (levels: number): Value => (levels === 0 ? ['end'] : { 'a "key"': deep(levels - 1), b: [] });

it.each<[string, Value]>([
  ['a text', 'ü\u0007'],
  ['null', null],
  ['an empty list', []],
  ['an empty map', {}],
  ['numbers', [1, 1.5, new Float(2), 12345678901234567890n]],
  ['what JSON has no word for', { a: [new Float(NaN), new Float(-Infinity)], 'b\u2028': '\u2029' }],
  ['a list of maps', [{ a: 1, b: [true, null] }, {}, []]],
  ['maps deeper than are taken apart', deep(12)],
])('the pieces of %s are its JSON', async (_, value) => {
  expect((await gathered(value)).join('')).toBe(plainJson(value));
});

it('of a large value come many pieces, none much longer than its longest text, and others have a turn in between', async () => {
  const value = Array.from({ length: 100 }, (_, n) => ({ [`m${String(n)}`]: 'x'.repeat(20_000) }));
  let turns = 0;
  const count = () => {
    turns += 1;
    if (turns < 1000) setImmediate(count);
  };
  setImmediate(count);
  const all = await gathered(value);
  const during = turns;
  turns = 1000;
  expect(all.join('')).toBe(plainJson(value));
  expect(Math.max(...all.map(({ length }) => length))).toBeLessThan(100_000);
  expect(all.length).toBeGreaterThan(20);
  expect(during).toBeGreaterThan(20);
});
