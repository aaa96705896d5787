/**
 * The files of one configuration, read and merged as Salt does: `DIR/master`, then what `default_include` names, then what
 * `include` names, each sorted. Included files are merged into each other deeply, and over the main file key by key.
 *
 * Spec: spec/config.md#files.
 */
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { type LoadedYaml, loadYaml } from '@natrium/args';
import { codeOf, err, isList, ok, type Result } from '@natrium/model';
import { filesOf, placeOfGlob, Unlistable } from './file-glob.js';
import type { WatchedFolder } from './folder-watch.js';
import type { ConfigProblem } from './problem.js';
import { deepMerge, entriesOf, type FilePlace, overlay, placeOf, type Sourced, valueOf, whole } from './sourced.js';

export interface ConfigFiles {
  readonly merged: Sourced;
  /** Every file that was read, the main one first. */
  readonly files: readonly LoadedYaml[];
  /** Where those are, and where further ones would be read. */
  readonly folders: readonly WatchedFolder[];
  readonly replaced: readonly Replaced[];
  readonly reports: readonly string[];
}

/** A key of which nothing counts that stands in one place, since a file that is read later has it too. */
export interface Replaced {
  readonly key: string;
  readonly from: FilePlace;
  readonly by: FilePlace;
}

const MAX_FILES = 1000;
const TOO_MANY = 'more than a thousand times a file is included';
/** Keys that only say what else to read. */
export const READING: ReadonlySet<string> = new Set(['include', 'default_include']);

/** @param defaultInclude Relative to the folder of the main file, such as `master.d/*.conf`. */
export function readConfigFiles(main: string, defaultInclude: string): Result<ConfigFiles, readonly ConfigProblem[]> {
  const reader = new Reader(main, defaultInclude);
  const first = reader.read(main) ?? whole(nothing(main));
  const byDefault = reader.include(first, 'default_include', main, [defaultInclude]);
  const asked = reader.include(first, 'include', main, []);
  if (reader.problems.length > 0) return err(reader.problems);
  const merged = [byDefault, asked].reduce<Sourced>((sum, next) => reader.over(sum, next), first);
  const { files, folders, replaced, reports } = reader;
  return ok({
    merged,
    files,
    folders,
    replaced,
    reports: [...new Set([...reports, ...replaced.map(replacedSentence)])],
  });
}

function replacedSentence({ key, from, by }: Replaced): string {
  return `${key} of ${from.file}:${String(from.line)} is replaced as a whole by ${by.file}:${String(by.line)}`;
}

/** A key that an included file replaces is worth a word: nothing of the value before remains. */
function replacedIn(before: Sourced, later: Sourced): readonly Replaced[] {
  return Array.from(entriesOf(later) ?? []).flatMap(([key, item]) => {
    if (entriesOf(before)?.has(key) !== true || READING.has(key)) return [];
    const [from, by] = [placeOf(before, [key]), placeOf(item, [])];
    // A file that is named twice replaces itself.
    return from.file === by.file ? [] : [{ key, from, by }];
  });
}

function nothing(file: string): LoadedYaml {
  return { file, value: null, locate: () => ({ line: 1, column: 1 }), unquotedKeys: [] };
}

/** The folder of `natriumctl up` holds that of the master: the one below is meant. */
function sameIn(folder: string): string | undefined {
  return existsSync(join(folder, basename(folder))) ? `did you mean -c ${folder}?` : undefined;
}

/** Of a folder that a glob finds. */
const ELSEWHERE = 'give it a name that no include means, or have that include name files alone';

function unreadable(code: string | undefined): string {
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'the file is not UTF-8 text';
  return `cannot read the file (${String(code)})`;
}

class Reader {
  readonly files: LoadedYaml[] = [];
  readonly problems: ConfigProblem[] = [];
  readonly replaced: Replaced[] = [];
  readonly reports: string[] = [];
  readonly #places: WatchedFolder[] = [];
  /** By path: a file counts wherever it is named, so it may be merged more than once. */
  readonly #known = new Map<string, Sourced | undefined>();
  /** Those whose includes are being read. */
  readonly #open: string[];
  #included = 0;

  constructor(
    private readonly main: string,
    private readonly defaultInclude: string,
  ) {
    this.#open = [main];
  }

  get folders(): readonly WatchedFolder[] {
    const whole = new Set([dirname(this.main), ...this.files.map(({ file }) => dirname(file))]);
    for (const { path, only } of this.#places) if (only === undefined) whole.add(path);
    const parts = this.#places.filter(({ path }) => !whole.has(path));
    return [...[...whole].map((path) => ({ path })), ...parts];
  }

  /** @returns undefined when there is no main file, or it is a problem that was noted. */
  read(file: string): Sourced | undefined {
    const text = this.#text(file);
    if (text === undefined) return undefined;
    const loaded = loadYaml(text, file);
    if (!loaded.ok) {
      this.problems.push({
        path: [],
        mend: 'correct the YAML there; the file is read as Salt reads it',
        ...loaded.error,
      });
      return undefined;
    }
    this.files.push(loaded.value);
    const sourced = whole(loaded.value);
    if (entriesOf(sourced) !== undefined) return sourced;
    this.problems.push({
      file,
      line: 1,
      path: [],
      reason: 'the file is not a mapping',
      mend: 'write "key: value" lines',
    });
    return undefined;
  }

  /** The files that `key` of a file names, merged into each other, with what they include in turn. */
  include(from: Sourced, key: string, file: string, otherwise: readonly string[]): Sourced | undefined {
    return this.#patterns(from, key, otherwise)
      .flatMap((pattern) => this.#found(pattern, file, key))
      .reduce<Sourced | undefined>((sum, found) => {
        const read = this.#readWithIncludes(found);
        return sum === undefined || read === undefined ? (read ?? sum) : deepMerge(sum, read);
      }, undefined);
  }

  #readWithIncludes(file: string): Sourced | undefined {
    if (this.#open.includes(file)) {
      this.reports.push(`${file} includes itself, or is included by what it includes: not read again there`);
      return undefined;
    }
    this.#included += 1;
    if (this.#included > MAX_FILES) {
      if (this.#included === MAX_FILES + 1) this.#problem(file, ['include'], TOO_MANY, 'include each file once');
      return undefined;
    }
    const read = this.#readOnce(file);
    if (read === undefined) return undefined;
    this.#open.push(file);
    const inner = this.include(read, 'include', file, []);
    this.#open.pop();
    return this.over(read, inner);
  }

  /** What a file says, with what it includes over it. */
  over(sum: Sourced, next: Sourced | undefined): Sourced {
    if (next === undefined) return sum;
    this.replaced.push(...replacedIn(sum, next));
    return overlay(sum, next);
  }

  #readOnce(file: string): Sourced | undefined {
    if (!this.#known.has(file)) {
      const read = this.read(file);
      if (read !== undefined) this.#mainAlone(read, file);
      this.#known.set(file, read);
    }
    return this.#known.get(file);
  }

  /** Included, a file that names other files by default would lose them: one of them may be what forbids. */
  #mainAlone(read: Sourced, file: string): void {
    const key = 'default_include';
    const entry = entriesOf(read)?.get(key);
    if (entry === undefined || valueOf(entry) === this.defaultInclude) return;
    const reason = `this counts in the main file alone, which is ${this.main}`;
    const mend = 'have include name those files, or take the key out';
    this.problems.push({ ...placeOf(entry, []), file, path: [key], reason, mend });
  }

  #patterns(from: Sourced, key: string, otherwise: readonly string[]): readonly string[] {
    const entry = entriesOf(from)?.get(key);
    if (entry === undefined) return otherwise;
    const value = valueOf(entry);
    // Empty, it names nothing, as in Salt: so the folder is switched off.
    if (value === null) return [];
    const list = isList(value) ? value : [value];
    const patterns = list.filter((item) => typeof item === 'string');
    if (patterns.length === list.length) return patterns.filter((pattern) => pattern !== '');
    const place = placeOf(from, [key]);
    this.problems.push({
      ...place,
      path: [key],
      reason: 'names of files are text',
      mend: 'give a glob or a list of globs',
    });
    return [];
  }

  #found(pattern: string, from: string, key: string): readonly string[] {
    const home = pattern.startsWith('~/') ? join(homedir(), pattern.slice(2)) : pattern;
    const glob = isAbsolute(home) ? home : join(dirname(from), home);
    this.#places.push(placeOfGlob(glob));
    const found = this.#filesOf(glob, key);
    if (found.length === 0 && key === 'include') this.reports.push(`${from}: include ${pattern} matches no file`);
    return found;
  }

  /** What cannot be told to be nothing stops the start: the file that is not seen may hold what is forbidden. */
  #filesOf(glob: string, key: string): readonly string[] {
    try {
      return filesOf(glob);
    } catch (error) {
      if (!(error instanceof Unlistable)) throw error;
      const reason = `cannot tell which files ${key} names there (${error.why})`;
      this.#problem(error.path, [], reason, 'let this account list that folder, and pass through those above it');
      return [];
    }
  }

  #text(file: string): string | undefined {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
    } catch (error) {
      const code = codeOf(error);
      // Its folder was passed through: what is there and is not found is a link.
      const isThere = code === 'ENOENT' && lstatSync(file, { throwIfNoEntry: false }) !== undefined;
      if (code === 'ENOENT' && file === this.main && !isThere) return undefined;
      const place = file === this.main ? (sameIn(file) ?? 'put the file in its place') : ELSEWHERE;
      if (code === 'EISDIR') this.#problem(file, [], 'this is a folder, not a file', place);
      else if (code === 'ENOENT')
        this.#problem(file, [], 'this is a link that leads nowhere', 'put back the file that it names');
      else this.#problem(file, [], unreadable(code), 'make it a UTF-8 text file that this account may read');
      return undefined;
    }
  }

  #problem(file: string, path: readonly string[], reason: string, mend: string): void {
    this.problems.push({ file, path, reason, mend });
  }
}
