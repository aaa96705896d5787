/**
 * Makes a return fit for its way: small enough for one message, of no more values than one may hold, and nested no deeper than every party
 * on the way can carry. A text that is too large is cut, with its true size at the end; any other value is replaced by a sentence. The
 * return's code and outputter, which a module of the user may set, are bounded as well.
 *
 * Spec: spec/envelope.md#encoding, spec/envelope.md#values.
 */
import { countValues, type Plain, toPlain, type Value } from '@natrium/model';
import type { Outcome } from './job-run.js';
import { AROUND_RETURN, tooDeep } from './too-deep.js';

/** Bytes of a return, or of what an answer tells: one message is at most 8 MiB, with its padding and wraps. */
export const CARRIED_BYTES = 6 << 20;

/** Characters of the name of an outputter. */
const MAX_OUT = 64;

/** Bytes of the envelope's encoding of a plain value. @throws {Error} When there is none. */
type EncodedSize = (plain: unknown) => number;

interface Room {
  /** Of the return, encoded. */
  readonly maxBytes?: number;
  /** Items of lists and entries of maps in it; who answers for others' work may send any number. */
  readonly maxValues?: number;
}

/** The outcome itself when it can be sent, another in its place otherwise. */
export function sendable(said: Outcome, encodedSize: EncodedSize, room: Room = {}): Outcome {
  const { maxBytes = CARRIED_BYTES, maxValues } = room;
  const outcome = withinBounds(said);
  const { ret } = outcome;
  const plain = plainOf(ret);
  if (plain === undefined) return tooDeep(outcome);
  if (maxValues !== undefined && countValues([plain], maxValues) > maxValues)
    return { ...outcome, ret: tooMany(maxValues) };
  const size = sizeOf(plain, encodedSize);
  if (size === undefined) return tooDeep(outcome);
  if (size <= maxBytes) return outcome;
  const marker = `[cut: the return had ${size} bytes]`;
  return { ...outcome, ret: typeof ret === 'string' ? `${beginning(ret, maxBytes)}\n${marker}` : marker };
}

function tooMany(most: number): string {
  return `[cut: the return had more than ${most} values]`;
}

/** A code that is no whole number that everybody can carry is a failure. */
function withinBounds({ ret, retcode, success, out }: Outcome): Outcome {
  const isCode = Number.isSafeInteger(retcode);
  const isName = out !== null && out.length <= MAX_OUT && out.isWellFormed();
  return { ret, retcode: isCode ? retcode : 1, success: isCode && success, out: isName ? out : null };
}

/** As it travels, where some numbers are a map. @returns undefined when it is nested too deeply for that. */
function plainOf(ret: Value): Plain | undefined {
  try {
    return toPlain(ret);
  } catch {
    return undefined;
  }
}

/** @returns undefined when no encoding carries it. */
function sizeOf(ret: Plain, encodedSize: EncodedSize): number | undefined {
  let plain: unknown = ret;
  for (let level = 0; level < AROUND_RETURN; level += 1) plain = [plain];
  try {
    return encodedSize(plain) - AROUND_RETURN;
  } catch {
    return undefined;
  }
}

/** At most so many bytes of UTF-8; half a character at the end is left out. */
function beginning(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text).subarray(0, maxBytes);
  return new TextDecoder().decode(bytes).replace(/\uFFFD$/, '');
}
