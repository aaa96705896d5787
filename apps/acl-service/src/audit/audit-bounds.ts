/**
 * Keeps one record of the audit small, whatever it quotes: records are stored in groups and handed out in pages, each of which is one message.
 *
 * What was cut says so, with the size and the hash of the whole: whoever has it can show that it was that.
 *
 * Spec: spec/envelope.md#audit.
 */
import { auditHash, encode, encodedSize, toHex, type Wire, type WireMap } from '@natrium/envelope';
import type { Request } from '@natrium/model';

/** Bytes of a request's arguments that its record quotes. */
const MAX_ARGS = 4096;
/** Bytes of what a record says beside its fixed fields: as many keys as one names fit, with the longest ids. */
const MAX_DETAIL = 64 << 10;
/** Keys that one record names. */
const MAX_NAMED = 64;
/** What says that it was cut. */
const MARK = 128;

/** A request's arguments, or the first of them that fit. */
export function quoted(args: readonly Wire[]): WireMap {
  if (encodedSize(args) <= MAX_ARGS) return { args };
  let left = MAX_ARGS;
  const tooMuch = args.findIndex((arg) => (left -= encodedSize(arg)) < 0);
  return { args: tooMuch === -1 ? args : args.slice(0, tooMuch), args_cut: measured(encode(args)) };
}

/**
 * The records about one request that many keys were decided by, and one at least: what was asked, whose arguments are in the
 * first record, and the keys that this one names.
 */
export function keyPages<K>(
  { funs, args }: Request,
  keys: readonly K[],
): readonly { readonly asked: WireMap; readonly keys: readonly K[] }[] {
  const starts = Array.from({ length: Math.max(1, Math.ceil(keys.length / MAX_NAMED)) }, (_, page) => page * MAX_NAMED);
  return starts.map((start) => ({
    asked: { fun: funs[0] ?? '', ...quoted(start === 0 ? (args[0] ?? []) : []) },
    keys: keys.slice(start, start + MAX_NAMED),
  }));
}

/** What fits of it, the small fields before the large ones. */
export function withinBounds(detail: WireMap): WireMap {
  if (encodedSize(detail) <= MAX_DETAIL) return detail;
  const bySize = Object.entries(detail)
    .map((field) => ({ field, bytes: encodedSize(field) }))
    .sort((a, b) => a.bytes - b.bytes);
  let left = MAX_DETAIL - MARK;
  const kept = bySize.filter(({ bytes }) => (left -= bytes) >= 0).map(({ field }) => field);
  return { ...Object.fromEntries(kept), cut: measured(encode(detail)) };
}

function measured(whole: Uint8Array): WireMap {
  return { bytes: whole.length, digest: toHex(auditHash(whole)) };
}
