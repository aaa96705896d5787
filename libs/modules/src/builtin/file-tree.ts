/** `file.*` that makes, moves and removes, and says whose things are. A link is handled as itself, never followed. */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import {
  cp,
  type FileHandle,
  lchown,
  lstat,
  lutimes,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { normalize } from 'node:path';
import { fn } from '../minion-registry.js';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import { itself, kindOf, onDisk, refuseLink, wholePath, withFile } from './file-access.js';
import { keepBackup, wantsBackup } from './file-backups.js';
import { changeMode, changeOwner, modeBits } from './file-owners.js';
import { PATH } from './file-read.js';

const SRC_DST = [
  { name: 'src', type: 'str', doc: 'The whole path.' },
  { name: 'dst', type: 'str', doc: 'The whole path; what is there is replaced.' },
] as const;

export const fileTree = {
  copy: fn(
    {
      doc: 'Copies a file, or a folder with recurse=True, with its mode; run by root, its owner too. Links in a folder are copied as links.',
      params: [
        ...SRC_DST,
        { name: 'recurse', type: 'bool', default: false },
        {
          name: 'remove_existing',
          type: 'bool',
          default: false,
          doc: 'Remove what is in the place of a folder first.',
        },
      ],
      examples: ['file.copy /etc/hosts /tmp/hosts', 'file.copy /etc/apt /tmp/apt recurse=True'],
    },
    async ({ src, dst, recurse, remove_existing: clear }, { signal }) => {
      wholePath(src);
      await refuseLink(dst);
      await onDisk(src, async () => {
        const found = await stat(src);
        if (!found.isDirectory()) return copyFile(src, dst, signal);
        if (!recurse) throw new InvocationError(`Cannot overwrite a directory with a file: ${src} needs recurse=True`);
        if (clear) {
          await refuseRoot(dst);
          await rm(dst, { recursive: true, force: true });
        }
        await cp(src, dst, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
        if (isRoot()) await lchown(dst, found.uid, found.gid);
      });
      return true;
    },
  ),
  rename: fn(
    { doc: 'Renames a file or folder.', params: SRC_DST, examples: ['file.rename /tmp/a /tmp/b'] },
    async ({ src, dst }) => {
      await onDisk(src, () => rename(wholePath(src), wholePath(dst)));
      return true;
    },
  ),
  remove: fn(
    {
      doc: 'Removes a file, a link, or a folder with all that is in it.',
      params: [
        PATH,
        { name: 'backup', type: 'any', default: null, keyword: true, doc: '`minion` keeps a file first.' },
      ],
      returns: 'False when there is nothing of that name',
      examples: ['file.remove /tmp/foo'],
    },
    async ({ path, backup }, context) => {
      await refuseRoot(path);
      if (wantsBackup(backup)) await keepBackup(path, context);
      if ((await kindOf(itself(path))) === undefined) return false;
      await onDisk(path, () => rm(itself(path), { recursive: true }));
      return true;
    },
  ),
  chown: fn(
    {
      doc: 'Says whose a file is; of a link, the link itself.',
      params: [
        PATH,
        { name: 'user', type: 'str', doc: 'Name or number.' },
        { name: 'group', type: 'str', doc: 'Likewise.' },
      ],
      returns: 'None',
      examples: ['file.chown /opt/app www-data www-data'],
    },
    async ({ path, user, group }, { signal }) => changeOwner(path, user, group, signal),
  ),
  chgrp: fn(
    {
      doc: 'Says which group owns a file; of a link, the link itself.',
      params: [PATH, { name: 'group', type: 'str', doc: 'Name or number.' }],
      returns: 'None',
      examples: ['file.chgrp /opt/app www-data'],
    },
    async ({ path, group }, { signal }) => changeOwner(path, '', group, signal),
  ),
  set_mode: fn(
    {
      doc: 'Sets the mode of a file or folder.',
      params: [PATH, { name: 'mode', type: 'str', doc: 'Octal digits.' }],
      returns: 'the mode as four digits',
      examples: ['file.set_mode /opt/app 0750'],
    },
    async ({ path, mode }) => {
      const bits = modeBits(mode);
      await changeMode(path, bits);
      return bits.toString(8).padStart(4, '0');
    },
  ),
  touch: fn(
    {
      doc: 'Makes an empty file, or sets the times of one that is there.',
      params: [
        { ...PATH, name: 'name' },
        { name: 'atime', type: 'number', default: null, doc: 'Seconds since 1970; now when not given.' },
        { name: 'mtime', type: 'number', default: null, doc: 'Likewise, whatever the other is.' },
      ],
      examples: ['file.touch /var/log/empty'],
    },
    async ({ name, atime, mtime }) => {
      await refuseLink(name);
      const create = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW;
      if ((await kindOf(name)) !== 'dir') await withFile(name, create, () => Promise.resolve());
      const now = Date.now() / 1000;
      await onDisk(name, () => lutimes(name, atime ?? now, mtime ?? now));
      return true;
    },
  ),
  symlink: fn(
    {
      doc: 'Makes a symbolic link.',
      params: [
        { name: 'src', type: 'str', doc: 'Where it leads.' },
        PATH,
        { name: 'force', type: 'bool', default: false, doc: 'Replace a link or file that is there.' },
        { name: 'atomic', type: 'bool', default: false, doc: 'Likewise, and at no time is there none.' },
      ],
      returns: 'True, also when the link is there already',
      examples: ['file.symlink /opt/app-2 /opt/app'],
    },
    async ({ src, path, force, atomic }) => {
      const kind = await kindOf(path);
      if (kind === 'link' && normalize(await onDisk(path, () => readlink(path))) === normalize(src)) return true;
      if (kind !== undefined && !force && !atomic)
        throw new ExecutionError(
          `${kind === 'link' ? 'Found existing symlink' : 'Existing path is not a symlink'}: ${path}`,
        );
      if (kind === 'dir') throw new ExecutionError(`${path} is a folder`);
      await onDisk(path, async () => {
        if (atomic) return replaceByLink(src, path);
        if (kind !== undefined) await rm(path);
        await symlink(src, path);
      });
      return true;
    },
  ),
} as const;

async function replaceByLink(src: string, path: string): Promise<void> {
  const made = `${path}.${randomUUID()}`;
  await symlink(src, made);
  try {
    await rename(made, path);
  } catch (error) {
    await rm(made);
    throw error;
  }
}

/** Both are opened before anything is asked of them: a pipe in the place of either would keep a thread for ever. */
function copyFile(src: string, dst: string, signal: AbortSignal): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW;
  return withFile(src, constants.O_RDONLY, (from) =>
    withFile(dst, flags, (to) => copyInto(to, from, `${src} and ${dst} are the same file`, signal), 0o600),
  );
}

async function copyInto(to: FileHandle, from: FileHandle, same: string, signal: AbortSignal): Promise<void> {
  const [{ dev, ino, uid, gid, mode }, there] = await Promise.all([from.stat(), to.stat()]);
  if (dev === there.dev && ino === there.ino) throw new ExecutionError(same);
  await to.truncate(0);
  await writeFile(to, from.createReadStream({ autoClose: false, signal }));
  if (isRoot()) await to.chown(uid, gid);
  // After the owner: a change of that takes bits from the mode.
  await to.chmod(mode & 0o7777);
}

/** Nobody else may give files away. */
function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** Known by what it is, not by its name: `..` and links lead there under many. @throws {InvocationError} */
export async function refuseRoot(path: string): Promise<void> {
  const [found, root] = await Promise.all([lstat(wholePath(path)).catch(() => undefined), lstat('/')]);
  if (found?.dev === root.dev && found.ino === root.ino)
    throw new InvocationError('the root of the file system is not removed');
}
