import { fromHex, toHex } from '../bytes.js';
import { decode, encode, EncodingError } from '../encoding.js';
import { encodingVectors } from './encoding.vectors.js';
import { committed, fromNoted, noted } from './vector-file.js';

const made = encodingVectors();
const file = committed('encoding', made);

it('the committed vectors of the encoding are what the generator makes', () => {
  expect(file).toEqual(made);
});

it.each(file.cases)('encoding: $name is $expect', ({ hex, expect: expected, value, most }) => {
  if (expected === 'refused') {
    expect(() => decode(fromHex(hex), most)).toThrow(EncodingError);
    return;
  }
  expect(noted(decode(fromHex(hex), most))).toEqual(value);
  expect(toHex(encode(fromNoted(value ?? null)))).toBe(hex);
});
