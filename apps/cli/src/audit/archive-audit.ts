/**
 * `natriumctl audit archive`: moves the old part of the audit into a file that is verified alone, as an exported one is.
 *
 * The order is what keeps it whole: the acl-service signs where it may be cut, the file is on the disk with that signature, the
 * cut is put in force, and only then is anything deleted. Broken off in between, nothing is lost, and the next archive goes on.
 *
 * Spec: docs/audit.md#archive.
 */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { type ChainEnd, type Signed, toHex } from '@natrium/envelope';
import { isAfter } from '@natrium/flow';
import { syncName } from '@natrium/keystore';
import { codeOf, isMap, ok, type Refusal, refuse, type Result } from '@natrium/model';
import { disarm, printableJson } from '@natrium/output';
import { UsageError } from '../common/options.js';
import { refused, say } from '../common/refused.js';
import type { OpenMaster } from '../link/open-master.js';
import type { AuditOptions, Io } from '../ports.js';
import { auditLines, cannotWrite, OWNER_ONLY, signedText } from './audit-file.js';
import { signedFrom } from './base64.js';
import { recordOfGrant } from './read-audit.js';
import { archivedBefore, recordOf, type StoredAudit, type StoredRecord } from './stored-audit.js';

/** A dry run need not name the file. */
type ArchiveAsk = Pick<AuditOptions, 'file' | 'dryRun' | 'json'>;

/** What is to go, and where each chain is cut. */
interface Plan {
  readonly records: readonly StoredRecord[];
  /** The last record that goes, of the chains that lose any. */
  readonly ends: readonly ChainEnd[];
  /** Behind this place of the stream nothing is to be deleted. */
  readonly sweepTo: number;
  readonly remaining: number;
}

/** Before when a record has to be to be archived, in ms since 1970; the acl-service refuses where none may be. */
export async function archiveLimit({ client }: OpenMaster): Promise<Result<number, Refusal>> {
  const answer = await client.admin('audit', 'audit.cut', []);
  const before = answer.ok && isMap(answer.value) ? answer.value['before'] : undefined;
  if (!answer.ok) return answer;
  return typeof before === 'number' ? ok(before) : unlike();
}

/** @param audit Verified, without a finding. @param before As `archiveLimit` says. */
export async function archiveAudit(
  master: OpenMaster,
  audit: StoredAudit,
  before: number,
  ask: ArchiveAsk,
  io: Io,
): Promise<number> {
  const plan = planOf(audit, before);
  const { file, dryRun } = ask;
  if (!dryRun && file !== undefined && plan.ends.length > 0) {
    const cut = await signedCut(master, plan.ends);
    if (!cut.ok) return refused(cut.error, io);
    writeArchive(file, archiveOf(audit, plan, cut.value));
    const inForce = await master.client.admin('audit', 'audit.archive', [{ cut: signedText(cut.value) }]);
    // An answer that is lost tells nothing: it may be in force all the same.
    if (!inForce.ok) return broken(inForce.error, `nothing was deleted; keep ${file}, which may count already`, io);
  }
  const swept = dryRun ? ok(0) : await sweep(master, plan.sweepTo);
  if (!swept.ok) return broken(swept.error, 'what is archived and not deleted yet is deleted by the next archive', io);
  io.out(ask.json ? jsonLine(plan, ask) : `${disarm(sentenceOf(plan, before, ask))}\n`);
  return 0;
}

/** A chain is cut before a group that is old enough itself. @param audit Its records by chain and number. */
function planOf(audit: StoredAudit, before: number): Plan {
  const gone = archivedBefore(audit);
  const isLeft = isAfter(gone.map(namedIn));
  const ends = new Map<string, ChainEnd>();
  const young = new Set<string>();
  for (const stored of audit.records) {
    const { chain, number, group } = stored;
    if (group?.first !== number || young.has(chain) || !isLeft({ chain, number: number - 1 })) continue;
    const record = recordOf(stored);
    if (record === undefined || record.time > before) young.add(chain);
    else ends.set(chain, { chain, number: number - 1, hash: record.previous });
  }
  const isKept = isAfter([...gone, ...ends.values()].map(namedIn));
  const covered = audit.records.filter((record) => !isKept(record));
  return {
    records: covered.filter(isLeft),
    ends: [...ends.values()],
    sweepTo: covered.reduce((last, { group }) => Math.max(last, group?.at ?? 0), 0),
    remaining: audit.records.length - covered.length,
  };
}

function namedIn({ chain, number, hash }: ChainEnd) {
  return { chain, number, hash: toHex(hash) };
}

function archiveOf(audit: StoredAudit, { records, ends }: Plan, until: Signed): StoredAudit {
  const isBeyond = isAfter(ends.map(namedIn));
  const isLeft = isAfter(archivedBefore(audit).map(namedIn));
  const grants = audit.grants?.filter((grant) => {
    const [chain, number] = recordOfGrant(grant);
    return isLeft({ chain, number }) && !isBeyond({ chain, number });
  });
  return { ...audit, records, heads: [], grants, until };
}

async function signedCut({ client }: OpenMaster, ends: readonly ChainEnd[]): Promise<Result<Signed, Refusal>> {
  const answer = await client.admin('audit', 'audit.cut', [{ chains: ends.map(namedIn) }]);
  if (!answer.ok) return answer;
  const cut = isMap(answer.value) ? signedFrom(answer.value['cut'] ?? null) : undefined;
  return cut === undefined ? unlike() : ok(cut);
}

/** @throws {UsageError} Where it is there already, or cannot be written whole: then it is not left behind. */
function writeArchive(path: string, audit: StoredAudit): void {
  let file;
  try {
    file = openSync(path, 'wx', OWNER_ONLY);
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? isThere(path) : cannotWrite(path, error);
  }
  try {
    for (const line of auditLines(audit)) writeFileSync(file, line); // goes on where one write takes a part only
    fsyncSync(file);
    syncName(path);
  } catch (error) {
    rmSync(path, { force: true });
    throw cannotWrite(path, error);
  } finally {
    closeSync(file);
  }
}

/** @throws {UsageError} Before the whole audit is read for nothing. */
export function refuseExisting(path: string): void {
  if (existsSync(path)) throw isThere(path);
}

function isThere(path: string): UsageError {
  return new UsageError(`${path} is there already: an archive takes the place of no other file`);
}

/** @returns How many groups were deleted. */
async function sweep({ client }: OpenMaster, to: number): Promise<Result<number, Refusal>> {
  let groups = 0;
  for (let from = 0; from < to;) {
    const answer = await client.admin('audit', 'audit.sweep', [{ from }]);
    if (!answer.ok) return answer;
    const { next, last, groups: some } = isMap(answer.value) ? answer.value : {};
    if (typeof next !== 'number' || typeof some !== 'number') return unlike();
    groups += some;
    if (last === true || next <= from) break;
    from = next;
  }
  return ok(groups);
}

function broken(refusal: Refusal, sentence: string, io: Io): number {
  const exit = refused(refusal, io);
  say(`natriumctl audit: ${sentence}`, io);
  return exit;
}

function jsonLine(plan: Plan, { file, dryRun }: ArchiveAsk): string {
  const { records, ends, remaining } = plan;
  const [from, to] = spanOf(records);
  const isWritten = !dryRun && ends.length > 0;
  const chains = ends.map(({ chain, number }) => ({ chain, to: number }));
  const said = { file: isWritten ? file : null, dry_run: dryRun, records: records.length, chains, from, to, bytes: bytesIn(records), remaining }; // prettier-ignore
  return `${printableJson(JSON.stringify(said))}\n`;
}

function sentenceOf({ records, ends, remaining }: Plan, before: number, { file, dryRun }: ArchiveAsk): string {
  if (ends.length === 0)
    return `nothing to archive: no whole group of records is from before ${timeText(before)}; ${remaining} records remain`;
  const [from, to] = spanOf(records);
  const what = `${records.length} records in ${ends.length} chains, ${from} to ${to}, ${bytesIn(records)} bytes`;
  if (dryRun) return `would archive ${what}; ${remaining} records would remain`;
  return `${file}: ${what}; ${remaining} records remain`;
}

/** By the first and the last of each chain: between them all are. */
function spanOf(records: readonly StoredRecord[]): readonly [string | null, string | null] {
  const outer = records.filter(({ chain }, at) => chain !== records[at - 1]?.chain || chain !== records[at + 1]?.chain);
  const times = outer.flatMap((stored) => recordOf(stored)?.time ?? []).sort((a, b) => a - b);
  const [first, last] = [times[0], times.at(-1)];
  return first === undefined || last === undefined ? [null, null] : [timeText(first), timeText(last)];
}

function timeText(time: number): string {
  return new Date(time).toISOString();
}

function bytesIn(records: readonly StoredRecord[]): number {
  return records.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

function unlike(): Result<never, Refusal> {
  return refuse(
    'acl_unavailable',
    'the acl-service answered something else than was asked: it may be of another version',
  );
}
