/** `file.find`: walks folders without following links, to a bound, and answers the paths that fit. */
import { type Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pyStr, type Value, type ValueMap } from '@natrium/model';
import { InvocationError } from '../loader/errors.js';
import { matchesGlob } from '../loader/glob.js';
import { type Reply, reply } from '../loader/reply.js';
import { matching } from '../process/match-apart.js';
import { wholePath } from './file-access.js';
import { typeName } from './file-read.js';
import { gidOf, uidOf } from './name-databases.js';

/** Most that one search answers, and most that it looks at. */
const FOUND_LIMIT = 10_000;
const LOOKED_LIMIT = 1_000_000;

type Test = (path: string, stats: Stats) => boolean;

const LETTERS: Readonly<Record<string, string>> = {
  f: 'file',
  d: 'dir',
  l: 'link',
  p: 'pipe',
  s: 'socket',
  b: 'device',
  c: 'device',
};
const SIZES: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };
const SPANS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** @param options Salt's: name, iname, regex, iregex, type, owner, group, size, mtime, mindepth, maxdepth. */
export async function findFiles(root: string, options: ValueMap, signal: AbortSignal): Promise<Reply> {
  const { mindepth = 0, maxdepth = Infinity, regex, iregex, ...rest } = withoutOwn(options);
  const entries = await Promise.all(Object.entries(rest).map(([name, value]) => testOf(name, value, signal)));
  const walk: Walk = { tests: entries, min: Number(mindepth), max: Number(maxdepth), signal };
  const { found, isAll } = await walked(wholePath(root), walk);
  const paths = await fitting(await fitting(found, regex, 0), iregex, 2);
  return reply(paths, isAll ? {} : { notes: [`the search ended at ${FOUND_LIMIT} paths or ${LOOKED_LIMIT} looks`] });
}

function withoutOwn(options: ValueMap): ValueMap {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !name.startsWith('__')));
}

async function fitting(paths: readonly string[], source: Value | undefined, flags: number): Promise<readonly string[]> {
  return source === undefined ? paths : matching({ source: `^(?:${pyStr(source)})`, flags }, paths);
}

async function testOf(name: string, value: Value, signal: AbortSignal): Promise<Test> {
  const text = pyStr(value);
  switch (name) {
    case 'name':
      return (path) => matchesGlob(text, basename(path));
    case 'iname':
      return (path) => matchesGlob(text.toLowerCase(), basename(path).toLowerCase());
    case 'type': {
      const kinds = [...text].map((letter) => LETTERS[letter]);
      return (_, stats) => kinds.includes(typeName(stats));
    }
    case 'owner': {
      const uid = await uidOf(text, signal);
      return (_, stats) => stats.uid === uid;
    }
    case 'group': {
      const gid = await gidOf(text, signal);
      return (_, stats) => stats.gid === gid;
    }
    case 'size':
      return amount(text, SIZES, 'b', (stats) => stats.size);
    case 'mtime':
      return amount(text, SPANS, 'd', (stats) => (Date.now() - stats.mtimeMs) / 1000);
    default:
      throw new InvocationError(`file.find has no option ${name}`);
  }
}

/** `+` at least, `-` at most; neither means within the unit. */
function amount(
  text: string,
  units: Readonly<Record<string, number>>,
  usual: string,
  of: (stats: Stats) => number,
): Test {
  const match = /^([+-]?)(\d+)([a-z]?)$/.exec(text);
  const unit = units[match?.[3] === '' ? usual : (match?.[3] ?? '')];
  if (match === null || unit === undefined) throw new InvocationError(`'${text}' is not an amount such as +10k`);
  const limit = Number(match[2]) * unit;
  if (match[1] === '+') return (_, stats) => of(stats) >= limit;
  if (match[1] === '-') return (_, stats) => of(stats) <= limit;
  return (_, stats) => of(stats) >= limit && of(stats) < limit + unit;
}

interface Walk {
  readonly tests: readonly Test[];
  readonly min: number;
  readonly max: number;
  readonly signal: AbortSignal;
}

async function walked(root: string, { tests, min, max, signal }: Walk): Promise<{ found: string[]; isAll: boolean }> {
  const found: string[] = [];
  const waiting: { readonly path: string; readonly depth: number }[] = [{ path: root, depth: 0 }];
  for (let looked = 0; looked < LOOKED_LIMIT && !signal.aborted; looked += 1) {
    const next = waiting.pop();
    if (next === undefined) return { found, isAll: true };
    const { path, depth } = next;
    const stats = await lstat(path).catch(() => undefined);
    if (stats === undefined) continue;
    if (depth >= min && tests.every((test) => test(path, stats))) found.push(path);
    if (found.length > FOUND_LIMIT) return { found: found.slice(0, FOUND_LIMIT), isAll: false };
    if (!stats.isDirectory() || depth >= max) continue;
    const names = (await readdir(path).catch(() => [])).sort().reverse();
    for (const name of names) waiting.push({ path: join(path, name), depth: depth + 1 });
  }
  return { found, isAll: false };
}
