/** `file.find`: walks folders without following links, to a bound, and answers the paths that fit. */
import { type Stats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pyStr, type Value, type ValueMap } from '@natrium/model';
import { coerce } from '../loader/coerce.js';
import { InvocationError } from '../loader/errors.js';
import { compileGlob, matchesGlob } from '../loader/glob.js';
import { type Reply, reply } from '../loader/reply.js';
import { matching } from '../patterns/match-apart.js';
import { wholePath } from './file-access.js';
import { printing } from './file-print.js';
import { typeName } from './file-read.js';
import { gidOf, uidOf } from './name-databases.js';

/** Most that one search answers, and most that it looks at. */
const LIMITS = { found: 10_000, looked: 1_000_000 };
/** Names that are matched at a time. */
const BATCH = 10_000;
/** No path has as many parts. */
const DEEPEST = 1_000_000;
const GLOB = /[*?[]/;
/** Python's flag. */
const IGNORECASE = 2;

type Test = (path: string, stats: Stats) => boolean;

const LETTERS: Readonly<Record<string, string>> = {
  f: 'file',
  d: 'dir',
  l: 'link',
  p: 'pipe',
  s: 'socket',
  b: 'block',
  c: 'char',
};
const SIZES: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };
const SPAN = /^([+-]?)(\d+w)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?$/i;
const SECONDS: readonly number[] = [604_800, 86_400, 3600, 60, 1];

/**
 * @param root A folder, or a glob of several.
 * @param options Salt's: name, iname, regex, iregex, type, owner, group, size, mtime, mindepth, maxdepth, print.
 */
export async function findFiles(
  root: string,
  options: ValueMap,
  signal: AbortSignal,
  { found: most, looked } = LIMITS,
): Promise<Reply> {
  const { mindepth = 0, maxdepth = DEEPEST, regex, iregex, print = 'path', ...rest } = withoutOwn(options);
  const shown = printing(print, signal);
  const tests = await Promise.all(Object.entries(rest).map(([name, value]) => testOf(name, value, signal)));
  const [min, max] = [depthOf('mindepth', mindepth), depthOf('maxdepth', maxdepth)];
  const walk = new Walk(await rootsOf(root, most), { tests, min, max, looked, signal });
  const found: string[] = [];
  // By the batch: each takes a thread of its own to match the expressions.
  while (!walk.isOver && found.length <= most)
    found.push(...(await fitting(await fitting(await walk.next(), regex, 0), iregex, IGNORECASE)));
  if (walk.isAll && found.length <= most) return reply(await shown(found), {});
  // In the value, which a job keeps, as file.read says it; no path begins so.
  const mark = `[cut here: the search ended at ${most} paths or ${looked} looks]`;
  return reply([...(await shown(found.slice(0, most))), mark], { retcode: 1 });
}

/** What a glob of paths names, as Python has it: a part with a star begins with a dot where the glob's does. */
async function rootsOf(glob: string, most: number): Promise<readonly string[]> {
  let roots: readonly string[] = ['/'];
  for (const part of wholePath(glob).split('/').slice(1)) {
    roots = GLOB.test(part)
      ? (await Promise.all(roots.map((root) => fittingIn(root, part)))).flat()
      : roots.map((root) => below(root, part));
    if (roots.length > most) throw new InvocationError(`${glob} names more than ${most} paths to search in`);
  }
  return roots;
}

async function fittingIn(folder: string, glob: string): Promise<readonly string[]> {
  const fits = compileGlob(glob);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('.') === glob.startsWith('.'));
  return names.filter(fits).map((name) => below(folder, name));
}

function below(folder: string, name: string): string {
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
}

function depthOf(name: string, value: Value): number {
  const depth = coerce('int', value);
  if (typeof depth !== 'number') throw new InvocationError(`${name} must be a whole number`);
  return depth;
}

function withoutOwn(options: ValueMap): ValueMap {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !name.startsWith('__')));
}

/** Salt matches the name without its folder. */
async function fitting(paths: readonly string[], source: Value | undefined, flags: number): Promise<readonly string[]> {
  if (source === undefined || paths.length === 0) return paths;
  const names = new Set(
    await matching({ source: `^(?:${pyStr(source)})`, flags }, [...new Set(paths.map((path) => basename(path)))]),
  );
  return paths.filter((path) => names.has(basename(path)));
}

async function testOf(name: string, value: Value, signal: AbortSignal): Promise<Test> {
  const text = pyStr(value);
  switch (name) {
    case 'name':
      return (path) => matchesGlob(text, basename(path));
    case 'iname':
      return (path) => matchesGlob(text.toLowerCase(), basename(path).toLowerCase());
    case 'type': {
      const kinds = [...text.replace(/[\s,]/g, '')].map((letter) => {
        if (!Object.hasOwn(LETTERS, letter)) throw new InvocationError(`invalid file type "${letter}"`);
        return LETTERS[letter];
      });
      return (_, stats) => kinds.includes(typeName(stats));
    }
    case 'owner': {
      const uids = await Promise.all(wordsOf(text).map((one) => uidOf(one, signal)));
      return (_, stats) => uids.includes(stats.uid);
    }
    case 'group': {
      const gids = await Promise.all(wordsOf(text).map((one) => gidOf(one, signal)));
      return (_, stats) => gids.includes(stats.gid);
    }
    case 'size':
      return sizeTest(text);
    case 'mtime':
      return ageTest(text);
    default:
      throw new InvocationError(`file.find has no option ${name}`);
  }
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

/** `+` at least, `-` at most; neither means within the unit. */
function sizeTest(text: string): Test {
  const [, sign, digits, letter = 'b'] = /^([+-]?)(\d+(?:\.\d+)?)([a-z])?$/.exec(text.toLowerCase()) ?? [];
  const unit = SIZES[letter];
  if (digits === undefined || unit === undefined) throw new InvocationError(`'${text}' is not an amount such as +10k`);
  const limit = Math.floor(Number(digits) * unit);
  if (sign === '+') return (_, { size }) => size >= limit;
  if (sign === '-') return (_, { size }) => size <= limit;
  return (_, { size }) => size >= limit && size < limit + unit;
}

/** `-` changed since then; `+` or neither: not since then. A number alone is of days. */
function ageTest(text: string): Test {
  const [all, sign, ...parts] = SPAN.exec(/\d$/.test(text) ? `${text}d` : text) ?? [];
  const counts = parts.map((part: string | undefined) => Number.parseInt(part ?? '', 10));
  if (all === undefined || counts.every(Number.isNaN))
    throw new InvocationError(`'${text}' is not a span of time such as +1w3d`);
  const seconds = counts.reduce((sum, count, index) => sum + (count || 0) * (SECONDS[index] ?? 0), 0);
  const since = Date.now() - seconds * 1000;
  return sign === '-' ? (_, { mtimeMs }) => mtimeMs >= since : (_, { mtimeMs }) => mtimeMs <= since;
}

interface Within {
  readonly tests: readonly Test[];
  readonly min: number;
  readonly max: number;
  readonly looked: number;
  readonly signal: AbortSignal;
}

/** Through a tree, each folder before what is in it, with as much left to look at as the bound allows. */
class Walk {
  readonly #waiting: { readonly path: string; readonly depth: number }[];
  #looked = 0;

  constructor(
    roots: readonly string[],
    private readonly within: Within,
  ) {
    this.#waiting = roots.map((path) => ({ path, depth: 0 })).toReversed();
  }

  /** It has seen all that there is. */
  get isAll(): boolean {
    return this.#waiting.length === 0;
  }

  get isOver(): boolean {
    return this.isAll || this.#looked >= this.within.looked || this.within.signal.aborted;
  }

  /** The next paths that pass the tests, as many as are matched at a time. */
  async next(): Promise<readonly string[]> {
    const passed: string[] = [];
    while (!this.isOver && passed.length < BATCH) {
      const path = await this.#look();
      if (path !== undefined) passed.push(path);
    }
    return passed;
  }

  async #look(): Promise<string | undefined> {
    const { tests, min, max } = this.within;
    const next = this.#waiting.pop();
    this.#looked += 1;
    const stats = next === undefined ? undefined : await lstat(next.path).catch(() => undefined);
    if (next === undefined || stats === undefined) return undefined;
    const { path, depth } = next;
    if (depth < max && (await isEntered(path, depth, stats))) await this.#enter(path, depth + 1);
    return depth >= min && tests.every((test) => test(path, stats)) ? path : undefined;
  }

  async #enter(folder: string, depth: number): Promise<void> {
    const names = (await readdir(folder).catch(() => [])).sort().reverse();
    for (const name of names) this.#waiting.push({ path: join(folder, name), depth });
  }
}

/** A link is followed where the search begins, and nowhere else. */
async function isEntered(path: string, depth: number, stats: Stats): Promise<boolean> {
  if (depth > 0 || !stats.isSymbolicLink()) return stats.isDirectory();
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
