/**
 * An exported audit, or an archive of its older part: one JSON object a line, each with the exact bytes that were recorded or signed. What else a line says is
 * for people, and is not believed.
 *
 * Spec: docs/audit.md.
 */
import {
  closeSync,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {
  decode,
  encode,
  rolesChainFromWire,
  type RolesChain,
  rolesChainToWire,
  type Signed,
  signedFromWire,
  type Wire,
} from '@natrium/envelope';
import { isMap, type Value } from '@natrium/model';
import { UsageError } from '../common/options.js';
import { pathTrouble } from '../common/path-trouble.js';
import { textNamed } from '../common/text-of.js';
import { base64, bytesFrom, signedFrom } from './base64.js';
import { recordLine } from './record-line.js';
import { AuditBroken, recordOf, type StoredAudit, type StoredRecord } from './stored-audit.js';

const VERSION = 1;
export const OWNER_ONLY = 0o600;

export function* auditLines({ chain, records, heads, grants, cut, until }: StoredAudit): Generator<string> {
  yield line({ audit: VERSION, roles: base64(encode(rolesChainToWire(chain))), grants: grants !== undefined });
  if (cut !== undefined) yield line({ cut: signedText(cut) });
  if (until !== undefined) yield line({ until: signedText(until) });
  for (const record of records) {
    const read = recordOf(record);
    const { chain: name, number, bytes, tooLarge } = record;
    if (tooLarge !== undefined) {
      yield line({ too_large: tooLarge, chain: name, number });
      continue;
    }
    yield line({
      record: base64(bytes),
      chain: name,
      number,
      ...(read === undefined ? {} : { says: recordLine(read) }),
    });
  }
  for (const head of heads) yield line({ head: signedText(head) });
  for (const grant of grants ?? []) yield line({ grant: signedText(grant) });
}

/**
 * In place of what is there, when all of it is written: the records come before the heads, so that nobody could tell one that was
 * broken off from a whole one.
 *
 * @throws {UsageError} Where it cannot be written whole: what was there stays.
 */
export function writeAudit(path: string, audit: StoredAudit): void {
  try {
    const known = existsSync(path) ? statSync(path) : undefined;
    // A terminal or a pipe, which nothing takes the place of.
    if (known?.isFile() === false) writeLines(openSync(path, 'w'), audit);
    else replaceFile(known === undefined ? path : realpathSync(path), known?.mode ?? OWNER_ONLY, audit);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function replaceFile(path: string, mode: number, audit: StoredAudit): void {
  const draft = `${path}.${String(process.pid)}.new`;
  try {
    const file = openSync(draft, 'wx', OWNER_ONLY);
    fchmodSync(file, mode & 0o777);
    writeLines(file, audit);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function writeLines(file: number, audit: StoredAudit): void {
  try {
    for (const each of auditLines(audit)) writeFileSync(file, each); // goes on where one write takes a part only
    if (fstatSync(file).isFile()) fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** For whoever named the file. */
export function cannotWrite(path: string, error: unknown): UsageError {
  return new UsageError(`${path}: cannot write it: ${pathTrouble(path, error)}`);
}

/** @throws {AuditBroken} When it is no exported audit; lines that were changed are for the verifier to find. */
export function readAuditFile(path: string): StoredAudit {
  let chain: RolesChain | undefined;
  let hasGrants = false;
  const records: StoredRecord[] = [];
  const heads: Signed[] = [];
  const grants: Signed[] = [];
  let [cut, until]: readonly (Signed | undefined)[] = [];
  for (const [index, item] of linesOf(path)) {
    if (item['audit'] === VERSION && typeof item['roles'] === 'string') {
      chain = rolesIn(item['roles'], index);
      hasGrants = item['grants'] === true;
    } else if (typeof item['record'] === 'string') records.push(storedIn(item, item['record'], index));
    else if (typeof item['too_large'] === 'number')
      records.push({ ...storedIn(item, '', index), tooLarge: item['too_large'] });
    else if (item['head'] !== undefined) heads.push(signedIn(item['head'], index));
    else if (item['grant'] !== undefined) grants.push(signedIn(item['grant'], index));
    else if (item['cut'] !== undefined) cut = signedIn(item['cut'], index);
    else if (item['until'] !== undefined) until = signedIn(item['until'], index);
    else throw new AuditBroken(`line ${index} is none of an exported audit`);
  }
  if (chain === undefined)
    throw new AuditBroken('this is no exported audit: it does not begin with the roles documents');
  return { chain, records, heads, grants: hasGrants ? grants : undefined, cut, until };
}

/** Signed heads that an acl-service left in its log: whatever else is in it is passed over. */
export function headsInLog(path: string): readonly Signed[] {
  return textNamed(path).split('\n').flatMap((text) => {
    const head = /"auditHead":"([A-Za-z0-9+/=]+)"/.exec(text)?.[1];
    const signed = head === undefined ? undefined : encoded(head, signedFromWire);
    return signed === undefined ? [] : [signed];
  }); // prettier-ignore
}

function linesOf(path: string): readonly (readonly [number, Readonly<Record<string, Value>>])[] {
  return textNamed(path).split('\n').flatMap((text, index) => {
    if (text === '') return [];
    try {
      const item = JSON.parse(text) as Value;
      if (isMap(item)) return [[index + 1, item] as const];
    } catch {
      // said below
    }
    throw new AuditBroken(`line ${index + 1} is no JSON object`);
  }); // prettier-ignore
}

function rolesIn(text: string, index: number): RolesChain {
  const chain = encoded(text, rolesChainFromWire);
  if (chain === undefined) throw new AuditBroken(`line ${index} holds no roles documents`);
  return chain;
}

/** undefined also for what is no encoding at all. */
function encoded<T>(text: string, read: (wire: Wire) => T | undefined): T | undefined {
  let wire: Wire;
  try {
    wire = decode(bytesFrom(text));
  } catch {
    return undefined;
  }
  return read(wire);
}

function storedIn({ chain, number }: Readonly<Record<string, Value>>, text: string, index: number): StoredRecord {
  const isPlaced = typeof chain === 'string' && typeof number === 'number';
  return { chain: isPlaced ? chain : 'line', number: isPlaced ? number : index, bytes: bytesFrom(text) };
}

function signedIn(item: Value, index: number): Signed {
  const signed = signedFrom(item);
  if (signed === undefined) throw new AuditBroken(`line ${index} holds no signed bytes`);
  return signed;
}

export function signedText({ bytes, signature }: Signed): { readonly bytes: string; readonly signature: string } {
  return { bytes: base64(bytes), signature: base64(signature) };
}

function line(item: object): string {
  return `${JSON.stringify(item)}\n`;
}
