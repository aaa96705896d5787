/** `file.*` that looks and changes nothing. */
import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { float, isList, pyStr, type Value, type ValueMap } from '@natrium/model';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import { fn } from '../minion-registry.js';
import { OUTPUT_LIMIT } from '../process/bounded-output.js';
import { matching } from '../patterns/match-apart.js';
import { kindOf, onDisk, readBeginning, readWhole, wholePath, withFile } from './file-access.js';
import { backupsOf, shownBackups } from './file-backups.js';
import { groups, users } from './name-databases.js';

export const PATH = { name: 'path', type: 'str', doc: 'The whole path.' } as const;
const FOLLOW = { name: 'follow_symlinks', type: 'bool', default: true, doc: 'What a link leads to.' } as const;
export const FLAGS = {
  name: 'flags',
  type: 'any',
  default: 8,
  doc: 'Python’s flags, as a number or a list of MULTILINE, IGNORECASE and DOTALL.',
} as const;
export const BUFSIZE = { name: 'bufsize', type: 'any', default: 1, doc: 'Changes nothing.' } as const;

/** Whether there is such a thing; a path that cannot be looked at counts as none. */
function telling(doc: string, example: string, is: (stats: Stats) => boolean, look = stat) {
  return fn({ doc, params: [PATH], examples: [example] }, async ({ path }) => {
    const found = await look(wholePath(path)).catch(() => undefined);
    return found !== undefined && is(found);
  });
}

const RE_FLAGS: Readonly<Record<string, number>> = { IGNORECASE: 2, I: 2, MULTILINE: 8, M: 8, DOTALL: 16, S: 16 };

/** As one number. @throws {InvocationError} When one of them is none that there is here. */
export function flagsOf(flags: Value): number {
  if (typeof flags === 'number') return flags;
  return (isList(flags) ? flags : [flags]).reduce<number>((all, flag) => {
    const bit = RE_FLAGS[pyStr(flag).toUpperCase()];
    if (bit === undefined) throw new InvocationError(`Invalid re flag given: ${pyStr(flag)}`);
    return all | bit;
  }, 0);
}

/** The folder and the name, as Python splits a path: behind a slash at the end the name is empty. */
export function splitPath(path: string): readonly [folder: string, name: string] {
  const at = path.lastIndexOf('/') + 1;
  const head = path.slice(0, at);
  return [/[^/]/.test(head) ? head.replace(/\/+$/, '') : head, path.slice(at)];
}

/** @throws {InvocationError} In Salt's words. */
export async function readFound(path: string, follow = false): Promise<string> {
  if (!(await isThere(path))) throw new InvocationError(`File not found: ${path}`);
  return readWhole(path, follow);
}

export const fileReading = {
  file_exists: telling('Tells whether there is such a file.', 'file.file_exists /etc/passwd', (it) => it.isFile()),
  directory_exists: telling('Tells whether there is such a folder.', 'file.directory_exists /etc', (it) =>
    it.isDirectory(),
  ),
  path_exists: telling('Tells whether there is anything of that name.', 'file.path_exists /etc', () => true),
  is_link: telling('Tells whether it is a symbolic link.', 'file.is_link /bin', (it) => it.isSymbolicLink(), lstat),
  read: fn(
    {
      doc: 'The text of a file; at most its first mebibyte, and then a mark says so.',
      params: [PATH],
      returns: 'the text',
      examples: ['file.read /etc/hostname'],
    },
    async ({ path }) => {
      const { bytes, isAll } = await readBeginning(path, OUTPUT_LIMIT);
      return isAll ? bytes.toString('utf8') : `${bytes.toString('utf8')}\n[cut here: ${OUTPUT_LIMIT} bytes shown]`;
    },
  ),
  stats: fn(
    {
      doc: 'Owner, mode, size and times of a file or folder.',
      params: [PATH, { name: 'hash_type', type: 'str', default: '', doc: 'Also its hash.' }, FOLLOW],
      returns: 'a map',
      examples: ['file.stats /etc/passwd'],
    },
    ({ path, hash_type: form, follow_symlinks: follow }, { signal }) => described(path, form, follow, signal),
  ),
  get_mode: fn(
    { doc: 'The mode as four digits.', params: [PATH, FOLLOW], examples: ['file.get_mode /etc/passwd'] },
    async ({ path, follow_symlinks: follow }) => modeText(await statsOf(path, follow)),
  ),
  get_user: fn(
    { doc: 'The account that owns it.', params: [PATH, FOLLOW], examples: ['file.get_user /etc/passwd'] },
    async ({ path, follow_symlinks: follow }, { signal }) => ownerName((await statsOf(path, follow)).uid, signal),
  ),
  get_group: fn(
    { doc: 'The group that owns it.', params: [PATH, FOLLOW], examples: ['file.get_group /etc/passwd'] },
    async ({ path, follow_symlinks: follow }, { signal }) => groupName((await statsOf(path, follow)).gid, signal),
  ),
  contains: fn(
    {
      doc: 'Tells whether a file holds a text.',
      params: [PATH, { name: 'text', type: 'str', doc: 'Without the white space around it.' }],
      returns: 'False also when there is no file',
      examples: ["file.contains /etc/hosts '127.0.0.1'"],
    },
    async ({ path, text }) => (await isThere(path)) && (await readWhole(path, true)).includes(text.trim()),
  ),
  search: fn(
    {
      doc: 'Tells whether a file holds something that fits a regular expression; one that takes too long is given up.',
      params: [
        PATH,
        { name: 'pattern', type: 'str' },
        FLAGS,
        BUFSIZE,
        { name: 'ignore_if_missing', type: 'bool', default: false, doc: 'False when there is no file.' },
        { name: 'multiline', type: 'bool', default: false, doc: 'As the flag MULTILINE, beside the others.' },
      ],
      examples: ["file.search /etc/hosts '^127'"],
    },
    async ({ path, pattern, flags: asked, ignore_if_missing: ignore, multiline }) => {
      if (ignore && !(await isThere(path))) return false;
      const flags = flagsOf(asked) | (multiline ? flagsOf('MULTILINE') : 0);
      const found = await matching({ source: pattern, flags }, [await readFound(path, true)]);
      return found.length > 0;
    },
  ),
  get_hash: fn(
    {
      doc: 'The hash of a file.',
      params: [
        PATH,
        { name: 'form', type: 'str', default: 'sha256', doc: 'md5, sha1, sha224, sha256, sha384, sha512' },
        { name: 'chunk_size', type: 'any', default: 65_536, doc: 'Changes nothing.' },
      ],
      returns: 'hexadecimal digits',
      examples: ['file.get_hash /etc/hosts', 'file.get_hash /etc/hosts md5'],
    },
    ({ path, form }, { signal }) => hashOf(path, form, signal),
  ),
  check_hash: fn(
    {
      doc: 'Tells whether a file has that hash.',
      params: [PATH, { name: 'file_hash', type: 'str', doc: 'Digits, or `form=digits` or `form:digits`.' }],
      examples: ['file.check_hash /etc/hosts sha256=e3b0c442…'],
    },
    async ({ path, file_hash: wanted }, { signal }) => {
      const [form, digits] = hashWanted(wanted);
      return (await hashOf(path, form, signal)) === digits.toLowerCase();
    },
  ),
  readdir: fn({ doc: 'The names in a folder.', params: [PATH], examples: ['file.readdir /etc'] }, async ({ path }) => {
    const found = await stat(wholePath(path)).catch(() => undefined);
    if (found?.isDirectory() !== true) throw new InvocationError('A valid directory was not specified.');
    return ['.', '..', ...(await onDisk(path, () => readdir(path))).sort()];
  }),
  readlink: fn(
    {
      doc: 'Where a symbolic link leads.',
      params: [PATH, { name: 'canonicalize', type: 'bool', default: false, doc: 'To the end, as a whole path.' }],
      examples: ['file.readlink /bin'],
    },
    async ({ path, canonicalize }) => {
      if ((await kindOf(path)) !== 'link') throw new InvocationError(`A valid link was not specified: ${path}`);
      return canonicalize ? targetOf(path) : onDisk(path, () => readlink(path));
    },
  ),
  basename: fn(
    { doc: 'What is behind the last slash of a path.', params: [PATH], examples: ['file.basename /a/b'] },
    ({ path }) => splitPath(path)[1],
  ),
  dirname: fn(
    { doc: 'What is before the last slash of a path.', params: [PATH], examples: ['file.dirname /a/b'] },
    ({ path }) => splitPath(path)[0],
  ),
  list_backups: fn(
    {
      doc: 'Earlier contents of a file that this minion kept, the newest first.',
      params: [PATH, { name: 'limit', type: 'int', default: null, doc: 'At most so many.' }],
      returns: 'a map from the number to time, place and size',
      examples: ['file.list_backups /etc/motd'],
    },
    async ({ path, limit }, context) =>
      shownBackups((await backupsOf(path, context)).slice(0, Math.max(0, limit ?? 10_000))),
  ),
} as const;

async function isThere(path: string): Promise<boolean> {
  return (await stat(wholePath(path)).catch(() => undefined)) !== undefined;
}

/** Of a link that leads nowhere its own. @throws {ExecutionError} In Salt's words. */
async function statsOf(path: string, follow: boolean): Promise<Stats> {
  const link = await lstat(wholePath(path)).catch(() => undefined);
  if (link === undefined) throw new ExecutionError(`Path not found: ${path}`);
  return follow ? stat(path).catch(() => link) : link;
}

/** Where it leads in the end, which may be nowhere. */
function targetOf(path: string): Promise<string> {
  return realpath(path).catch(async () => {
    const [folder] = splitPath(path);
    return resolve(await realpath(folder).catch(() => folder), await readlink(path).catch(() => path));
  });
}

function modeText(stats: Stats): string {
  return (stats.mode & 0o7777).toString(8).padStart(4, '0');
}

/** The number itself where nobody has a name for it. */
async function ownerName(uid: number, signal: AbortSignal): Promise<string | number> {
  return (await users(signal, String(uid)))[0]?.name ?? uid;
}

async function groupName(gid: number, signal: AbortSignal): Promise<string | number> {
  return (await groups(signal, [String(gid)]))[0]?.name ?? gid;
}

async function described(path: string, form: string, follow: boolean, signal: AbortSignal): Promise<ValueMap> {
  const stats = await statsOf(path, follow);
  const { ino: inode, uid, gid, atimeMs, mtimeMs, ctimeMs, size } = stats;
  const seconds = (ms: number) => float(ms / 1000);
  return {
    inode,
    uid,
    gid,
    group: await groupName(gid, signal),
    user: await ownerName(uid, signal),
    atime: seconds(atimeMs),
    mtime: seconds(mtimeMs),
    ctime: seconds(ctimeMs),
    size,
    mode: modeText(stats),
    type: typeName(stats),
    target: await targetOf(path),
    ...(form === '' || !stats.isFile() ? {} : { sum: await hashOf(path, form, signal) }),
  };
}

export function typeName(
  stats: Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink' | 'isFIFO' | 'isSocket' | 'isBlockDevice'>,
): string {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'dir';
  if (stats.isSymbolicLink()) return 'link';
  if (stats.isFIFO()) return 'pipe';
  if (stats.isSocket()) return 'socket';
  return stats.isBlockDevice() ? 'block' : 'char';
}

const FORMS: Readonly<Record<string, number>> = { md5: 32, sha1: 40, sha224: 56, sha256: 64, sha384: 96, sha512: 128 };

export function hashOf(path: string, form: string, signal: AbortSignal): Promise<string> {
  if (!Object.hasOwn(FORMS, form))
    throw new InvocationError(`hash ${form} is not one of ${Object.keys(FORMS).join(', ')}`);
  return withFile(path, constants.O_RDONLY, async (file) => {
    const hash = createHash(form);
    for await (const chunk of file.createReadStream({ autoClose: false, signal })) hash.update(chunk as Buffer);
    return hash.digest('hex');
  });
}

function hashWanted(text: string): readonly [form: string, digits: string] {
  const [first = '', second] = pyStr(text).trim().split(/[=:]/);
  if (second !== undefined) return [first, second];
  const form = Object.entries(FORMS).find(([, length]) => length === first.length)?.[0];
  if (form === undefined) throw new ExecutionError(`'${text}' is no hash`);
  return [form, first];
}
