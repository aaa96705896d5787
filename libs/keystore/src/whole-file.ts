/** Files that are there whole or not at all, whenever the process or the machine stops, and the folders that they are in. */
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
import { randomBytes, toHex } from '@natrium/envelope';
import { codeOf } from '@natrium/model';

const FOLDER_MODE = 0o700;
/** What `writeWhole` calls a file until it is whole. */
const DRAFT = /^(.+)\.[0-9a-f]{12}\.new$/;

/** @returns undefined when there is no such file. @throws {Error} The system's own, when it cannot be read. */
export function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Writes a file so that a reader sees the old or the new content, never a part.
 *
 * @throws {Error} The system's own, with the `path` in it, which the system does not name for a file that is open.
 */
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
  removeDraftsIn(dirname(path), (name) => name === basename(path));
}

/** The same of each file of a folder, or of those that are named so. */
export function removeDraftsIn(folder: string, isOf: (name: string) => boolean = () => true): void {
  const isDraft = (found: string) => {
    const name = DRAFT.exec(found)?.[1];
    return name !== undefined && isOf(name);
  };
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
