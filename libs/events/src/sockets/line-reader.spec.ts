/** Rules of lines: they end at a line feed and nowhere else, however they were cut on their way. */
import { LineReader } from './line-reader.js';

const TEXT = 'a\u2028b\u2029c\u0085d\re\n\nüöä €\nrest';

it.each([1, 2, 3, 1000])('cut into pieces of %s bytes they are the same', (size) => {
  const reader = new LineReader();
  const bytes = Buffer.from(TEXT);
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += size) lines.push(...reader.take(bytes.subarray(at, at + size)));
  expect(lines).toEqual(['a\u2028b\u2029c\u0085d\re', '', 'üöä €']);
  expect(reader.waiting).toBe('rest'.length);
});
