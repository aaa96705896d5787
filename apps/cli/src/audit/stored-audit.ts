/**
 * The audit as bytes, from a cluster or from an exported file, and what verifying makes of it.
 *
 * Signatures and hashes are made here; what must follow from what is `libs/flow`'s.
 */
import {
  type AuditCut,
  auditHash,
  type AuditRecord,
  type ChainEnd,
  type Cluster,
  decode,
  everyKeyOf,
  fingerprint,
  readAudit,
  readAuditCut,
  readAuditHead,
  readGrant,
  type RolesChain,
  type Signed,
  toHex,
  verifyRolesChain,
} from '@natrium/envelope';
import {
  type ChainHead,
  type Finding,
  isAfter,
  type SeenGrant,
  type SeenHead,
  type SeenRecord,
  type UnreadRecord,
  verifyAudit,
} from '@natrium/flow';

export interface StoredRecord {
  /** Where it is kept. */
  readonly chain: string;
  readonly number: number;
  readonly bytes: Uint8Array;
  /** Bytes of one that does not fit into an answer of the acl-service: `bytes` is empty then. */
  readonly tooLarge?: number;
  /** What it is stored with, in a cluster: the number of the first record there, and the place in the stream. */
  readonly group?: { readonly first: number; readonly at: number };
}

export interface StoredAudit {
  readonly chain: RolesChain;
  readonly records: readonly StoredRecord[];
  readonly heads: readonly Signed[];
  /** Of the job cache; undefined: it could not be read. */
  readonly grants: readonly Signed[] | undefined;
  /** The cut in force when it was read: what was archived before. */
  readonly cut?: Signed | undefined;
  /** Of an archive: the cut that it was made for, which names where it ends. */
  readonly until?: Signed | undefined;
}

export interface Verified {
  /** Of the first root: whose audit this is. */
  readonly fingerprint: string;
  readonly findings: readonly Finding[];
  readonly records: number;
  readonly chains: number;
  readonly heads: number;
  readonly grants: number | undefined;
  /** Records that were archived before these, and are not among them. */
  readonly archived: number;
  /** In ms since 1970, when the end of an archive was signed; undefined where it is none. */
  readonly until: number | undefined;
}

interface Trust {
  readonly cluster: Cluster;
  /** Of all roles documents: what a key signed while it spoke for the role says where a chain was, also after it is retired. */
  readonly aclKeys: readonly Uint8Array[];
}

/** What there is cannot be verified at all. */
export class AuditBroken extends Error {
  override readonly name = 'AuditBroken';
}

/** @throws {AuditBroken} When the roles documents are not signed by the first root. */
export function verifyStored(audit: StoredAudit): Verified {
  const { chain, heads, grants } = audit;
  const trust = trustIn(audit);
  const findings: Finding[] = [];
  const cut = seenCut(audit.cut, trust, findings);
  const until = seenCut(audit.until, trust, findings);
  const begins = (cut?.ends ?? []).map(headOf);
  const records = audit.records.filter(isAfter(begins));
  const unread = records.flatMap(unreadRecord);
  const seen = records.flatMap((record) => (record.tooLarge === undefined ? seenRecord(record, findings) : []));
  const seenHeads = heads.flatMap((head) => seenHead(head, trust, findings));
  const seenGrants = (grants ?? []).flatMap((grant) => seenGrant(grant, trust));
  const ends = until?.ends.map(headOf);
  findings.push(
    ...verifyAudit({ records: seen, unread, heads: seenHeads, grants: seenGrants, cut: begins, until: ends }),
  );
  return {
    fingerprint: fingerprint(chain[0]),
    findings,
    records: records.length,
    chains: new Set([...seen, ...unread].map((record) => record.chain)).size,
    heads: seenHeads.length,
    grants: grants === undefined ? undefined : seenGrants.length,
    archived: begins.reduce((sum, { number }) => sum + number + 1, 0),
    until: until?.time,
  };
}

/** Up to where its chains were archived before; nothing where no cut of this cluster says so. */
export function archivedBefore(audit: StoredAudit): readonly ChainEnd[] {
  return seenCut(audit.cut, trustIn(audit), [])?.ends ?? [];
}

function trustIn({ chain }: StoredAudit): Trust {
  const roles = verifyRolesChain(chain, { firstRoot: chain[0] }, 0);
  if (!roles.ok) throw new AuditBroken(`the roles documents do not hold: ${roles.error}`);
  return { cluster: roles.value.cluster, aclKeys: everyKeyOf(chain, 'acl') };
}

/** @returns undefined for bytes that are no record. */
export function recordOf({ bytes }: StoredRecord): AuditRecord | undefined {
  const read = readAudit(bytes);
  return read.ok ? read.value : undefined;
}

function unreadRecord({ chain, number, tooLarge }: StoredRecord): readonly UnreadRecord[] {
  return tooLarge === undefined ? [] : [{ chain, number, bytes: tooLarge }];
}

function seenRecord(stored: StoredRecord, findings: Finding[]): readonly SeenRecord[] {
  const record = recordOf(stored);
  const { chain, number } = stored;
  if (record === undefined) {
    findings.push({
      kind: 'edited',
      chain,
      number,
      sentence: `chain ${chain}, record ${number}: what is kept there is no record`,
    });
    return [];
  }
  const { previous, heads, digest, jid, verdict } = record;
  return [
    {
      chain: record.chain,
      number: record.number,
      hash: toHex(auditHash(stored.bytes)),
      previous: toHex(previous),
      heads: heads.map(headOf),
      digest: digest === null ? null : toHex(digest),
      jid,
      verdict,
    },
  ];
}

function headOf({ chain, number, hash }: ChainEnd): ChainHead {
  return { chain, number, hash: toHex(hash) };
}

/** @returns undefined for none, and for one that is not signed, which is a finding. */
function seenCut(cut: Signed | undefined, { cluster, aclKeys }: Trust, findings: Finding[]): AuditCut | undefined {
  if (cut === undefined) return undefined;
  const read = readAuditCut(cut, cluster, aclKeys);
  if (read.ok) return read.value;
  findings.push(unsigned('a cut'));
  return undefined;
}

/** What says where a chain begins or ends, and is not the acl role's. */
function unsigned(what: string): Finding {
  const sentence = `${what} is not signed by the acl role of this cluster`;
  return { kind: 'edited', chain: '?', number: -1, sentence };
}

function seenHead(head: Signed, { cluster, aclKeys }: Trust, findings: Finding[]): readonly SeenHead[] {
  const read = readAuditHead(head, cluster, aclKeys);
  if (!read.ok) {
    findings.push(unsigned('a head'));
    return [];
  }
  const { time } = read.value;
  return [{ ...headOf(read.value), source: `the head that was signed at ${new Date(time).toISOString()}` }];
}

/** A grant that the acl role did not sign names nothing. */
function seenGrant(grant: Signed, { cluster, aclKeys }: Trust): readonly SeenGrant[] {
  // As of when it was issued: it need not be valid any more.
  const issued = issuedIn(grant);
  const read = issued === undefined ? undefined : readGrant(grant, cluster, aclKeys, 'job', issued, 0);
  if (read?.ok !== true) return [];
  const { auditChain, auditNumber, requestDigest, jid } = read.value;
  return [{ chain: auditChain, number: auditNumber, digest: toHex(requestDigest), jid }];
}

const ISSUED = 7;

/** When a grant was issued, in ms since 1970; undefined for what is none. */
export function issuedIn({ bytes }: Signed): number | undefined {
  try {
    const fields = decode(bytes);
    const issued: unknown = Array.isArray(fields) ? fields[ISSUED] : undefined;
    return typeof issued === 'number' ? issued : undefined;
  } catch {
    return undefined;
  }
}
