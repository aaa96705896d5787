/** Vectors of the encoding: each form that is the one form of a value, and each that is refused. */
import { toHex } from '../bytes.js';
import { encode, type Wire } from '../encoding.js';
import { type Noted, noted, type Vectors } from './vector-file.js';

export interface EncodingCase {
  readonly name: string;
  readonly hex: string;
  readonly expect: 'read' | 'refused';
  readonly value?: Noted;
  /** What holds more values is refused. */
  readonly most?: number;
}

const INTEGERS = [
  0, 1, 127, 128, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, 9_007_199_254_740_991, -1, -32, -33, -128,
  -129, -32_768, -32_769, -2_147_483_648, -2_147_483_649, -9_007_199_254_740_991,
];
const listOf = (count: number): Wire => Array.from({ length: count }, () => 0);
const mapOf = (count: number): Wire =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${String(i)}`, i]));
const nested = (levels: number): Wire => (levels === 0 ? 0 : [nested(levels - 1)]);

const VALID: readonly (readonly [string, Wire])[] = [
  ['nil', null],
  ['false', false],
  ['true', true],
  ...INTEGERS.map((n): [string, Wire] => [`integer ${String(n)}`, n]),
  ...[0.5, -1.5, 5e-324, 1e-9, 1234.5].map((n): [string, Wire] => [`float ${String(n)}`, n]),
  ...[0, 31, 32, 255, 256].map((n): [string, Wire] => [`text of ${String(n)} bytes`, 'a'.repeat(n)]),
  ['text beyond ASCII', 'Natrium ü € 😀'],
  ...[0, 255, 256].map((n): [string, Wire] => [`${String(n)} bytes`, new Uint8Array(n)]),
  ...[0, 15, 16].map((n): [string, Wire] => [`list of ${String(n)}`, listOf(n)]),
  ...[0, 15, 16].map((n): [string, Wire] => [`map of ${String(n)}`, mapOf(n)]),
  ['map in an order of its own', { z: 1, a: 2, '': 3 }],
  [
    'map with index keys, which come first and rise',
    { '0': 'a', '10': 'b', x: 'c', '-1': 'd', '01': 'e', '4294967295': 'f' },
  ],
  ['32 levels', nested(32)],
];

const INVALID: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['a byte after the value', 'c000'],
  ['the unused head', 'c1'],
  ['extension of 1 byte', 'd40000'],
  ['extension of 4 bytes, a timestamp', 'd6ff00000000'],
  ['extension with 8 bits of length', 'c7000c'],
  ['extension with 16 bits of length', 'c800000c'],
  ['extension with 32 bits of length', 'c9000000000c'],
  ['1 as 8 bits', 'cc01'],
  ['127 as 8 bits', 'cc7f'],
  ['255 as 16 bits', 'cd00ff'],
  ['65,535 as 32 bits', 'ce0000ffff'],
  ['4,294,967,295 as 64 bits', 'cf00000000ffffffff'],
  ['2^53', 'cf0020000000000000'],
  ['2^64 - 1', 'cfffffffffffffffff'],
  ['1 as signed 8 bits', 'd001'],
  ['-32 as signed 8 bits', 'd0e0'],
  ['-128 as signed 16 bits', 'd1ff80'],
  ['200 as signed 16 bits', 'd100c8'],
  ['-32,768 as signed 32 bits', 'd2ffff8000'],
  ['-2^31 as signed 64 bits', 'd3ffffffff80000000'],
  ['2^32 as signed 64 bits', 'd30000000100000000'],
  ['-2^53', 'd3ffe0000000000000'],
  ['-2^63', 'd38000000000000000'],
  ['float of 32 bits', 'ca3f000000'],
  ['1 as a float', 'cb3ff0000000000000'],
  ['0 as a float', 'cb0000000000000000'],
  ['minus zero', 'cb8000000000000000'],
  ['1e300, an integer', 'cb7e37e43c8800759c'],
  ['NaN', 'cb7ff8000000000000'],
  ['infinity', 'cb7ff0000000000000'],
  ['minus infinity', 'cbfff0000000000000'],
  ['short text with 8 bits of length', 'd90161'],
  ['short text with 16 bits of length', 'da000161'],
  ['short text with 32 bits of length', 'db0000000161'],
  ['short bytes with 16 bits of length', 'c5000100'],
  ['short bytes with 32 bits of length', 'c60000000100'],
  ['short list with 16 bits of length', 'dc0000'],
  ['short list with 32 bits of length', 'dd00000000'],
  ['short map with 16 bits of length', 'de0000'],
  ['short map with 32 bits of length', 'df00000000'],
  ['text with a byte that is never UTF-8', 'a1ff'],
  ['text with a long form of zero', 'a2c080'],
  ['text with a surrogate', 'a3eda080'],
  ['text beyond Unicode', 'a4f4908080'],
  ['text with half a character', 'a1c3'],
  ['a key twice', '82a16101a16102'],
  ['a key that is an integer', '810100'],
  ['a key that is a byte string', '81c4016100'],
  ['a key in its long form', '81d9016100'],
  ['the key __proto__', '81a95f5f70726f746f5f5f00'],
  ['an index key after another', '82a16101a13001'],
  ['falling index keys', '82a13101a13001'],
  ['cut integer', 'cd01'],
  ['cut float', 'cb3ff00000'],
  ['cut text', 'a261'],
  ['cut bytes', 'c40200'],
  ['cut list', '9200'],
  ['cut map', '81a161'],
  ['33 levels', `${'91'.repeat(33)}00`],
];

/** Five values: the outermost and the keys are none. */
const COUNTED = { hex: toHex(encode([[1, 'b'], { c: [] }])), value: noted([[1, 'b'], { c: [] }]) };
const BOUNDED: readonly EncodingCase[] = [
  { name: 'as many values as it may hold', ...COUNTED, expect: 'read', most: 5 },
  { name: 'a value more than it may hold', hex: COUNTED.hex, expect: 'refused', most: 4 },
  { name: 'a value that holds none, where none may be held', hex: 'c0', expect: 'read', value: null, most: 0 },
];

export function encodingVectors(): Vectors<EncodingCase> {
  const valid = VALID.map(([name, value]) => ({
    name,
    hex: toHex(encode(value)),
    expect: 'read' as const,
    value: noted(value),
  }));
  const invalid = INVALID.map(([name, hex]) => ({ name, hex, expect: 'refused' as const }));
  const about =
    '`hex` is read as `value` (byte strings as {"$hex"}, maps in this order) and written as the same bytes; or it is refused; where `most` is given, by a reader that takes as many values.';
  return { about, cases: [...valid, ...invalid, ...BOUNDED] };
}
