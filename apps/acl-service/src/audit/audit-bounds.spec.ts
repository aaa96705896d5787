/** Rules of how much one record quotes: what fits is whole, what does not says its size and its hash. */
import { auditHash, encode, sodiumReady, toHex, type WireMap } from '@natrium/envelope';
import { quoted, withinBounds } from './audit-bounds.js';

const ARGS = 4096;
const DETAIL = 64 << 10;
/** How a text of so many bytes is encoded. */
const HEAD = 3;

beforeAll(sodiumReady);

const measured = (whole: Parameters<typeof encode>[0]) => {
  const bytes = encode(whole);
  return { bytes: bytes.length, digest: toHex(auditHash(bytes)) };
};

describe('the arguments of a request about keys', () => {
  it.each([[[]], [['web1', { id: 'web2' }, null]], [['x'.repeat(ARGS - HEAD - 1)]]])('are quoted whole: %#', (args) => {
    expect(quoted(args)).toEqual({ args });
  });

  it('are quoted as far as they fit, with the size and the hash of all of them', () => {
    const args = ['first', 'x'.repeat(2000), 'x'.repeat(2000), 'x'.repeat(2000), 'last'];
    expect(quoted(args)).toEqual({ args: args.slice(0, 3), args_cut: measured(args) });
    const large = ['x'.repeat(5 << 20), 'web1'];
    expect(quoted(large)).toEqual({ args: [], args_cut: measured(large) });
  });

  it('that call themselves cut are not: who sent them cannot say so', () => {
    const args = [{ args_cut: { bytes: 7, digest: '00' } }];
    expect(quoted(args)).toEqual({ args });
  });
});

describe('what a record says', () => {
  it('is whole up to 64 KiB', () => {
    const detail = { text: 'x'.repeat(DETAIL - 10) };
    expect(withinBounds(detail)).toBe(detail);
  });

  it('keeps what is small where something large does not fit, and says that it is cut', () => {
    const detail = { refused: 'x'.repeat(DETAIL), fun: 'key.accept', keys: [{ id: 'web1' }] };
    expect(withinBounds(detail)).toEqual({ fun: detail.fun, keys: detail.keys, cut: measured(detail) });
  });

  it.each<[string, WireMap]>([
    ['one text', { text: 'x'.repeat(7 << 20) }],
    ['many fields', Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`field ${String(n)}`, n]))],
    ['a long name of a field', { ['x'.repeat(1 << 20)]: 1 }],
  ])('is never more than that, whatever it is: %s', (_, detail) => {
    const cut = withinBounds(detail);
    expect(encode(cut).length).toBeLessThanOrEqual(DETAIL);
    expect(cut['cut']).toEqual(measured(detail));
  });
});
