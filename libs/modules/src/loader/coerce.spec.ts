/** Rules of reading a text as a list. */
import { coerce } from './coerce.js';

it.each([
  ['a, b,c', ['a', 'b', 'c']],
  ['a', ['a']],
  ['', []],
  ['  ', []],
])('%j holds %j: one that is empty holds nothing, not one empty word', (text, words) => {
  expect(coerce('list', text)).toEqual(words);
});
