/**
 * An exported audit: one JSON object a line, each with the exact bytes that were recorded or signed. What else a line says is
 * for people, and is not believed.
 *
 * Spec: docs/audit.md.
 */
import { readFileSync } from 'node:fs';
import {
  decode,
  encode,
  rolesChainFromWire,
  type RolesChain,
  rolesChainToWire,
  type Signed,
  signedFromWire,
} from '@natrium/envelope';
import { isMap, type Value } from '@natrium/model';
import { recordLine } from './record-line.js';
import { recordOf, type StoredAudit, type StoredRecord } from './stored-audit.js';

const VERSION = 1;

export class AuditFileBroken extends Error {
  override readonly name = 'AuditFileBroken';
}

export function* auditLines({ chain, records, heads, grants }: StoredAudit): Generator<string> {
  yield line({ audit: VERSION, roles: base64(encode(rolesChainToWire(chain))), grants: grants !== undefined });
  for (const record of records) {
    const read = recordOf(record);
    const { chain: name, number, bytes } = record;
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

/** @throws {AuditFileBroken} When it is no exported audit; lines that were changed are for the verifier to find. */
export function readAuditFile(path: string): StoredAudit {
  let chain: RolesChain | undefined;
  let hasGrants = false;
  const records: StoredRecord[] = [];
  const heads: Signed[] = [];
  const grants: Signed[] = [];
  for (const [index, item] of linesOf(path)) {
    if (item['audit'] === VERSION && typeof item['roles'] === 'string') {
      chain = rolesChainFromWire(decode(bytesOf(item['roles'])));
      hasGrants = item['grants'] === true;
    } else if (typeof item['record'] === 'string') records.push(storedIn(item, item['record'], index));
    else if (item['head'] !== undefined) heads.push(signedIn(item['head'], index));
    else if (item['grant'] !== undefined) grants.push(signedIn(item['grant'], index));
    else throw new AuditFileBroken(`line ${index} is none of an exported audit`);
  }
  if (chain === undefined)
    throw new AuditFileBroken('this is no exported audit: it does not begin with the roles documents');
  return { chain, records, heads, grants: hasGrants ? grants : undefined };
}

/** Signed heads that an acl-service left in its log: whatever else is in it is passed over. */
export function headsInLog(path: string): readonly Signed[] {
  return readFileSync(path, 'utf8').split('\n').flatMap((text) => {
    const head = /"auditHead":"([A-Za-z0-9+/=]+)"/.exec(text)?.[1];
    const signed = head === undefined ? undefined : signedFromWire(decode(bytesOf(head)));
    return signed === undefined ? [] : [signed];
  }); // prettier-ignore
}

function linesOf(path: string): readonly (readonly [number, Readonly<Record<string, Value>>])[] {
  return readFileSync(path, 'utf8').split('\n').flatMap((text, index) => {
    if (text === '') return [];
    try {
      const item = JSON.parse(text) as Value;
      if (isMap(item)) return [[index + 1, item] as const];
    } catch {
      // said below
    }
    throw new AuditFileBroken(`line ${index + 1} is no JSON object`);
  }); // prettier-ignore
}

function storedIn({ chain, number }: Readonly<Record<string, Value>>, text: string, index: number): StoredRecord {
  const isPlaced = typeof chain === 'string' && typeof number === 'number';
  return { chain: isPlaced ? chain : 'line', number: isPlaced ? number : index, bytes: bytesOf(text) };
}

function signedIn(item: Value, index: number): Signed {
  if (isMap(item) && typeof item['bytes'] === 'string' && typeof item['signature'] === 'string') {
    return { bytes: bytesOf(item['bytes']), signature: bytesOf(item['signature']) };
  }
  throw new AuditFileBroken(`line ${index} holds no signed bytes`);
}

function signedText({ bytes, signature }: Signed): { readonly bytes: string; readonly signature: string } {
  return { bytes: base64(bytes), signature: base64(signature) };
}

function line(item: object): string {
  return `${JSON.stringify(item)}\n`;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}
