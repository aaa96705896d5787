/** Rules of verifying what was signed and kept: by whose keys, and what cannot be read. In a cluster: tests/policy/audit.spec.ts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AuditChain,
  auditHash,
  type ChainEnd,
  clusterOf,
  type RolesDocument,
  type Signed,
  signAuditCut,
  signAuditHead,
  SigningKey,
  signRoles,
  sodiumReady,
} from '@natrium/envelope';
import { aGrant } from '@natrium/testing';
import { auditLines, readAuditFile } from './audit-file.js';
import { type StoredAudit, type StoredRecord, verifyStored } from './stored-audit.js';

const NOW = 1_795_000_000_000;

beforeAll(sodiumReady);

/** Three records and their end, in a cluster whose acl key was replaced since and retired. */
function anAudit() {
  const [root, retired, newest, gateway] = Array.from({ length: 4 }, () => SigningKey.generate()) as [
    SigningKey,
    SigningKey,
    SigningKey,
    SigningKey,
  ];
  const cluster = clusterOf(root.publicKey);
  const document = (serial: number, ...acl: readonly SigningKey[]): Signed => {
    const roles = { gateway: [gateway], acl, runner: [], reactor: [], sink: [] };
    const keys = Object.entries(roles).map(([role, list]) => [role, list.map(({ publicKey }) => publicKey)]);
    const named = Object.fromEntries(keys) as RolesDocument['roles'];
    return signRoles(root, cluster, { serial, notAfter: NOW, roles: named, nextRoot: null });
  };
  const documents = [document(1, retired), document(2, newest, retired), document(3, newest)];
  const chain = new AuditChain('acl1', []);
  const entry = { time: NOW, what: 'policy', caller: null, digest: null, jid: null, verdict: 'in_force', rule: null };
  const records = [0, 1, 2].map((n): StoredRecord => {
    const { bytes, number } = chain.append({ ...entry, detail: { n } });
    return { chain: 'acl1', number, bytes };
  });
  const audit: StoredAudit = { chain: [root.publicKey, documents], records, heads: [], grants: [] };
  const headBy = (key: SigningKey, end: ChainEnd = chain.end) => signAuditHead(key, cluster, { ...end, time: NOW });
  const grantBy = (key: SigningKey, auditNumber: number) => {
    const members = [{ id: 'web1', key: new Uint8Array(32) }];
    const about = { request: new Uint8Array(8), members, issued: NOW };
    return aGrant({ key, cluster }, about, { auditChain: 'acl1', auditNumber });
  };
  const cutBy = (key: SigningKey, number: number, of = cluster) => {
    const hash = auditHash(records[number]!.bytes);
    return signAuditCut(key, of, { time: NOW, ends: [{ chain: 'acl1', number, hash }] });
  };
  return { audit, headBy, grantBy, cutBy, retired, newest, gateway };
}

const found = (audit: StoredAudit) => verifyStored(audit).findings.map(({ kind, number }) => `${kind} ${number}`);

describe('when the key of the acl role was retired', () => {
  it('a head that it signed still says where its chain ends: whole it is intact, and a cut tail shows', () => {
    const { audit, headBy, retired, newest } = anAudit();
    for (const key of [retired, newest]) {
      const kept = { ...audit, heads: [headBy(key)] };
      expect(found(kept)).toEqual([]);
      expect(found({ ...kept, records: audit.records.slice(0, 2) })).toEqual(['cut 2']);
    }
  });

  it('a grant that it signed still names its record: a cut tail shows', () => {
    const { audit, grantBy, retired } = anAudit();
    expect(found({ ...audit, grants: [grantBy(retired, 3)] })).toEqual(['cut 3']);
    expect(verifyStored({ ...audit, grants: [grantBy(retired, 3)] }).grants).toBe(1);
  });

  it('what a key of another role signed, or of nobody, counts for nothing', () => {
    const { audit, headBy, grantBy, gateway } = anAudit();
    for (const key of [gateway, SigningKey.generate()]) {
      expect(found({ ...audit, heads: [headBy(key)] })).toEqual(['edited -1']);
      expect(found({ ...audit, grants: [grantBy(key, 3)] })).toEqual([]);
    }
  });
});

describe('an audit whose beginning was archived', () => {
  it('is whole by a cut of the acl role, under whichever of its keys, and says how much was archived', () => {
    const { audit, cutBy, headBy, grantBy, retired, newest } = anAudit();
    for (const key of [retired, newest]) {
      const rest = { ...audit, records: audit.records.slice(2), cut: cutBy(key, 1) };
      expect(found(rest)).toEqual([]);
      expect(verifyStored(rest)).toMatchObject({ records: 1, archived: 2, until: undefined });
      expect(found({ ...rest, heads: [headBy(key)], grants: [grantBy(key, 1)] })).toEqual([]);
      expect(found({ ...rest, cut: undefined })).toEqual(['missing 0']);
    }
  });

  it('is whole while what was archived is still there, also where that is no record any more', () => {
    const { audit, cutBy, newest } = anAudit();
    const spoilt = { ...audit.records[0]!, bytes: new Uint8Array(3) };
    const all = { ...audit, records: [spoilt, ...audit.records.slice(1)], cut: cutBy(newest, 0) };
    expect(found(all)).toEqual([]);
    expect(verifyStored(all).records).toBe(2);
    expect(found({ ...all, cut: undefined })).toEqual(['edited 0', 'missing 0']);
  });

  it('is not by a cut that nobody of the role signed, or the role for another cluster', () => {
    const { audit, cutBy, newest, gateway } = anAudit();
    const other = clusterOf(gateway.publicKey);
    for (const cut of [cutBy(gateway, 1), cutBy(SigningKey.generate(), 1), cutBy(newest, 1, other)])
      expect(found({ ...audit, records: audit.records.slice(2), cut })).toEqual(['edited -1', 'missing 0']);
  });

  it('is in its files with its signed beginning and end, and these hold alone', () => {
    const { audit, cutBy, newest } = anAudit();
    const archive: StoredAudit = { ...audit, records: audit.records.slice(1, 2), cut: cutBy(newest, 0), until: cutBy(newest, 1) }; // prettier-ignore
    const folder = mkdtempSync(join(tmpdir(), 'nt-stored-'));
    try {
      writeFileSync(join(folder, 'audit'), [...auditLines(archive)].join(''));
      const read = readAuditFile(join(folder, 'audit'));
      expect(read).toEqual(archive);
      expect(verifyStored(read)).toMatchObject({ findings: [], records: 1, archived: 1, until: NOW });
      expect(found({ ...read, records: [] })).toEqual(['cut 1']);
      expect(found({ ...read, until: cutBy(SigningKey.generate(), 1) })).toEqual(['edited -1']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a record that is too large to be handed out', () => {
  it('is found as such, and not as missing; so it is in an export, too', () => {
    const { audit } = anAudit();
    const [first, , last] = audit.records;
    const large = { chain: 'acl1', number: 1, bytes: new Uint8Array(), tooLarge: 7_000_000 };
    const kept: StoredAudit = { ...audit, records: [first!, large, last!] };
    expect(verifyStored(kept).findings).toEqual([
      {
        kind: 'unread',
        chain: 'acl1',
        number: 1,
        sentence: 'chain acl1, record 1: is too large to be handed out (7000000 bytes): it could not be verified',
      },
    ]);
    const folder = mkdtempSync(join(tmpdir(), 'nt-stored-'));
    try {
      writeFileSync(join(folder, 'audit'), [...auditLines(kept)].join(''));
      expect(readAuditFile(join(folder, 'audit'))).toEqual(kept);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
