/**
 * What a return may be on its way: small enough for one message, and not nested deeper than every party on the way can
 * carry. A larger text is cut, with its true size; anything else gives way to a sentence. What a module of the user says beside it
 * is bounded as well.
 *
 * Spec: spec/envelope.md#encoding.
 */
import { encode, type Wire } from '@natrium/envelope';
import { AROUND_RETURN, type Outcome, tooDeep } from '@natrium/flow';
import { toPlain, type Value } from '@natrium/model';

/** One message is at most 8 MiB, with its padding and wraps. */
const MAX_BYTES = 6 << 20;

/** Characters of the name of an outputter. */
const MAX_OUT = 64;

/** The outcome itself when it can be sent, another in its place otherwise. */
export function sendable(said: Outcome): Outcome {
  const outcome = withinBounds(said);
  const { ret } = outcome;
  const size = sizeOf(ret);
  if (size === undefined) return tooDeep(outcome);
  if (size <= MAX_BYTES) return outcome;
  const marker = `[cut: the return had ${size} bytes]`;
  return { ...outcome, ret: typeof ret === 'string' ? `${beginning(ret)}\n${marker}` : marker };
}

/** A code that is no whole number that everybody can carry is a failure. */
function withinBounds({ ret, retcode, success, out }: Outcome): Outcome {
  const isCode = Number.isSafeInteger(retcode);
  const isName = out !== null && out.length <= MAX_OUT && out.isWellFormed();
  return { ret, retcode: isCode ? retcode : 1, success: isCode && success, out: isName ? out : null };
}

/** @returns undefined when no encoding carries it. */
function sizeOf(ret: Value): number | undefined {
  try {
    let wire = toPlain(ret) as Wire;
    for (let level = 0; level < AROUND_RETURN; level += 1) wire = [wire];
    return encode(wire).length - AROUND_RETURN;
  } catch {
    return undefined;
  }
}

/** At most `MAX_BYTES` of UTF-8; half a character at the end is left out. */
function beginning(text: string): string {
  const bytes = new TextEncoder().encode(text).subarray(0, MAX_BYTES);
  return new TextDecoder().decode(bytes).replace(/\uFFFD$/, '');
}
