/** File names of a glob, sorted, as `include` and `default_include` name them: `*`, `?`, `[seq]` in any part of the path. */
import { existsSync, readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import type { WatchedFolder } from './folder-watch.js';

/** @param pattern An absolute path. @returns Existing paths; a pattern without wildcards is returned as it is if it exists. */
export function filesOf(pattern: string): readonly string[] {
  const { root } = parse(pattern);
  const parts = pattern
    .slice(root.length)
    .split('/')
    .filter((part) => part !== '');
  return parts
    .reduce<readonly string[]>((folders, part) => folders.flatMap((folder) => entries(folder, part)), [root])
    .toSorted();
}

function entries(folder: string, part: string): readonly string[] {
  const wanted = nameTest(part);
  return namesIn(folder)
    .filter(wanted)
    .map((name) => join(folder, name));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not a folder, or none of ours to read: it holds no included file.
    return [];
  }
}

/** A wildcard at the start does not cover hidden names. */
function nameTest(part: string): (name: string) => boolean {
  if (!/[*?[]/.test(part)) return (name) => name === part;
  const source = part
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '[^]*')
    .replaceAll('?', '[^]')
    .replaceAll('[!', '[^');
  const pattern = compile(source) ?? /^(?!)/;
  return (name) => pattern.test(name) && (!name.startsWith('.') || part.startsWith('.'));
}

function compile(source: string): RegExp | undefined {
  try {
    return new RegExp(`^${source}$`);
  } catch {
    // An unclosed bracket is no pattern; nothing matches it.
    return undefined;
  }
}

/** Where files of a pattern would come: the folder before its first wildcard, or the nearest that is there, and what would come in it. */
export function placeOfGlob(pattern: string): WatchedFolder {
  const wild = pattern.split('/').findIndex((part) => /[*?[]/.test(part));
  const parts = pattern.split('/').slice(0, wild === -1 ? -1 : wild);
  let only: string | undefined;
  while (parts.length > 1 && !existsSync(parts.join('/'))) only = parts.pop();
  const path = parts.join('/') || '/';
  return only === undefined ? { path } : { path, only };
}
