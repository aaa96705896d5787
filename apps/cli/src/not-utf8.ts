/**
 * Which word of the command line is not UTF-8. Node hands such a one on with U+FFFD in place of what it could not read: as an argument
 * it would be another text, and as a target other minions.
 */
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';

const REPLACED = '\uFFFD';
const CMDLINE = '/proc/self/cmdline';

/** @returns Its place, from 1; undefined where there is none, or where the system does not tell the bytes (macOS). */
export function notUtf8(words: readonly string[], cmdline = CMDLINE): number | undefined {
  if (!words.some((word) => word.includes(REPLACED))) return undefined;
  const bytes = bytesOf(cmdline).slice(-words.length);
  const at = bytes.findIndex((word) => !isUtf8(word));
  return at === -1 || bytes.length < words.length ? undefined : at + 1;
}

/** Each word ends with a zero byte. */
function bytesOf(cmdline: string): readonly Buffer[] {
  try {
    const words = readFileSync(cmdline, 'latin1').split('\0').slice(0, -1);
    return words.map((word) => Buffer.from(word, 'latin1'));
  } catch {
    return [];
  }
}
