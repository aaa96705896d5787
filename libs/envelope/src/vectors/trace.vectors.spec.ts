import { fromHex, toHex } from '../bytes.js';
import { sodiumReady } from '../sodium.js';
import { privatePart, traceIn } from '../trace.js';
import { placeOfJob, traceVectors } from './trace.vectors.js';
import { committed } from './vector-file.js';

await sodiumReady();

const made = traceVectors();
const file = committed('trace', made);

it('the committed vectors of traces are what the generator makes', () => {
  expect(file).toEqual(made);
});

it.each(file.cases)('$name', ({ private: bytes, trace, own }) => {
  expect(traceIn(fromHex(bytes)) ?? null).toEqual(trace);
  if (own === undefined) return;
  const part = privatePart(own === 'place' ? placeOfJob() : undefined, trace ?? undefined);
  expect(toHex(part ?? new Uint8Array(0))).toBe(bytes);
});

it('is never made of ids of another length or that are no hexadecimal text', () => {
  const good = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true };
  expect(privatePart([], good)).toHaveLength(1 + 2 + 25);
  for (const bad of [
    { traceId: 'a'.repeat(30) },
    { traceId: 'x'.repeat(32) },
    { spanId: 'b'.repeat(18) },
    { spanId: '' },
  ])
    expect(() => privatePart([], { ...good, ...bad })).toThrow(RangeError);
});
