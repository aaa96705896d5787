/**
 * Key files: 32 bytes as 64 hexadecimal digits and a newline, readable by their owner only.
 *
 * What cannot be read is named and left as it is: a damaged key is never replaced by a new one.
 */
import { decode, fromHex, toHex, type Wire } from '@natrium/envelope';
import { readIfThere, syncName, writeWhole } from './whole-file.js';

const OWNER_ONLY = 0o600;

export class KeyfileCorrupt extends Error {
  override readonly name = 'KeyfileCorrupt';
  readonly code = 'ERR_KEYFILE_CORRUPT';
  constructor(
    readonly path: string,
    should = 'hold 64 hexadecimal digits',
    mend = 'restore it from a backup of its folder',
  ) {
    super(`key file ${path} does not ${should}; ${mend}`);
  }
}

/** @returns undefined when the file does not exist. */
export function readKeyFile(path: string): Uint8Array | undefined {
  const text = readIfThere(path)?.toString();
  if (text === undefined) return undefined;
  if (!/^[0-9a-f]{64}\n?$/.test(text)) throw new KeyfileCorrupt(path);
  return fromHex(text.trim());
}

/** Writes a new key file whole or not at all; an existing one is replaced. */
export function writeKeyFile(path: string, key: Uint8Array): void {
  writeWhole(path, `${toHex(key)}\n`, OWNER_ONLY);
  syncName(path);
}

/** @returns undefined when `bytes` are not the encoding of one value. */
export function decoded(bytes: Uint8Array): Wire | undefined {
  try {
    return decode(bytes);
  } catch {
    return undefined;
  }
}
