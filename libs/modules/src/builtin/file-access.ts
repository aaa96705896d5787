/**
 * Opening files for `file.*`: whole paths only, bounded, and never through a symbolic link when something is changed,
 * so that a link laid by an account in its own folder does not lead the minion's rights elsewhere.
 */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { getSystemErrorMap } from 'node:util';
import { ExecutionError, InvocationError } from '../loader/errors.js';

/** Most that is read for a search or a replacement, and most that is written. */
export const TEXT_LIMIT = 16 * 1024 * 1024;

/** @throws {InvocationError} When it is not a whole path. */
export function wholePath(path: string): string {
  if (!path.startsWith('/')) throw new InvocationError('File path must be absolute.');
  if (path.includes('\0')) throw new InvocationError('a path holds no NUL');
  return path;
}

/** Runs it and says a failure of the system as the system names it. */
export async function onDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asExecutionError(path, error);
  }
}

/** Told by its number, not by its class: a test's own globals are not those of `node:fs`. */
function asExecutionError(path: string, error: unknown): unknown {
  if (typeof error !== 'object' || error === null || !('errno' in error) || typeof error.errno !== 'number')
    return error;
  const [code, text = 'failed'] = getSystemErrorMap().get(error.errno) ?? [];
  return code === 'ELOOP' ? linkRefused(path) : new ExecutionError(`${path}: ${text}`);
}

function linkRefused(path: string): ExecutionError {
  return new ExecutionError(`${path} is a symbolic link; name the file itself`);
}

/** Opens a regular file, hands it on and closes it. A pipe or a device is refused, and nobody waits for one. */
export function withFile<T>(
  path: string,
  flags: number,
  work: (file: FileHandle) => Promise<T>,
  mode = 0o644,
): Promise<T> {
  return onDisk(wholePath(path), async () => {
    const file = await open(path, flags | constants.O_NONBLOCK, mode);
    try {
      if (!(await file.stat()).isFile()) throw new ExecutionError(`${path} is not a regular file`);
      return await work(file);
    } finally {
      await file.close();
    }
  });
}

/** The beginning of a file, and whether that was all. */
export function readBeginning(path: string, limit: number, follow = true): Promise<{ bytes: Buffer; isAll: boolean }> {
  const flags = constants.O_RDONLY | (follow ? 0 : constants.O_NOFOLLOW);
  return withFile(path, flags, async (file) => {
    const parts: Buffer[] = [];
    let length = 0;
    // Files of /proc say that they are empty: read until the end, not what `stat` tells.
    while (length <= limit) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(65_536), 0, 65_536);
      if (bytesRead === 0) break;
      parts.push(buffer.subarray(0, bytesRead));
      length += bytesRead;
    }
    const all = Buffer.concat(parts);
    return { bytes: all.subarray(0, limit), isAll: all.length <= limit };
  });
}

/** The whole text of a file that may be changed. @throws {ExecutionError} When it is too long or no UTF-8. */
export async function readWhole(path: string, follow = false): Promise<string> {
  const { bytes, isAll } = await readBeginning(path, TEXT_LIMIT, follow);
  if (!isAll) throw new ExecutionError(`${path} has more than ${TEXT_LIMIT} bytes`);
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) throw new ExecutionError(`${path} is no UTF-8 text`);
  return text;
}

/** Writes in place: owner, mode and inode of a file that is there stay. */
export function writeWhole(path: string, text: string | Buffer, mode?: number): Promise<void> {
  if (Buffer.byteLength(text) > TEXT_LIMIT) throw new InvocationError(`more than ${TEXT_LIMIT} bytes to write`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW;
  const put = async (file: FileHandle): Promise<void> => {
    await file.truncate(0);
    await file.writeFile(text);
  };
  return withFile(path, flags, put, mode);
}

/** To a file that is there: as in Salt a path with a slip in it makes none. */
export function appendText(path: string, text: string): Promise<void> {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW;
  return withFile(path, flags, async (file) => {
    const { size } = await file.stat();
    const last = size === 0 ? '\n' : (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer.toString();
    await file.appendFile(last === '\n' ? text : `\n${text}`);
  });
}

/** What kind of thing a path is, the link itself where it is one; undefined when there is nothing. */
export async function kindOf(path: string): Promise<'file' | 'dir' | 'link' | 'other' | undefined> {
  const found = await lstat(wholePath(path)).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.isSymbolicLink()) return 'link';
  if (found.isDirectory()) return 'dir';
  return found.isFile() ? 'file' : 'other';
}

/** A path without a slash, or `/.`, at its end: behind a link that would mean what it leads to. */
export function itself(path: string): string {
  const parts = wholePath(path).split('/');
  while (parts.length > 1 && ['', '.'].includes(parts.at(-1) ?? '')) parts.pop();
  return parts.length === 1 ? '/' : parts.join('/');
}

/** @throws {ExecutionError} When the path is a symbolic link. */
export async function refuseLink(path: string): Promise<void> {
  if ((await kindOf(itself(path))) === 'link') throw linkRefused(path);
}
