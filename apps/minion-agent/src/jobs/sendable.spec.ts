/** Rules of what is sent: every return fits into the messages and records that carry it, and says what was left out. */
import { encode, type Wire } from '@natrium/envelope';
import { float, toPlain, type Value } from '@natrium/model';
import { contracts, records, writeAs } from '@natrium/wire';
import { sendable } from '@natrium/flow';

const encoded = (plain: unknown) => encode(plain as Wire).length;

const outcome = (ret: Value) => ({ ret, retcode: 0, success: true, out: null });
const nested = (levels: number): Value => Array.from({ length: levels }).reduce<Value>((inner) => [inner], null);

describe('a return', () => {
  it('that can be sent is itself', () => {
    for (const ret of [null, 'text', { a: [1, 2n ** 70n] }, nested(24), 'x'.repeat(6 << 20).slice(10)]) {
      expect(sendable(outcome(ret), encoded)).toEqual(outcome(ret));
    }
  });

  it('that is nested too deeply gives way to a sentence, and has failed', () => {
    for (const levels of [25, 31, 65, 500]) {
      const sent = sendable(outcome(nested(levels)), encoded);
      expect([sent.retcode, sent.success, sent.ret]).toEqual([1, false, 'the return is nested too deeply to be sent']);
    }
  });

  it('of the greatest depth fits into every message and record on its way', () => {
    const { ret } = sendable(outcome(nested(24)), encoded);
    const jid = '1'.repeat(20);
    const told = { id: 'web1', ...outcome(ret) };
    const stored = { jid, id: 'web1', status: 'done' as const, outcome: outcome(ret), at: 1 };
    const said = { jid, digest: new Uint8Array(32), status: 'done' as const, code: null, outcome: outcome(ret) };
    const all = [
      writeAs(contracts.returned.schema, said),
      writeAs(contracts.news.schema, { refusal: null, started: null, returns: [told], end: null }),
      writeAs(contracts.answer.schema, { refusal: null, result: { Result: { web1: { return: ret } } } }),
      writeAs(records.ReturnGroup, [stored]),
    ];
    for (const wire of all) expect(encode(wire as Wire).length).toBeGreaterThan(24);
  });

  it.each([
    ['an outputter whose name is too long', { out: 'x'.repeat(65) }, { out: null }],
    ['an outputter whose name is no text', { out: '\ud800' }, { out: null }],
    ['a code that is too large', { retcode: 1e20 }, { retcode: 1, success: false }],
    ['a code that is none', { retcode: Number.NaN }, { retcode: 1, success: false }],
    ['what can be sent', { out: 'nested', retcode: -7 }, { out: 'nested', retcode: -7 }],
  ])('whose module says %s can be sent all the same', (_about, said, sent) => {
    const made = sendable({ ...outcome('done'), ...said }, encoded);
    expect(made).toEqual({ ...outcome('done'), ...sent });
    const body = {
      jid: '1'.repeat(20),
      digest: new Uint8Array(32),
      status: 'done' as const,
      code: null,
      outcome: made,
    };
    expect(encode(writeAs(contracts.returned.schema, body) as Wire).length).toBeGreaterThan(24);
  });

  it('that is too large is cut, with its true size', () => {
    const text = 'ü'.repeat(5 << 20);
    const { ret, success } = sendable(outcome(text), encoded);
    expect(success).toBe(true);
    expect(encode(toPlain(ret) as Wire).length).toBeLessThan((6 << 20) + 100);
    expect((ret as string).endsWith(`ü\n[cut: the return had ${(10 << 20) + 5} bytes]`)).toBe(true);
    expect(sendable(outcome([text]), encoded).ret).toBe(`[cut: the return had ${(10 << 20) + 6} bytes]`);
  });

  it('that holds more values than its reader takes is told in a sentence, whatever its bytes', () => {
    const list = Array.from({ length: 10 }, () => ({}));
    expect(sendable(outcome(list), encoded, { maxValues: 11 }).ret).toBe(list);
    expect(sendable(outcome(list), encoded, { maxValues: 10 })).toMatchObject({
      ret: '[cut: the return had more than 10 values]',
      success: true,
    });
    // A whole float travels as a map of one.
    expect(sendable(outcome([float(1), float(2)]), encoded, { maxValues: 4 }).ret).toContain('[cut:');
  });

  it('may be as large as its message allows', () => {
    const text = 'x'.repeat(7 << 20);
    expect(sendable(outcome(text), encoded, { maxBytes: 8_126_464 }).ret).toBe(text);
    expect(sendable(outcome(text), encoded).ret).toContain('[cut: the return had');
  });
});
