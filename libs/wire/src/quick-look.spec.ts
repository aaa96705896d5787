/** Quick looks and zod agree on every leaf of every message and record, for whatever comes. */
import * as fc from 'fast-check';
import * as z from 'zod/mini';
import * as fieldsOfAll from './fields.js';
import { quickLook } from './quick-look.js';

const anyOf = z.enum(['one', 'two']);
const LEAVES: Readonly<Record<string, z.ZodMiniType>> = {
  bytes: fieldsOfAll.bytes(40),
  digest: fieldsOfAll.digest,
  signature: fieldsOfAll.signature,
  text: fieldsOfAll.text(8),
  word: fieldsOfAll.word,
  instance: fieldsOfAll.instance,
  minionId: fieldsOfAll.minionId,
  jid: fieldsOfAll.jid,
  count: fieldsOfAll.count,
  boolean: z.boolean(),
  one: z.literal('one'),
  anyOf,
  'text or nil': z.nullable(fieldsOfAll.text(8)),
  'one of, or nil': z.nullable(anyOf),
};

/** At and beyond each bound, and of every kind. */
const anything = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.integer({ min: 250, max: 260 }).map((length) => 'x'.repeat(length)),
  fc.stringMatching(/^[0-9]{19,21}$/),
  fc.stringMatching(/^[a-z0-9_.-]{0,66}$/),
  fc.constantFrom('one', 'two', 'three', '', '٠'.repeat(20)),
  fc.uint8Array({ minLength: 0, maxLength: 66 }),
  fc.constantFrom(32, 64, 40, 41).map((length) => new Uint8Array(length)),
  fc.double(),
  fc.integer(),
  fc.constantFrom(0, -0, -1, 2 ** 53, 2 ** 53 - 1, -(2 ** 53), 1.5, NaN, Infinity, 1n, null, undefined, true, false),
  fc.anything(),
);

it.each(Object.entries(LEAVES))('%s', (_, schema) => {
  const look = quickLook(schema);
  expect(look).toBeDefined();
  fc.assert(
    fc.property(anything, (value) => {
      expect(look?.(value)).toBe(z.safeParse(schema, value).success);
    }),
    { numRuns: 2000 },
  );
});

it.each<readonly [string, z.ZodMiniType]>([
  ['has parts', fieldsOfAll.signed],
  ['is turned on its way', fieldsOfAll.value],
  ['is turned on its way, or nil', z.nullable(fieldsOfAll.signed)],
  ['is checked in a way that is not known', z.string().check(z.refine((text) => text !== 'no'))],
  ['takes everything', z.any()],
  ['has a format of its own', z.email()],
  ['is a number of another kind', z.number()],
  ['is bounded above', z.int().check(z.maximum(3))],
  ['has more than one character', z.string().check(z.minLength(2))],
  ['is checked as a whole, or nil', z.nullable(z.string()).check(z.refine((text) => text !== 'no'))],
  ['remembers where it was', z.string().check(z.regex(/a/g))],
])('what %s is left to zod', (_, schema) => {
  expect(quickLook(schema)).toBeUndefined();
});
