/** `file.*` that makes folders, as Salt does: what is missing above them too. */
import { constants } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { normalize } from 'node:path';
import { ExecutionError } from '../loader/errors.js';
import { fn } from '../minion-registry.js';
import { onDisk, wholePath } from './file-access.js';
import { modeBits, ownerOf } from './file-owners.js';
import { PATH, splitPath } from './file-read.js';

const OWNERS = [
  { name: 'user', type: 'str', default: '', doc: 'The account that shall own it.' },
  { name: 'group', type: 'str', default: '', doc: 'The group that shall own it.' },
  { name: 'mode', type: 'str', default: '', doc: 'Octal digits.' },
] as const;

export const fileFolders = {
  mkdir: fn(
    {
      doc: 'Makes a folder, and those above it that are missing, all with that owner and mode. One that is there stays as it is.',
      params: [{ ...PATH, name: 'dir_path' }, ...OWNERS],
      examples: ['file.mkdir /opt/app', 'file.mkdir /opt/app user=www-data mode=750'],
    },
    async ({ dir_path: path, ...owners }, { signal }) => {
      const folder = withoutSlash(wholePath(path));
      const found = await stat(folder).catch(() => undefined);
      if (found?.isDirectory() !== true) await makeFolders(folder, owners, signal);
      return true;
    },
  ),
  makedirs: fn(
    {
      doc: 'Makes the folders above a path that are missing; of a path that ends in a slash, all of it.',
      params: [PATH, ...OWNERS],
      returns: 'None, or a text when there is nothing to make',
      examples: ['file.makedirs /opt/app/etc/', 'file.makedirs /opt/app/etc/app.conf user=www-data mode=750'],
    },
    async ({ path, ...owners }, { signal }) => {
      const folder = withoutSlash(splitPath(wholePath(path))[0]);
      const found = await stat(folder).catch(() => undefined);
      if (found?.isDirectory() === true) return `Directory '${folder}' already exists`;
      if (found !== undefined) throw new ExecutionError(`The path '${folder}' already exists and is not a directory`);
      await makeFolders(folder, owners, signal);
      return null;
    },
  ),
} as const;

interface Owners {
  readonly user: string;
  readonly group: string;
  readonly mode: string;
}

/** As one name, which is that of the folder itself. */
function withoutSlash(path: string): string {
  return normalize(path).replace(/(?<=.)\/$/, '');
}

/**
 * What is asked for counts for each folder that is made, and for none that was there. The deepest comes first, and each by its
 * handle: whoever owns a folder can lay a link in the place of what is below.
 */
async function makeFolders(folder: string, { user, group, mode }: Owners, signal: AbortSignal): Promise<void> {
  const bits = mode === '' ? undefined : modeBits(mode);
  const owner = await ownerOf(user, group, signal);
  const first = await onDisk(folder, () => mkdir(folder, { recursive: true }));
  for (const made of first === undefined ? [] : foldersFrom(first, folder).toReversed()) {
    await onDisk(made, () => handOver(made, owner, bits));
  }
}

async function handOver(folder: string, owner: readonly [number, number], bits: number | undefined): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    await handle.chown(...owner);
    if (bits !== undefined) await handle.chmod(bits);
  } finally {
    await handle.close();
  }
}

function foldersFrom(first: string, last: string): readonly string[] {
  const names = last
    .slice(first.length)
    .split('/')
    .filter((name) => name !== '');
  return [first, ...names.map((_, at) => [first, ...names.slice(0, at + 1)].join('/'))];
}
