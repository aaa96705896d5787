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
  const findings = verifyAudit({ records: [], unread: [], heads: [], grants: [], cut: [], ...seen });
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

describe('an audit whose beginning was archived', () => {
  const cut = [{ chain: 'a', number: 2, hash: 'a2' }];
  const rest = aChain('a', 6).slice(3);

  it('is intact when it begins with just the record after the one that the cut names', () => {
    expect(found({ records: rest, cut })).toEqual([]);
    expect(found({ records: rest })).toEqual(['missing a 0']);
  });

  it('is intact while some of what was archived is still there, whatever that is', () => {
    const left = aChain('a', 3, [{ chain: 'x', number: 9, hash: 'x9' }]).map((one) => ({ ...one, previous: 'other' }));
    for (const still of [left, left.slice(1), left.slice(0, 1)])
      expect(found({ records: [...still, ...rest], cut })).toEqual([]);
  });

  it('takes a grant, a head and a first record that name what was archived for no sign of a loss', () => {
    const later = aChain('b', 2, [{ chain: 'a', number: 1, hash: 'a1' }]);
    const heads = [{ chain: 'a', number: 2, hash: 'a2', source: 'a head' }];
    const grants = [{ chain: 'a', number: 0, digest: 'd0', jid: 'j0' }];
    expect(found({ records: [...rest, ...later], heads, grants, cut })).toEqual([]);
    expect(found({ records: later, heads, grants })).toEqual(['cut a 0', 'cut a 0']);
  });

  it.each([
    ['further than was signed', { records: rest.slice(1), cut }, 'missing a 3'],
    ['and an older cut was put back', { records: rest, cut: [{ chain: 'a', number: 1, hash: 'a1' }] }, 'missing a 2'],
    ['in another chain than the signed one', { records: rest, cut: [{ ...cut[0]!, chain: 'b' }] }, 'missing a 0'],
    ['and the next record is another', { records: rest, cut: [{ ...cut[0]!, hash: 'other' }] }, 'edited a 3'],
    ['and nothing of it is left', { records: [], cut }, 'cut a 3'],
  ])('is found where it was cut %s', (_, seen, expected) => {
    expect(found(seen)).toContain(expected);
  });

  it('is found where its tail was cut as well', () => {
    const heads = [{ chain: 'a', number: 5, hash: 'a5', source: 'a head' }];
    expect(found({ records: rest.slice(0, -1), heads, cut })).toEqual(['cut a 5']);
  });
});

describe('an archive', () => {
  const until = [{ chain: 'a', number: 4, hash: 'a4' }];
  const cut = [{ chain: 'a', number: 1, hash: 'a1' }];
  const records = aChain('a', 5).slice(2);

  it('is intact from the cut that it began with to its signed end', () => {
    expect(found({ records, cut, until })).toEqual([]);
    expect(found({ records: aChain('a', 5), cut: [], until })).toEqual([]);
    expect(found({ records: [], cut: until, until })).toEqual([]);
  });

  it('is not without its beginning, its end, or what is between', () => {
    expect(found({ records: records.slice(1), cut, until })).toEqual(['missing a 2']);
    expect(found({ records: records.slice(0, 2), cut, until })).toEqual(['cut a 4']);
    expect(found({ records: [], cut, until })).toEqual(['cut a 2']);
    expect(found({ records: records.filter(({ number }) => number !== 3), cut, until })).toEqual(['missing a 3']);
    const edited = records.map((record) => (record.number === 4 ? { ...record, hash: 'other' } : record));
    expect(found({ records: edited, cut, until })).toEqual(['edited a 4']);
  });

  it('need not have what its records name beyond its end, nor chains of which nothing was archived', () => {
    const first = aChain('b', 1, [
      { chain: 'a', number: 9, hash: 'a9' },
      { chain: 'c', number: 3, hash: 'c3' },
    ]);
    const both = [...until, { chain: 'b', number: 0, hash: 'b0' }];
    const grants = [{ chain: 'a', number: 7, digest: 'd7', jid: 'j7' }];
    expect(found({ records: [...records, ...first], grants, cut, until: both })).toEqual([]);
    const another = aChain('b', 1, [{ chain: 'a', number: 3, hash: 'other' }]);
    expect(found({ records: [...records, ...another], cut, until: both })).toEqual(['edited a 3']);
  });
});
