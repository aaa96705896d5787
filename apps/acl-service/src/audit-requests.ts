/**
 * Reading the audit: records exactly as they were written, page by page, and signed heads. The reader verifies; here nothing
 * is judged. A record that no message carries is told by its size, so that who reads goes on behind it.
 *
 * `audit.heads` is recorded, `audit.read` is not: who follows the audit would feed what he reads.
 */
import { err, isMap, ok, type Refusal, refusal, type Value } from '@natrium/model';
import type { Signed } from '@natrium/envelope';
import type { AdminHandler } from './admin.js';
import type { AuditHeads } from './audit-heads.js';
import type { AuditGroup, AuditIndex } from './audit-index.js';

const MAX_LIMIT = 1000;
/** Of one group: as base64 it fits into one message. Larger ones were stored by earlier versions, and a page holds no other beside them. */
const SHOWN_BYTES = 4.5 * (1 << 20);
/** Below the time that the asker waits. */
const MAX_WAIT_MS = 3000;

interface ReadArgs {
  readonly from: number;
  readonly limit: number;
  readonly chain: string | undefined;
  readonly last: number | undefined;
  readonly waits: boolean;
}

export function auditHandler(index: AuditIndex, heads: AuditHeads): AdminHandler {
  return async (fun, [arg]) => {
    if (fun === 'audit.heads') return ok({ heads: (await heads.signed()).map(signedValue) });
    const args = fun === 'audit.read' ? readArgs(arg) : undefined;
    return args === undefined ? err(NOT_SO) : ok(await read(index, args));
  };
}

async function read(index: AuditIndex, { from, limit, chain, last, waits }: ReadArgs): Promise<Value> {
  const begin = last === undefined ? from : await index.fromLast(last);
  if (waits) await index.later(begin, MAX_WAIT_MS);
  const page = await index.page({ from: begin, limit, ...(chain === undefined ? {} : { chain }) });
  return { groups: page.groups.map(groupValue), next: page.next, last: page.isLast };
}

function readArgs(arg: Value | undefined): ReadArgs | undefined {
  if (arg !== undefined && !isMap(arg)) return undefined;
  const { from = 0, limit = MAX_LIMIT, chain, last, wait = false } = arg ?? {};
  const areWhole = isCount(from) && isCount(limit) && (last === undefined || isCount(last));
  if (!areWhole || (chain !== undefined && (typeof chain !== 'string' || !/^[\w-]{1,64}$/.test(chain))))
    return undefined;
  return { from, limit: Math.max(1, Math.min(limit, MAX_LIMIT)), chain, last, waits: wait === true };
}

function isCount(value: Value | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function groupValue({ chain, first, at, records }: AuditGroup): Value {
  const untold = tooLargeIn(records);
  return {
    chain,
    first,
    at,
    records: records.map((bytes, index) => (untold.has(index) ? { bytes: bytes.length } : base64(bytes))),
  };
}

/** Which of a group, the largest first, are told by their size alone, so that the others are told. */
function tooLargeIn(records: readonly Uint8Array[]): ReadonlySet<number> {
  let bytes = records.reduce((sum, { length }) => sum + length, 0);
  const untold = new Set<number>();
  for (const [index, { length }] of [...records.entries()].sort(([, a], [, b]) => b.length - a.length)) {
    if (bytes <= SHOWN_BYTES) break;
    untold.add(index);
    bytes -= length;
  }
  return untold;
}

function signedValue({ bytes, signature }: Signed): Value {
  return { bytes: base64(bytes), signature: base64(signature) };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

const NOT_SO: Refusal = refusal(
  'bad_request',
  'the audit is read with audit.read {from, chain, limit, last, wait} or audit.heads',
);
