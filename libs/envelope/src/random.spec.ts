import { toHex } from './bytes.js';
import { randomBytes } from './random.js';

describe('random bytes', () => {
  it('have the size that was asked, across pools and beyond them', () => {
    for (const size of [0, 1, 16, 24, 32, 1000, 1024, 1025, 20_000]) expect(randomBytes(size)).toHaveLength(size);
  });

  it('are never given out twice', () => {
    const given = Array.from({ length: 5000 }, () => toHex(randomBytes(16)));
    expect(new Set(given).size).toBe(given.length);
  });

  it("are the caller's own", () => {
    const [mine, other] = [randomBytes(32), randomBytes(32)];
    const before = toHex(other);
    mine.fill(0);
    expect(toHex(mine)).toBe('0'.repeat(64));
    expect(toHex(other)).toBe(before);
    expect(toHex(randomBytes(32))).not.toBe('0'.repeat(64));
  });
});
