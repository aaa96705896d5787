/** Rules of job ids: Salt's form. */
import { jidOf, parseJid, startTimeOf } from './jid.js';

const MS = Date.UTC(2026, 10, 20, 11, 24, 4, 639);

describe('a jid', () => {
  it('is the time in UTC, to the microsecond', () => {
    expect(jidOf(MS * 1000 + 750)).toBe('20261120112404639750');
    expect(jidOf(0)).toBe('19700101000000000000');
    expect(jidOf(999_999)).toBe('19700101000000999999');
    expect(jidOf(Date.UTC(1999, 11, 31, 23, 59, 59, 999) * 1000 + 999)).toBe('19991231235959999999');
  });

  it('is read as 20 digits', () => {
    expect(parseJid('20261120112404639750')).toBe('20261120112404639750');
  });

  it.each([
    '',
    '2026112011240463975',
    '202611201124046397500',
    '2026112011240463975x',
    '20261120112404639750\n',
    ' 20261120112404639750',
    '٢٠٢٦١١٢٠١١٢٤٠٤٦٣٩٧٥٠',
    20261120112404,
    null,
    undefined,
    ['20261120112404639750'],
  ])('is nothing else: %p', (text) => {
    expect(parseJid(text)).toBeUndefined();
  });

  it('shows the start of its job', () => {
    expect(startTimeOf(jidOf(MS * 1000 + 750))).toBe('2026, Nov 20 11:24:04.639750');
    expect(startTimeOf(parseJid('20260101000000000000')!)).toBe('2026, Jan 01 00:00:00.000000');
  });

  it('that holds no date shows no month', () => {
    expect(startTimeOf(parseJid('20269999999999999999')!)).toContain('???');
  });
});
