import { type AuditSeen, type SeenRecord, verifyAudit } from './audit-verify.js';

const FIRST = '0'.repeat(64);

/** A sound chain: each record's hash is its name, its number and its version. */
function aChain(chain: string, length: number, heads: SeenRecord['heads'] = []): SeenRecord[] {
  return Array.from({ length }, (_, number) => ({
    chain,
    number,
    hash: `${chain}${String(number)}`,
    previous: number === 0 ? FIRST : `${chain}${String(number - 1)}`,
    heads: number === 0 ? heads : [],
    digest: `d${String(number)}`,
    jid: `j${String(number)}`,
    verdict: 'allow',
  }));
}

function found(seen: Partial<AuditSeen>): readonly string[] {
  const findings = verifyAudit({ records: [], unread: [], heads: [], grants: [], ...seen });
  return findings.map(({ kind, chain, number }) => `${kind} ${chain} ${String(number)}`);
}

const swapped = (records: readonly SeenRecord[], a: number, b: number) =>
  records.map((record, index) => records[index === a ? b : index === b ? a : index] ?? record);

describe('the audit', () => {
  it('is intact when every record follows from the one before, and what survives elsewhere is there', () => {
    const records = [...aChain('a', 5), ...aChain('b', 3, [{ chain: 'a', number: 2, hash: 'a2' }])];
    const heads = [{ chain: 'a', number: 4, hash: 'a4', source: 'a head' }];
    const grants = [{ chain: 'b', number: 1, digest: 'd1', jid: 'j1' }];
    expect(found({ records, heads, grants })).toEqual([]);
  });

  it('names a record that was edited', () => {
    const records = aChain('a', 5).map((record) => (record.number === 2 ? { ...record, hash: 'other' } : record));
    expect(found({ records })).toEqual(['edited a 2']);
  });

  it('names the last record when it was edited and a head survives; without one nobody can know', () => {
    const records = aChain('a', 5).map((record) => (record.number === 4 ? { ...record, hash: 'other' } : record));
    expect(found({ records })).toEqual([]);
    expect(found({ records, heads: [{ chain: 'a', number: 4, hash: 'a4', source: 'a head' }] })).toEqual([
      'edited a 4',
    ]);
  });

  it('names a first record that follows from something', () => {
    const records = aChain('a', 2).map((record) => (record.number === 0 ? { ...record, previous: 'x' } : record));
    expect(found({ records })).toEqual(['edited a 0']);
  });

  it.each([
    [[2], 'missing a 2'],
    [[0, 1], 'missing a 0'],
    [[1, 2, 3], 'missing a 1'],
  ])('names a gap where %j were deleted', (gone, expected) => {
    expect(found({ records: aChain('a', 5).filter(({ number }) => !gone.includes(number)) })).toEqual([expected]);
  });

  it('names a record that was put elsewhere', () => {
    expect(found({ records: swapped(aChain('a', 5), 1, 2) })).toEqual(['reordered a 1']);
  });

  it('names a record that is there twice', () => {
    const records = aChain('a', 3);
    expect(found({ records: [...records, ...records.slice(2)] })).toEqual(['duplicate a 2']);
  });

  it('finds records that were renumbered to hide a deletion', () => {
    const records = aChain('a', 5).filter(({ number }) => number !== 2);
    const hidden = records.map((record, number) => ({ ...record, number }));
    expect(found({ records: hidden })).toEqual(['edited a 1']);
  });

  it('finds a cut tail by a signed head, by a grant, and by another chain’s first record', () => {
    const records = aChain('a', 3);
    expect(found({ records, heads: [{ chain: 'a', number: 4, hash: 'a4', source: 'a head' }] })).toEqual(['cut a 3']);
    expect(found({ records, grants: [{ chain: 'a', number: 3, digest: 'd3', jid: 'j3' }] })).toEqual(['cut a 3']);
    const later = aChain('b', 1, [{ chain: 'a', number: 9, hash: 'a9' }]);
    expect(found({ records: [...records, ...later] })).toEqual(['cut a 3']);
    expect(found({ records })).toEqual([]);
  });

  it('finds a chain that is gone as a whole', () => {
    expect(found({ grants: [{ chain: 'a', number: 3, digest: 'd3', jid: 'j3' }] })).toEqual(['cut a 0']);
  });

  it('says of a record that is too large to be read that it is there, and finds what is wrong around it', () => {
    const unread = [{ chain: 'a', number: 2, bytes: 7_000_000 }];
    const records = aChain('a', 5).filter(({ number }) => number !== 2);
    expect(found({ records, unread })).toEqual(['unread a 2']);
    expect(found({ records: records.slice(0, 2), unread })).toEqual(['unread a 2']);
    const heads = [{ chain: 'a', number: 2, hash: 'a2', source: 'a head' }];
    expect(found({ records: records.slice(0, 2), unread, heads })).toEqual(['unread a 2']);
    expect(found({ records: records.filter(({ number }) => number !== 3), unread })).toEqual([
      'unread a 2',
      'missing a 3',
    ]);
    const edited = records.map((record) => (record.number === 0 ? { ...record, hash: 'other' } : record));
    expect(found({ records: edited, unread })).toEqual(['edited a 0', 'unread a 2']);
  });

  it('takes a record that was handed out after all for what it is', () => {
    expect(found({ records: aChain('a', 3), unread: [{ chain: 'a', number: 1, bytes: 7_000_000 }] })).toEqual([]);
  });

  it('finds a record that stands where the record of a grant was', () => {
    const grant = { chain: 'a', number: 1, digest: 'd1', jid: 'j1' };
    expect(found({ records: aChain('a', 3), grants: [grant] })).toEqual([]);
    expect(found({ records: aChain('a', 3), grants: [{ ...grant, digest: 'other' }] })).toEqual(['edited a 1']);
    const denied = aChain('a', 3).map((record) => ({ ...record, verdict: 'refuse' }));
    expect(found({ records: denied, grants: [grant] })).toEqual(['edited a 1']);
  });
});
