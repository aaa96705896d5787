/** What `file.find` tells of each path that it found, where `print` asks for more than the path. */
import { constants, type Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pyStr, type Value } from '@natrium/model';
import { InvocationError } from '../loader/errors.js';
import { hashOf } from './file-read.js';
import { groups, users } from './name-databases.js';

/** One value of a path, or undefined for what has none. */
type Column = (path: string, stats: Stats) => Value | Promise<Value>;

const KINDS: Readonly<Record<number, string>> = {
  [constants.S_IFREG]: 'f',
  [constants.S_IFDIR]: 'd',
  [constants.S_IFLNK]: 'l',
  [constants.S_IFIFO]: 'p',
  [constants.S_IFSOCK]: 's',
  [constants.S_IFBLK]: 'b',
  [constants.S_IFCHR]: 'c',
};

function columns(signal: AbortSignal): Readonly<Record<string, Column>> {
  const names = (look: (id: string) => Promise<readonly { readonly name: string }[]>) =>
    remembering(async (id) => (await look(String(id)))[0]?.name ?? id);
  const user = names((id) => users(signal, id));
  const group = names((id) => groups(signal, [id]));
  return {
    path: (path) => path,
    name: (path) => basename(path),
    size: (_, { size }) => size,
    type: (_, { mode }) => KINDS[mode & constants.S_IFMT] ?? '?',
    mode: (_, { mode }) => mode & 0o777,
    mtime: (_, { mtimeMs }) => Math.floor(mtimeMs / 1000),
    user: (_, { uid }) => user(uid),
    group: (_, { gid }) => group(gid),
    // Of what is gone by now, or is not ours to read, none.
    md5: (path, stats) => (stats.isFile() ? hashOf(path, 'md5', signal).catch(() => '') : ''),
  };
}

/** As many accounts own what is found as there are: each is looked up once. */
function remembering(look: (id: number) => Promise<Value>): (id: number) => Promise<Value> {
  const known = new Map<number, Promise<Value>>();
  return (id) => {
    const found = known.get(id) ?? look(id);
    known.set(id, found);
    return found;
  };
}

/** How a path is shown: one value where one is asked for, else a list of them. @throws {InvocationError} When there is no such value. */
export function printing(asked: Value, signal: AbortSignal): (paths: readonly string[]) => Promise<readonly Value[]> {
  const all = columns(signal);
  const words = pyStr(asked).split(/[\s,]+/).filter((word) => word !== ''); // prettier-ignore
  const unknown = words.find((word) => !Object.hasOwn(all, word));
  if (unknown !== undefined)
    throw new InvocationError(`print has no ${unknown}; it has ${Object.keys(all).join(', ')}`);
  const wanted = words.length === 0 ? ['path'] : words;
  return async (paths) => {
    if (wanted.every((word) => word === 'path') && wanted.length === 1) return [...paths].sort();
    const shown: (readonly Value[])[] = [];
    for (const path of paths) {
      const stats = await lstat(path).catch(() => undefined);
      if (signal.aborted) break;
      if (stats === undefined) continue; // it is gone by now
      const row: Value[] = [];
      for (const word of wanted) row.push((await all[word]?.(path, stats)) ?? '');
      shown.push(row);
    }
    const rows = shown.sort(inOrder);
    return wanted.length === 1 ? rows.map(([only = '']) => only) : rows;
  };
}

/** As Python sorts lists: by the first values that differ. */
function inOrder(a: readonly Value[], b: readonly Value[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  const [first, second] = [a[at] ?? 0, b[at] ?? 0];
  if (typeof first === 'number' && typeof second === 'number') return first - second;
  return pyStr(first) < pyStr(second) ? -1 : Number(at >= 0);
}
