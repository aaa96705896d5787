import {
  AuditChain,
  type AuditEntry,
  auditHash,
  type AuditHead,
  type AuditRecord,
  encodeAudit,
  followsAudit,
  readAudit,
  readAuditCut,
  readAuditHead,
  signAuditCut,
  signAuditHead,
} from './audit.js';
import { encode } from './encoding.js';
import { CLUSTER, identityOf, NOW, seedOf } from './parties.spec-support.js';
import { signed } from './signing.js';
import { sodiumReady } from './sodium.js';

await sodiumReady();

const acl = identityOf('acl role');
const head: AuditHead = { chain: 'acl-2', number: 9, hash: seedOf('head'), time: NOW };
const entry: AuditEntry = {
  time: NOW,
  what: 'grant',
  caller: { kind: 'minion', name: 'web1' },
  digest: seedOf('digest'),
  jid: '20261120112404639750',
  verdict: 'allowed',
  rule: "peer: 'web.*': test.ping",
  detail: { minions: 3 },
};
const { time: _time, ...end } = head;

describe('an audit chain', () => {
  it('gives each record its number and the hash of the one before, and the first one the heads of the others', () => {
    const chain = new AuditChain('acl-1', [end]);
    const [first, second] = [
      chain.append(entry),
      chain.append({ ...entry, caller: null, digest: null, jid: null, rule: null }),
    ];
    const zero = { chain: 'acl-1', number: 0, previous: new Uint8Array(32), heads: [end] };
    expect(readAudit(first.bytes)).toEqual({ ok: true, value: { ...entry, ...zero } });
    expect(readAudit(second.bytes)).toMatchObject({
      ok: true,
      value: { number: 1, previous: auditHash(first.bytes), heads: [] },
    });
    expect(chain.end).toEqual({ chain: 'acl-1', number: 1, hash: auditHash(second.bytes) });
  });

  it.each<[string, boolean, (records: readonly Uint8Array[]) => readonly (Uint8Array | undefined)[]]>([
    ['in its order', true, (records) => records],
    ['with a gap', false, ([a, , c]) => [a, c]],
    ['in another order', false, ([a, b, c]) => [a, c, b]],
    ['without its first record', false, ([, b, c]) => [b, c]],
    ['with an edited record', false, ([a, b, c]) => [a, edited(b), c]],
    ["with another chain's record", false, ([a, , c]) => [a, anotherChain(a), c]],
  ])('%s is whole: %s', (_name, whole, change) => {
    const chain = new AuditChain('acl-1', []);
    const records = [1, 2, 3].map((number) => chain.append({ ...entry, detail: { number } }).bytes);
    expect(isWhole(change(records))).toBe(whole);
  });

  it('names the heads of others in its first record only', () => {
    const record = { ...entry, chain: 'acl-1', number: 1, previous: seedOf('x'), heads: [end] };
    expect(() => encodeAudit(record)).toThrow(RangeError);
    expect(() => encodeAudit({ ...record, heads: [] })).not.toThrow();
  });
});

describe('an audit record', () => {
  const record: AuditRecord = { ...entry, chain: 'acl-1', number: 0, previous: new Uint8Array(32), heads: [] };
  const wireOf = ({ chain, number, previous, heads, caller, ...rest }: AuditRecord) => {
    const { time, what, digest, jid, verdict, rule, detail } = rest;
    const ends = heads.map((one) => [one.chain, one.number, one.hash]);
    return [chain, number, previous, ends, time, what, caller && [caller.kind, caller.name], digest, jid, verdict, rule, detail]; // prettier-ignore
  };

  it.each<[number, string, (length: number) => Partial<AuditRecord>]>([
    [64, 'characters of its chain', (length) => ({ chain: 'c'.repeat(length) })],
    [64, 'characters of another chain', (length) => ({ heads: [{ ...end, chain: 'c'.repeat(length) }] })],
    [1024, 'heads', (length) => ({ heads: Array.from({ length }, () => end) })],
    [32, 'characters of what happened', (length) => ({ what: 'w'.repeat(length) })],
    [64, 'characters of a jid', (length) => ({ jid: '1'.repeat(length) })],
    [4096, 'characters of a verdict', (length) => ({ verdict: 'v'.repeat(length) })],
    [4096, 'characters of a rule', (length) => ({ rule: 'r'.repeat(length) })],
  ])('may have %i %s; with one more it is neither written nor read', (most, _name, change) => {
    const full = { ...record, ...change(most) };
    expect(readAudit(encodeAudit(full))).toEqual({ ok: true, value: full });
    const over = { ...record, ...change(most + 1) };
    expect(() => encodeAudit(over)).toThrow(RangeError);
    expect(readAudit(encode(wireOf(full))).ok).toBe(true);
    expect(readAudit(encode(wireOf(over)))).toEqual({ ok: false, error: 'shape' });
  });
});

describe('an audit head', () => {
  it('is read under the acl keys and no other', () => {
    const object = signAuditHead(acl.signing, CLUSTER(), head);
    expect(readAuditHead(object, CLUSTER(), [acl.publicKey])).toEqual({ ok: true, value: head });
    expect(readAuditHead(object, CLUSTER(), [identityOf('web1').publicKey])).toEqual({ ok: false, error: 'signature' });
  });

  it('with another shape is refused', () => {
    const object = signed(acl.signing, 'audit', CLUSTER(), encode(['acl-1', 0, seedOf('x')]));
    expect(readAuditHead(object, CLUSTER(), [acl.publicKey])).toEqual({ ok: false, error: 'shape' });
    expect(() => signAuditHead(acl.signing, CLUSTER(), { ...head, number: -1 })).toThrow(RangeError);
  });
});

describe('an audit cut', () => {
  const cut = { time: 7, ends: ['acl-1', 'acl-2'].map((chain) => ({ chain, number: 9, hash: seedOf(chain) })) };
  const aclKeys = [acl.publicKey];

  it('is read under the acl keys and no other', () => {
    const object = signAuditCut(acl.signing, CLUSTER(), cut);
    expect(readAuditCut(object, CLUSTER(), aclKeys)).toEqual({ ok: true, value: cut });
    expect(readAuditCut(object, CLUSTER(), [identityOf('web1').publicKey])).toEqual({ ok: false, error: 'signature' });
    expect(readAuditCut(object, seedOf('another'), aclKeys)).toEqual({ ok: false, error: 'signature' });
  });

  it('is no head, and a head is no cut, whoever signed it', () => {
    const { bytes } = signAuditCut(acl.signing, CLUSTER(), cut);
    const asHead = signed(acl.signing, 'audit', CLUSTER(), bytes);
    expect(readAuditCut(asHead, CLUSTER(), aclKeys)).toEqual({ ok: false, error: 'signature' });
  });

  it('names each chain once', () => {
    const [end] = cut.ends;
    const twice = { time: 7, ends: [end!, end!] };
    expect(() => signAuditCut(acl.signing, CLUSTER(), twice)).toThrow(RangeError);
    const wire = [7, twice.ends.map(({ chain, number, hash }) => [chain, number, hash])];
    const object = signed(acl.signing, 'audit-cut', CLUSTER(), encode(wire));
    expect(readAuditCut(object, CLUSTER(), aclKeys)).toEqual({ ok: false, error: 'shape' });
  });
});

function isWhole(records: readonly (Uint8Array | undefined)[]): boolean {
  return records.every((bytes, i) => {
    const record = readAudit(bytes ?? new Uint8Array(0));
    return record.ok && followsAudit(i === 0 ? undefined : records[i - 1], record.value);
  });
}

function edited(bytes: Uint8Array | undefined): Uint8Array | undefined {
  const record = readAudit(bytes ?? new Uint8Array(0));
  return record.ok ? encodeAudit({ ...record.value, verdict: 'refused' }) : undefined;
}

function anotherChain(before: Uint8Array | undefined): Uint8Array {
  return encodeAudit({
    ...entry,
    chain: 'acl-9',
    number: 1,
    previous: auditHash(before ?? new Uint8Array(0)),
    heads: [],
  });
}
