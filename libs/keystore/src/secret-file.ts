/**
 * Key files: 32 bytes as 64 hexadecimal digits and a newline, readable by their owner only.
 *
 * What cannot be read is named and left as it is: a damaged key is never replaced by a new one.
 */
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { decode, fromHex, randomBytes, toHex, type Wire } from '@natrium/envelope';

const OWNER_ONLY = 0o600;
const FOLDER_MODE = 0o700;
const DRAFT = /^[0-9a-f]{12}\.new$/;

export class KeyfileCorrupt extends Error {
  override readonly name = 'KeyfileCorrupt';
  readonly code = 'ERR_KEYFILE_CORRUPT';
  constructor(
    readonly path: string,
    should = 'hold 64 hexadecimal digits',
  ) {
    super(`key file ${path} does not ${should}; restore it from a backup of its folder`);
  }
}

/** @returns undefined when the file does not exist. */
export function readKeyFile(path: string): Uint8Array | undefined {
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  if (!/^[0-9a-f]{64}\n?$/.test(text)) throw new KeyfileCorrupt(path);
  return fromHex(text.trim());
}

/** Writes a new key file whole or not at all; an existing one is replaced. */
export function writeKeyFile(path: string, key: Uint8Array): void {
  writeWhole(path, `${toHex(key)}\n`, OWNER_ONLY);
  syncName(path);
}

/**
 * Makes a folder and what is missing above it, all with `mode`. Node's own `recursive` asks without end where a folder takes
 * none, as `/proc` does.
 */
export function makeFolder(path: string, mode: number): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

/** Writes a file so that a reader sees the old or the new content, never a part. What fails tells the `path`: the system names none for a file that is open. */
export function writeWhole(path: string, content: string | Uint8Array, mode: number): void {
  makeFolder(dirname(path), FOLDER_MODE);
  const draft = `${path}.${toHex(randomBytes(6))}.new`;
  const file = openSync(draft, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, mode);
  try {
    // The umask may have taken bits away that a shared file needs.
    fchmodSync(file, mode);
    writeFileSync(file, content);
    fsyncSync(file);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    if (typeof error === 'object' && error !== null) Object.assign(error, { path });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Removes what a process that was killed in the middle of `writeWhole` has left; of another that still writes it would be missed. */
export function removeDrafts(path: string): void {
  const [folder, name] = [dirname(path), basename(path)];
  const isDraft = (found: string) => found.startsWith(`${name}.`) && DRAFT.test(found.slice(name.length + 1));
  try {
    for (const found of readdirSync(folder)) if (isDraft(found)) rmSync(join(folder, found), { force: true });
  } catch {
    // A disk that takes no writes keeps them.
  }
}

/** Keeps the file's name through a power loss too, for what is written or removed next because of it. */
export function syncName(path: string): void {
  const folder = openSync(dirname(path), constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

export function isMissing(error: unknown): boolean {
  // Not `instanceof Error`: in a test's own realm the file system's errors are none.
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';
}

/** @returns undefined when `bytes` are not the encoding of one value. */
export function decoded(bytes: Uint8Array): Wire | undefined {
  try {
    return decode(bytes);
  } catch {
    return undefined;
  }
}
