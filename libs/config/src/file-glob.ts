/** File names of a glob, sorted, as `include` and `default_include` name them: `*`, `?`, `[seq]` in any part of the path. */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { compileGlob } from '@natrium/matchers';
import { codeOf } from '@natrium/model';
import type { WatchedFolder } from './folder-watch.js';

const WILD = /[*?[]/;

/**
 * Lists a folder only for a part with a wildcard: one that may be passed and not listed hides no file that is named.
 *
 * @param pattern An absolute path. @returns Existing paths; a pattern without wildcards is returned as it is if it exists.
 * @throws {Unlistable} When it cannot be told which files there are: one of them may be what forbids.
 */
export function filesOf(pattern: string): readonly string[] {
  const { root } = parse(pattern);
  const parts = pattern
    .slice(root.length)
    .split('/')
    .filter((part) => part !== '');
  return parts
    .reduce<readonly string[]>((folders, part) => folders.flatMap((folder) => entries(folder, part)), [root])
    .filter(isThere)
    .toSorted();
}

/** A place whose files cannot be told. */
export class Unlistable extends Error {
  override readonly name = 'Unlistable';
  readonly code = 'ERR_UNLISTABLE';
  constructor(
    readonly path: string,
    /** The kernel's word, such as `EACCES`. */
    readonly why: string,
  ) {
    super(`${path} cannot be looked into (${why})`);
  }
}

/** The kernel's words for nothing that is there. */
const NOTHING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);

function entries(folder: string, part: string): readonly string[] {
  if (!WILD.test(part)) return [join(folder, part)];
  const glob = compileGlob(part);
  // A wildcard at the start does not cover hidden names.
  const isWanted = (name: string) =>
    glob.ok && glob.value.test(name) && (!name.startsWith('.') || part.startsWith('.'));
  return (ifThere(folder, () => readdirSync(folder)) ?? []).filter(isWanted).map((name) => join(folder, name));
}

function isThere(path: string): boolean {
  return ifThere(path, () => lstatSync(path)) !== undefined;
}

function ifThere<T>(path: string, look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    const code = codeOf(error) ?? String(error);
    if (NOTHING.has(code)) return undefined;
    throw new Unlistable(path, code);
  }
}

/** Where files of a pattern would come: the folder before its first wildcard, or the nearest that is there, and what would come in it. */
export function placeOfGlob(pattern: string): WatchedFolder {
  const wild = pattern.split('/').findIndex((part) => WILD.test(part));
  const parts = pattern.split('/').slice(0, wild === -1 ? -1 : wild);
  let only: string | undefined;
  while (parts.length > 1 && !existsSync(parts.join('/'))) only = parts.pop();
  const path = parts.join('/') || '/';
  return only === undefined ? { path } : { path, only };
}
