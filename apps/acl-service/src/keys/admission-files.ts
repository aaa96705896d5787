/**
 * The files that say who is let in, and who is not: what they hold, or why that cannot be used. One that is not there holds
 * nothing. A file that others may write could be a stranger's word.
 */
import { readdirSync, readFileSync, statSync, type Stats } from 'node:fs';
import { compileWholeMatch, isPlainGlob } from '@natrium/matchers';
import { codeOf, err, messageOf, ok, type Result } from '@natrium/model';

/** What was found, or why it cannot be used. */
export type Found<T> = Result<T, { readonly path: string; readonly why: string }>;

const GROUP_OR_OTHERS_WRITE = 0o022;

/** The lines of a file without comments and empty ones. @param path `''`: there is no such file. */
export function linesOf(path: string): Found<readonly string[]> {
  const stat = trusted(path);
  if (!stat.ok) return stat;
  if (stat.value === undefined) return ok([]);
  const text = looked(path, () => readFileSync(path, 'utf8'));
  if (!text.ok) return text;
  const lines = (text.value ?? '').split('\n').map((line) => line.trim());
  return ok(lines.filter((line) => line !== '' && !line.startsWith('#')));
}

/** Lines of ids, globs or whole regular expressions: one that is none of them spoils all. */
export function patternsOf(path: string): Found<readonly string[]> {
  const lines = linesOf(path);
  const bad = lines.ok ? lines.value.find((line) => !isPattern(line)) : undefined;
  return bad === undefined ? lines : err({ path, why: `'${bad}' is neither a glob nor a regular expression` });
}

const KEY_OR_FINGERPRINT = /^(?:[0-9a-f]{64}|[0-9a-f]{2}(?::[0-9a-f]{2}){31})$/;

/** Public keys and fingerprints, in lower case; other lines beside them are nobody's. One that has none is another program's, or is still being written. */
export function keysIn(path: string): Found<readonly string[]> {
  const lines = linesOf(path);
  if (!lines.ok || path === '') return lines;
  const keys = lines.value.map((line) => line.toLowerCase()).filter((line) => KEY_OR_FINGERPRINT.test(line));
  return keys.length > 0 ? ok(keys) : err({ path, why: 'no line of it is a public key of 64 hex digits, or a fingerprint' }); // prettier-ignore
}

export function matches(patterns: readonly string[], id: string): boolean {
  return patterns.some((pattern) => compileWholeMatch(pattern).test(id));
}

/** What is known of a file that counts, which others than its owner may not write. @returns undefined when there is none. */
export function trusted(path: string): Found<Stats | undefined> {
  if (path === '') return ok(undefined);
  const stat = looked(path, () => statSync(path));
  if (!stat.ok || stat.value === undefined) return stat;
  if (!stat.value.isFile()) return err({ path, why: 'it is no file' });
  if ((stat.value.mode & GROUP_OR_OTHERS_WRITE) !== 0) return err({ path, why: 'others than its owner may write it' });
  return stat;
}

/** The names in a folder. @param folder `''`: there is no such folder. */
export function namesIn(folder: string): Found<readonly string[]> {
  if (folder === '') return ok([]);
  const names = looked(folder, () => readdirSync(folder));
  return names.ok ? ok(names.value ?? []) : names;
}

function looked<T>(path: string, look: () => T): Found<T | undefined> {
  try {
    return ok(look());
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return ok(undefined);
    return err({ path, why: `it cannot be read (${messageOf(cause)})` });
  }
}

function isPattern(line: string): boolean {
  return compileWholeMatch(line).problem === undefined || isPlainGlob(line);
}
