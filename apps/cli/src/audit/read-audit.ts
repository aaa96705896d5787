/** The audit of a running cluster: every record exactly as it was written, the signed heads, and the grants of the job cache. */
import { type NatsTransport, openBucket, SealedStore, type StorageKeys } from '@natrium/bus';
import { type MasterConfig, replicasOf } from '@natrium/config';
import { decode, type Signed } from '@natrium/envelope';
import { isList, isMap, ok, type Refusal, type Result, type Value } from '@natrium/model';
import { readAs, records } from '@natrium/wire';
import { asRole } from '../link/as-role.js';
import type { OpenMaster } from '../link/open-master.js';
import { bytesFrom, signedFrom } from './base64.js';
import { issuedIn, type StoredAudit, type StoredRecord } from './stored-audit.js';

/** Records as they come from the stream, and where the next ones are. */
export interface AuditPage {
  readonly records: readonly StoredRecord[];
  readonly next: number;
  readonly isLast: boolean;
  /** In force; the last page has it, where anything was archived. */
  readonly cut: Signed | undefined;
}

export interface PageAsk {
  readonly from?: number;
  readonly last?: number;
  readonly wait?: boolean;
}

const LIMIT = 1000;
/** So much later the record is there that a head or a grant names: of a busy acl-service, or at another replica, which has seen less of the stream. */
const BEHIND_MS = 10_000;
/** The first of the two fields of a grant that name its record. */
const AUDITED = 10;

export async function readPage(master: OpenMaster, ask: PageAsk): Promise<Result<AuditPage, Refusal>> {
  const answer = await master.client.admin('audit', 'audit.read', [{ limit: LIMIT, ...ask }]);
  return answer.ok ? ok(pageIn(answer.value)) : answer;
}

/**
 * Grants are read first and heads before the records: what they name has to be there. The cut comes after the records: it names
 * each of those that an archive takes away meanwhile.
 *
 * @param onRead Hears how many records each page had.
 */
export async function readAudit(
  master: OpenMaster,
  onRead: (records: number) => void,
): Promise<Result<StoredAudit, Refusal>> {
  const grants = await jobGrants(master);
  const heads = await master.client.admin('audit', 'audit.heads', []);
  if (!heads.ok) return heads;
  const named = (grants ?? []).filter((grant) => issuedIn(grant) !== undefined);
  const wanted = furthest([...signedIn(heads.value).map(headOf), ...named.map(recordOfGrant)]);
  const until = performance.now() + BEHIND_MS;
  const read: StoredRecord[] = [];
  let [from, waits] = [0, false];
  let cut: Signed | undefined;
  for (;;) {
    const page = await readPage(master, waits ? { from, wait: true } : { from });
    if (!page.ok) return page;
    read.push(...page.value.records);
    onRead(page.value.records.length);
    ({ next: from, cut } = page.value);
    if (page.value.isLast && (hasAll(read, wanted) || (waits && performance.now() >= until))) break;
    waits ||= page.value.isLast;
  }
  return ok({ chain: master.keys.chain(), records: inOrder(read), heads: signedIn(heads.value), grants, cut });
}

export type RecordPlace = readonly [chain: string, number: number];

function headOf({ bytes }: Signed): RecordPlace {
  return decode(bytes) as unknown as RecordPlace;
}

export function recordOfGrant({ bytes }: Signed): RecordPlace {
  return (decode(bytes) as readonly unknown[]).slice(AUDITED, AUDITED + 2) as unknown as RecordPlace;
}

/** The last of these records in each chain. */
function furthest(places: readonly RecordPlace[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const [chain, number] of places) last.set(chain, Math.max(last.get(chain) ?? -1, number));
  return last;
}

/** Whether the stream has been read at least to these records. */
function hasAll(read: readonly StoredRecord[], wanted: ReadonlyMap<string, number>): boolean {
  const last = furthest(read.map(({ chain, number }) => [chain, number]));
  return [...wanted].every(([chain, number]) => (last.get(chain) ?? -1) >= number);
}

/** By chain and number; the stream itself is in order of writing, and gives a group that grows meanwhile once more. */
function inOrder(read: readonly StoredRecord[]): readonly StoredRecord[] {
  const sorted = read.toSorted((a, b) => (a.chain === b.chain ? a.number - b.number : a.chain < b.chain ? -1 : 1));
  /** What was seen in the same place; a text of each of a million records would be a gigabyte. */
  const seen = new Set<string>();
  return sorted.filter((record, at) => {
    const isFirst = !isPlacedAs(record, sorted[at - 1]);
    if (isFirst) seen.clear();
    if (isFirst && !isPlacedAs(record, sorted[at + 1])) return true;
    const known = seen.size;
    return seen.add(Buffer.from(record.bytes).toString('base64')).size > known;
  });
}

function isPlacedAs({ chain, number }: StoredRecord, other: StoredRecord | undefined): boolean {
  return other?.chain === chain && other.number === number;
}

/** @returns undefined when this account may not read the job cache: only the gateways' key opens it. */
async function jobGrants({ keys, config }: OpenMaster): Promise<readonly Signed[] | undefined> {
  let storageKeys;
  try {
    storageKeys = keys.storageKeys('jobs');
  } catch {
    return undefined; // the key is not on this host, or not for this account
  }
  return asRole('auditor', config, (transport) => grantsThrough(transport, config, storageKeys));
}

async function grantsThrough(
  transport: NatsTransport,
  config: MasterConfig,
  storageKeys: StorageKeys,
): Promise<readonly Signed[]> {
  const name = `NT_${config.cluster}_${records.JOB_BUCKETS[0]}`;
  const opened = await openBucket(transport, {
    name,
    replicas: replicasOf(config),
    ttlMs: config.keep_jobs_seconds * 1000,
  });
  const groups = await new SealedStore(opened, storageKeys, () => undefined).list('g.*.*');
  return groups.flatMap(({ value }) => readAs(records.JobGrantGroup, decode(value)).map(({ grant }) => grant));
}

function pageIn(value: Value): AuditPage {
  if (!isMap(value) || !isList(value['groups']) || typeof value['next'] !== 'number') {
    throw new Error('the acl-service answered something that is no page of the audit');
  }
  return {
    records: value['groups'].flatMap(recordsIn),
    next: value['next'],
    isLast: value['last'] === true,
    cut: signedFrom(value['cut'] ?? null),
  };
}

function recordsIn(group: Value): readonly StoredRecord[] {
  if (
    !isMap(group) ||
    typeof group['chain'] !== 'string' ||
    typeof group['first'] !== 'number' ||
    typeof group['at'] !== 'number' ||
    !isList(group['records'])
  )
    return [];
  const { chain, first, at } = group;
  const stored = { first, at };
  return group['records'].flatMap((told, index) => {
    const place = { chain, number: first + index, group: stored };
    if (typeof told === 'string') return [{ ...place, bytes: bytesFrom(told) }];
    const size = isMap(told) ? told['bytes'] : undefined;
    return typeof size === 'number' ? [{ ...place, bytes: new Uint8Array(), tooLarge: size }] : [];
  });
}

function signedIn(value: Value): readonly Signed[] {
  const heads = isMap(value) ? value['heads'] : undefined;
  if (!isList(heads)) return [];
  return heads.flatMap((head) => signedFrom(head) ?? []);
}
