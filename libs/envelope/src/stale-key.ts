/**
 * `stale_key`: the one answer that isn't sealed, because there is no key to seal it with. It carries nothing but the
 * answerer's signed announcement, and is decided from visible key ids alone.
 *
 * `[1, "stale_key", [bytes, signature]]`: three parts, the second a text, so no message reads as one, nor it as a message.
 *
 * Spec: spec/envelope.md#stale-key.
 */
import { MAX_BRIEF_VALUES } from '@natrium/model';
import { encode, type Wire } from './encoding.js';
import { fields, refuse, shaped } from './shape.js';
import { readSigned, type Signed, signedToWire } from './signing.js';

const VERSION = 1;
const WORD = 'stale_key';
const HEAD_OF_THREE = 0x93;

export function encodeStaleKey(announced: Signed): Uint8Array {
  return encode([VERSION, WORD, signedToWire(announced)]);
}

/** @returns undefined when the bytes are something else; the announcement isn't verified yet. */
export function readStaleKey(bytes: Uint8Array): Signed | undefined {
  if (bytes[0] !== HEAD_OF_THREE) return undefined;
  const read = (wire: Wire) => {
    const [version, word, announced] = fields(wire, 3);
    return version === VERSION && word === WORD ? readSigned(announced) : refuse();
  };
  return shaped(bytes, read, MAX_BRIEF_VALUES);
}
