import { allocate, base32, compareBytes, concat, equalBytes, fromHex, mapKey, toHex, u32, utf8 } from './bytes.js';

describe('bytes', () => {
  it('are equal exactly when length and content are', () => {
    expect(equalBytes(fromHex('0102'), fromHex('0102'))).toBe(true);
    expect(equalBytes(fromHex('0102'), fromHex('0103'))).toBe(false);
    expect(equalBytes(fromHex('0102'), fromHex('010200'))).toBe(false);
    expect(equalBytes(fromHex(''), fromHex(''))).toBe(true);
  });

  it('are ordered as unsigned bytes, a prefix first', () => {
    expect(compareBytes(fromHex('7f'), fromHex('80'))).toBeLessThan(0);
    expect(compareBytes(fromHex('80'), fromHex('8000'))).toBeLessThan(0);
    expect(compareBytes(fromHex('80'), fromHex('80'))).toBe(0);
  });

  it('become hexadecimal text and back', () => {
    expect(toHex(fromHex('00fFa0'))).toBe('00ffa0');
  });

  it.each([0, 16, 64, 65, 256, 9000])(
    'of any value and %i long, also within others, have a text that is their own',
    (size) => {
      const around = Uint8Array.from({ length: size + 2 }, (_, at) => (at * 7 + (at >>> 8)) & 255);
      const bytes = around.subarray(1, size + 1);
      expect(toHex(bytes)).toBe(Buffer.from(bytes).toString('hex'));
      expect(mapKey(bytes)).toBe(mapKey(bytes.slice()));
      const others = [around.subarray(0, size + 1), ...Array.from(bytes.slice(0, 256), (_, at) => edited(bytes, at))];
      for (const other of others) expect(mapKey(other)).not.toBe(mapKey(bytes));
    },
  );

  it.each(['0', '0g', 'xx', '0x00'])('are not read from %s', (text) => {
    expect(() => fromHex(text)).toThrow(RangeError);
  });

  it.each([
    ['', ''],
    ['f', 'my'],
    ['fo', 'mzxq'],
    ['foo', 'mzxw6'],
    ['foob', 'mzxw6yq'],
    ['fooba', 'mzxw6ytb'],
    ['foobar', 'mzxw6ytboi'],
  ])('have the base32 of RFC 4648 without padding: "%s" is "%s"', (text, expected) => {
    expect(base32(utf8(text))).toBe(expected);
  });

  it('are joined in order, and written as 32 bits with the highest first', () => {
    expect(toHex(concat(fromHex('01'), fromHex(''), fromHex('0203')))).toBe('010203');
    expect(toHex(u32(0x01020304))).toBe('01020304');
  });

  it('are allocated as zeros that nobody else has', () => {
    const many = Array.from({ length: 100 }, () => allocate(300).fill(1));
    expect(allocate(300).every((byte) => byte === 0)).toBe(true);
    many[0]?.fill(2);
    expect(many.slice(1).every((bytes) => bytes.every((byte) => byte === 1))).toBe(true);
    expect(allocate(100_000)).toHaveLength(100_000);
  });
});

function edited(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.map((byte, index) => (index === at ? byte ^ 0x80 : byte));
}
