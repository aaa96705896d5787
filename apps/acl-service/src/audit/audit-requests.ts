/**
 * Reading the audit: records exactly as they were written, page by page, and signed heads. The reader verifies; here nothing
 * is judged. A record that no message carries is told by its size, so that who reads goes on behind it.
 *
 * Archiving it in three steps: a cut is signed (`audit.cut`), put in force (`audit.archive`), and carried out page by page (`audit.sweep`).
 *
 * Spec: spec/wire.md#admin.
 */
import { type ChainEnd, fromHex, MAX_CUTS, type Signed } from '@natrium/envelope';
import { err, isList, isMap, ok, type Refusal, refusal, type Result, type Value } from '@natrium/model';
import type { AdminHandler } from '../admin-handler.js';
import type { AuditArchive } from './audit-archive.js';
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

interface Parts {
  readonly index: AuditIndex;
  readonly heads: AuditHeads;
  readonly archive: AuditArchive;
}

export function auditHandler(parts: Parts): AdminHandler {
  const { archive, heads } = parts;
  const handlers: Readonly<Record<string, (arg: Value | undefined) => Promise<Result<Value, Refusal>>>> = {
    'audit.heads': async () => ok({ heads: (await heads.signed()).map(signedValue) }),
    'audit.read': async (arg) => {
      const args = readArgs(arg);
      return args === undefined ? err(NOT_SO) : ok(await read(parts, args));
    },
    'audit.cut': async (arg) => {
      const ends = endsIn(arg);
      return ends === undefined ? err(NOT_SO) : cut(archive, ends);
    },
    'audit.archive': async (arg) => {
      const signed = signedIn(isMap(arg) ? arg['cut'] : undefined);
      return signed === undefined ? err(NOT_SO) : archive.putInForce(signed);
    },
    'audit.sweep': async (arg) => {
      const from = isMap(arg) ? arg['from'] : undefined;
      if (!isCount(from)) return err(NOT_SO);
      const { groups, next, isLast } = await archive.sweep(from);
      return ok({ groups, next, last: isLast });
    },
  };
  return (fun, [arg]) =>
    (Object.hasOwn(handlers, fun) ? handlers[fun]?.(arg) : undefined) ?? Promise.resolve(err(NOT_SO));
}

/** The cut is read after the records: none of those that it does not name is missing among them. */
async function read({ index, archive }: Parts, args: ReadArgs): Promise<Value> {
  const { from, limit, chain, last, waits } = args;
  const begin = last === undefined ? from : await index.fromLast(last);
  if (waits) await index.later(begin, MAX_WAIT_MS);
  const page = await index.page({ from: begin, limit, ...(chain === undefined ? {} : { chain }) });
  const stored = page.isLast ? await archive.stored() : undefined;
  const inForce = stored === undefined ? {} : { cut: signedValue(stored) };
  return { groups: page.groups.map(groupValue), next: page.next, last: page.isLast, ...inForce };
}

/** Without chains it says alone before when a record has to be to be cut off. */
async function cut(archive: AuditArchive, ends: readonly ChainEnd[]): Promise<Result<Value, Refusal>> {
  const before = archive.before();
  if (!before.ok) return before;
  if (ends.length === 0) return ok({ before: before.value });
  const signed = await archive.sign(ends);
  return signed.ok ? ok({ before: before.value, cut: signedValue(signed.value) }) : signed;
}

function readArgs(arg: Value | undefined): ReadArgs | undefined {
  if (arg !== undefined && !isMap(arg)) return undefined;
  const { from = 0, limit = MAX_LIMIT, chain, last, wait = false } = arg ?? {};
  const areWhole = isCount(from) && isCount(limit) && (last === undefined || isCount(last));
  if (!areWhole || (chain !== undefined && !isChain(chain))) return undefined;
  return { from, limit: Math.max(1, Math.min(limit, MAX_LIMIT)), chain, last, waits: wait === true };
}

/** `{chains: [{chain, number, hash}]}`, each chain once. */
function endsIn(arg: Value | undefined): readonly ChainEnd[] | undefined {
  const { chains = [] } = isMap(arg) ? arg : {};
  if (!isList(chains) || chains.length > MAX_CUTS) return undefined;
  const ends = chains.flatMap((one) => {
    const { chain, number, hash } = isMap(one) ? one : {};
    const isEnd = isChain(chain) && isCount(number) && typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash);
    return isEnd ? [{ chain, number, hash: fromHex(hash) }] : [];
  });
  return ends.length === chains.length ? ends : undefined;
}

function isChain(value: Value | undefined): value is string {
  return typeof value === 'string' && /^[\w-]{1,64}$/.test(value);
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

function signedIn(value: Value | undefined): Signed | undefined {
  const { bytes, signature } = isMap(value) ? value : {};
  if (typeof bytes !== 'string' || typeof signature !== 'string') return undefined;
  return { bytes: Buffer.from(bytes, 'base64'), signature: Buffer.from(signature, 'base64') };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

const NOT_SO: Refusal = refusal(
  'bad_request',
  'the audit is read with audit.read {from, chain, limit, last, wait} or audit.heads, and archived with audit.cut {chains}, audit.archive {cut} and audit.sweep {from}',
);
