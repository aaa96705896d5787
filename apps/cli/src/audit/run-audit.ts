/**
 * `natriumctl audit`: follow it, verify it, take a copy that can be verified elsewhere, move its old part into such a file.
 *
 * Exit codes: 0 intact, 1 findings, 2 a file that cannot be read or written, 69 no master, 130 Ctrl-C while following.
 */
import { loadMasterConfig } from '@natrium/config';
import { fingerprint, type Signed, sodiumReady } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { disarm, printableJson } from '@natrium/output';
import { EXIT } from '../common/exit-codes.js';
import { INTERRUPTED, orInterrupt } from '../common/interrupt.js';
import { UsageError } from '../common/options.js';
import { plural } from '../common/plural.js';
import { notConnected, refused, say } from '../common/refused.js';
import { openMaster, type OpenMaster } from '../link/open-master.js';
import type { AuditOptions, Io } from '../ports.js';
import { archiveAudit, archiveLimit, refuseExisting } from './archive-audit.js';
import { AuditStatus } from './audit-status.js';
import { auditLines, headsInLog, readAuditFile, writeAudit } from './audit-file.js';
import { readAudit, readPage } from './read-audit.js';
import { recordJson, recordLine } from './record-line.js';
import {
  AuditBroken,
  recordOf,
  type StoredAudit,
  type StoredRecord,
  type Verified,
  verifyStored,
} from './stored-audit.js';

const FOUND = 1;
const STDOUT: ReadonlySet<string> = new Set(['-', '/dev/stdout']);

interface Asked extends Omit<AuditOptions, 'heads'> {
  /** Of the log that the command line names. */
  readonly heads: readonly Signed[];
}

export async function runAudit(given: AuditOptions, io: Io): Promise<number> {
  await sodiumReady();
  const options = { ...given, heads: headsOf(given.heads) };
  try {
    if (options.verb === 'verify' && options.file !== undefined) return verifyFile(options, options.file, io);
    return await online(options, io);
  } catch (error) {
    if (!(error instanceof AuditBroken)) throw error;
    say(`natriumctl audit: ${options.file === undefined ? '' : `${options.file}: `}${error.message}`, io);
    return FOUND;
  }
}

async function online(options: Asked, io: Io): Promise<number> {
  const master = await openMaster(options.configDir);
  if (!master.ok) return notConnected(master.error, io);
  try {
    if (options.verb === 'tail') return await tail(master.value, options, io);
    if (options.verb === 'archive') return await archive(master.value, options, io);
    return await readWhole(master.value, options, io);
  } finally {
    await master.value.transport.drain();
  }
}

async function readWhole(master: OpenMaster, options: Asked, io: Io): Promise<number> {
  const status = new AuditStatus(io);
  try {
    const audit = await readAudit(master, (records) => {
      status.read(records);
    });
    if (options.verb === 'verify' && audit.ok) return verify(audit.value, options, io, status);
    status.ended();
    return audit.ok ? exported(audit.value, options.file ?? '', io) : refused(audit.error, io);
  } finally {
    status.ended();
  }
}

/** What was found is told as `verify` does; then nothing is written, and nothing deleted. */
async function archive(master: OpenMaster, options: Asked, io: Io): Promise<number> {
  if (options.file !== undefined) refuseExisting(options.file);
  const before = await archiveLimit(master);
  if (!before.ok) return refused(before.error, io);
  const status = new AuditStatus(io);
  try {
    const audit = await readAudit(master, (records) => {
      status.read(records);
    });
    if (!audit.ok) return refused(audit.error, io);
    status.verifies();
    const verified = verifiedWith(audit.value, options);
    status.ended();
    if (verified.findings.length === 0) return await archiveAudit(master, audit.value, before.value, options, io);
    say('natriumctl audit: nothing was archived, for what was found', io);
    return told(verified, options, io);
  } finally {
    status.ended();
  }
}

async function tail(master: OpenMaster, { follow, json, last }: Asked, io: Io): Promise<number> {
  let page = await readPage(master, { last });
  /** By chain. */
  const told = new Map<string, number>();
  // Whole groups come: of the first ones no more is shown than was asked for.
  let skip = page.ok && page.value.isLast ? Math.max(page.value.records.length - last, 0) : 0;
  for (;;) {
    if (!page.ok) return refused(page.error, io);
    for (const record of page.value.records) {
      // A group that has grown since comes once more.
      if (record.number <= (told.get(record.chain) ?? -1)) continue;
      told.set(record.chain, record.number);
      if ((skip -= 1) < 0) io.out(`${shown(record, json)}\n`);
    }
    if (page.value.isLast && !follow) return 0;
    const next = await orInterrupt(nextPage(master, page.value.next), io);
    if (next === INTERRUPTED) return EXIT.interrupted;
    page = next;
  }
}

/** The acl-service answers when there is something new, or after some seconds with nothing. */
function nextPage(master: OpenMaster, from: number): ReturnType<typeof readPage> {
  return readPage(master, { from, wait: true });
}

function shown(stored: StoredRecord, json: boolean): string {
  if (stored.tooLarge !== undefined) return shownBySize(stored, stored.tooLarge, json);
  const record = recordOf(stored);
  if (record === undefined) return `[${stored.chain} ${stored.number}] is no record`;
  return json ? recordJson(record) : recordLine(record);
}

function shownBySize({ chain, number }: StoredRecord, bytes: number, json: boolean): string {
  if (json) return printableJson(JSON.stringify({ chain, number, too_large: bytes }));
  return disarm(`[${chain} ${number}] is too large to be handed out: ${bytes} bytes`);
}

/** To stdout it is the audit and nothing else, so that what reads it has a whole export. */
export function exported(audit: StoredAudit, path: string, io: Io): number {
  const what = `${audit.records.length} records, ${audit.heads.length} signed heads, ${grantsText(audit.grants?.length)}`;
  if (STDOUT.has(path)) {
    for (const line of auditLines(audit)) io.out(line);
    say(`natriumctl audit: ${what}`, io);
  } else {
    writeAudit(path, audit);
    io.out(`${path}: ${what}\n`);
  }
  return 0;
}

function verifyFile(options: Asked, path: string, io: Io): number {
  const audit = readAuditFile(path);
  const own = ownFingerprint(options.configDir);
  const its = fingerprint(audit.chain[0]);
  if (own !== undefined && own !== its) {
    say(`natriumctl audit: ${path} is the audit of the cluster ${its}, not of ${own}`, io);
    return FOUND;
  }
  return verify(audit, options, io);
}

/** @throws {UsageError} Where it holds none: who names a log wants it counted, and "intact" would say that it was. */
function headsOf(log: string | undefined): readonly Signed[] {
  const heads = log === undefined ? [] : headsInLog(log);
  if (log === undefined || heads.length > 0) return heads;
  throw new UsageError(`option --heads: no signed head in ${log} (an acl-service writes them with log_level: info)`);
}

/** @param status Of reading it; what is printed follows it. */
function verify(audit: StoredAudit, options: Asked, io: Io, status?: AuditStatus): number {
  status?.verifies();
  const verified = verifiedWith(audit, options);
  status?.ended();
  return told(verified, options, io);
}

/** The audit with the heads that the command line names. */
function verifiedWith(audit: StoredAudit, { heads }: Asked): Verified {
  return verifyStored({ ...audit, heads: [...audit.heads, ...heads] });
}

function told(verified: Verified, { json }: Asked, io: Io): number {
  if (json) io.out(`${printableJson(JSON.stringify(verified))}\n`);
  else tell(verified, io);
  return verified.findings.length === 0 ? 0 : FOUND;
}

function tell(verified: Verified, io: Io): void {
  const { findings, chains, records, heads, grants, archived, until, fingerprint: cluster } = verified;
  for (const { kind, sentence } of findings) io.out(`${kind}: ${disarm(sentence)}\n`);
  const what = `${records} records in ${chains} chains, ${heads} signed heads, ${grantsText(grants)}`;
  const before = archived === 0 ? '' : `, ${archived} records were archived before`;
  const after = until === undefined ? '' : `; an archive, whose end was signed at ${new Date(until).toISOString()}`;
  const verdict = findings.length === 0 ? 'intact' : plural(findings.length, 'finding');
  io.out(`${verdict}: ${what}${before}${after}; cluster ${cluster}\n`);
}

function grantsText(grants: number | undefined): string {
  return grants === undefined ? 'no grants (this account may not read the job cache)' : `${grants} grants`;
}

/** undefined where no cluster is known: then the file says whose audit it is, and people compare. */
function ownFingerprint(configDir: string): string | undefined {
  const loaded = loadMasterConfig(configDir);
  const keys = loaded.ok ? new MasterKeys(loaded.value.config.pki_dir) : undefined;
  return keys?.exists === true ? fingerprint(keys.chain()[0]) : undefined;
}
