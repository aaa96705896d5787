/**
 * The audit: one hash chain for each acl instance, each record carrying the hash of the one before, and signed heads and cuts.
 *
 * An edit, a gap or another order breaks the chain; a cut tail shows wherever a later grant or head survives. The first
 * record names the heads of the other chains. A cut says which beginnings were archived and are gone by right.
 *
 * Spec: spec/envelope.md#audit; vectors: spec/vectors/audit.json.
 */
import { err, ok, type Principal, type Result } from '@natrium/model';

import { equalBytes } from './bytes.js';
import { encode, type Wire, type WireMap } from './encoding.js';
import {
  bin,
  fields,
  int,
  listOf,
  map,
  MAX_CHAIN,
  MAX_TIME,
  orNull,
  principal,
  refuse,
  shaped,
  shapedValue,
  text,
  time,
} from './shape.js';
import { type Cluster, type Signed, signed, signerAmong, type SigningKey } from './signing.js';
import { blake2b } from './sodium.js';

/** Where a chain ends: the number and hash of its last record. */
export interface ChainEnd {
  readonly chain: string;
  readonly number: number;
  readonly hash: Uint8Array;
}

export interface AuditRecord extends AuditEntry {
  readonly chain: string;
  /** From 0. */
  readonly number: number;
  /** Hash of the record before; 32 zeros in the first. */
  readonly previous: Uint8Array;
  /** Of the other chains, in the first record only. */
  readonly heads: readonly ChainEnd[];
}

/** What happened, before it has its place in a chain. */
export interface AuditEntry {
  /** ms since 1970. */
  readonly time: number;
  /** `grant`, `refusal`, `key`, …: at most 32 characters. */
  readonly what: string;
  readonly caller: Principal | null;
  /** Of the request, 32 bytes. */
  readonly digest: Uint8Array | null;
  readonly jid: string | null;
  readonly verdict: string;
  readonly rule: string | null;
  readonly detail: WireMap;
}

export interface AuditHead extends ChainEnd {
  readonly time: number;
}

/** Up to where each chain was archived; a chain that is whole is not in it. What one names the next one names, too. */
export interface AuditCut {
  readonly time: number;
  /** The last record of each that is gone; of each chain one. */
  readonly ends: readonly ChainEnd[];
}

export type AuditProblem = 'signature' | 'shape';

const MAX_WORD = 32;
const MAX_JID = 64;
const MAX_SENTENCE = 4096;
/** Ends of other chains that the first record of a chain names. */
export const MAX_HEADS = 1024;
/** Chains of which a cut tells. */
export const MAX_CUTS = 4096;
const FIRST = new Uint8Array(32);

export function auditHash(bytes: Uint8Array): Uint8Array {
  return blake2b(32, null, bytes);
}

/** One instance's chain, from its first record on: a process that starts anew begins another. */
export class AuditChain {
  #number = -1;
  #hash: Uint8Array = FIRST;

  /** @param heads Where the other chains end: the first record names them. */
  constructor(
    readonly chain: string,
    private readonly heads: readonly ChainEnd[],
  ) {}

  /** The last record's number and hash; number -1 while there is none. */
  get end(): ChainEnd {
    return { chain: this.chain, number: this.#number, hash: this.#hash };
  }

  /** Gives an entry the next place. @throws {RangeError} When a field is out of bounds: then it has none. */
  append(entry: AuditEntry): { readonly bytes: Uint8Array; readonly number: number } {
    const number = this.#number + 1;
    const heads = number === 0 ? this.heads : [];
    const bytes = encodeAudit({ ...entry, chain: this.chain, number, previous: this.#hash, heads });
    this.#number = number;
    this.#hash = auditHash(bytes);
    return { bytes, number };
  }
}

/** @throws {RangeError} When a field is out of bounds. */
export function encodeAudit(record: AuditRecord): Uint8Array {
  const { chain, number, previous, heads, time: at, what, caller, digest, jid, verdict, rule, detail } = record;
  const ends = heads.map((head) => [head.chain, head.number, head.hash]);
  const who = caller && [caller.kind, caller.name];
  const wire = [chain, number, previous, ends, at, what, who, digest, jid, verdict, rule, detail];
  if (shapedValue(wire, readRecord) === undefined)
    throw new RangeError('not an audit record: a field is out of bounds');
  return encode(wire);
}

export function readAudit(bytes: Uint8Array): Result<AuditRecord, 'shape'> {
  const record = shaped(bytes, readRecord);
  return record === undefined ? err('shape') : ok(record);
}

/** Tells whether `record` comes right after the record with these bytes, or is a chain's first when there is none. */
export function followsAudit(before: Uint8Array | undefined, record: AuditRecord): boolean {
  if (before === undefined) return record.number === 0 && equalBytes(record.previous, FIRST);
  const previous = readAudit(before);
  if (!previous.ok || previous.value.chain !== record.chain) return false;
  return record.number === previous.value.number + 1 && equalBytes(record.previous, auditHash(before));
}

export function signAuditHead(acl: SigningKey, cluster: Cluster, head: AuditHead): Signed {
  const bytes = encode([head.chain, head.number, head.hash, head.time]);
  if (shaped(bytes, readHead) === undefined) throw new RangeError('not an audit head');
  return signed(acl, 'audit', cluster, bytes);
}

export function readAuditHead(
  object: Signed,
  cluster: Cluster,
  aclKeys: readonly Uint8Array[],
): Result<AuditHead, AuditProblem> {
  if (signerAmong(aclKeys, 'audit', cluster, object) === undefined) return err('signature');
  const head = shaped(object.bytes, readHead);
  return head === undefined ? err('shape') : ok(head);
}

export function signAuditCut(acl: SigningKey, cluster: Cluster, { time: at, ends }: AuditCut): Signed {
  const bytes = encode([at, ends.map(({ chain, number, hash }) => [chain, number, hash])]);
  if (shaped(bytes, readCut) === undefined) throw new RangeError('not an audit cut');
  return signed(acl, 'audit-cut', cluster, bytes);
}

export function readAuditCut(
  object: Signed,
  cluster: Cluster,
  aclKeys: readonly Uint8Array[],
): Result<AuditCut, AuditProblem> {
  if (signerAmong(aclKeys, 'audit-cut', cluster, object) === undefined) return err('signature');
  const cut = shaped(object.bytes, readCut);
  return cut === undefined ? err('shape') : ok(cut);
}

function readCut(wire: Wire): AuditCut {
  const [at, list] = fields(wire, 2);
  const ends = listOf(list, MAX_CUTS, readEnd);
  const isEachOnce = new Set(ends.map(({ chain }) => chain)).size === ends.length;
  return isEachOnce ? { time: time(at), ends } : refuse();
}

function readHead(wire: Wire): AuditHead {
  const [chain, number, hash, at] = fields(wire, 4);
  return { chain: text(chain, MAX_CHAIN), number: int(number, 0, MAX_TIME), hash: bin(hash, 32), time: time(at) };
}

function readEnd(wire: Wire): ChainEnd {
  const [chain, number, hash] = fields(wire, 3);
  return { chain: text(chain, MAX_CHAIN), number: int(number, 0, MAX_TIME), hash: bin(hash, 32) };
}

function readRecord(wire: Wire): AuditRecord {
  const [chain, number, previous, heads, at, what, caller, digest, jid, verdict, rule, detail] = fields(wire, 12);
  const record = {
    chain: text(chain, MAX_CHAIN),
    number: int(number, 0, MAX_TIME),
    previous: bin(previous, 32),
    heads: listOf(heads, MAX_HEADS, readEnd),
    time: time(at),
    what: text(what, MAX_WORD),
    caller: orNull(caller, principal),
    digest: orNull(digest, (field) => bin(field, 32)),
    jid: orNull(jid, (field) => text(field, MAX_JID)),
    verdict: text(verdict, MAX_SENTENCE),
    rule: orNull(rule, (field) => text(field, MAX_SENTENCE, 0)),
    detail: map(detail),
  };
  return record.number > 0 && record.heads.length > 0 ? refuse() : record;
}
