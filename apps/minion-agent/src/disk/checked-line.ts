/** Lines of a file that end in a check of themselves, so that one that was torn or damaged is known. */
import { blake2b, toHex } from '@natrium/envelope';

const HASH_BYTES = 16;

/** @param digits How long the check is, in hexadecimal digits: at most 32. */
export function withCheck(words: string, digits: number): string {
  return `${words} ${toHex(blake2b(HASH_BYTES, null, Buffer.from(words))).slice(0, digits)}`;
}

/** What such a line says; undefined for one that is damaged. */
export function checkedWords(line: string, digits: number): string | undefined {
  const words = line.slice(0, -digits - 1);
  return withCheck(words, digits) === line ? words : undefined;
}
