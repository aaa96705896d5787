/**
 * Compiles a file for the tests with SWC, and has it import each name from the file that makes it.
 *
 * Each file of tests reads anew all that it imports. By way of the `index.ts` of a library that is the library whole: twice as many
 * modules as the tests need. What an `index.ts` only passes on is imported from where it is made, which is the same module; whatever
 * else stands in one is imported from it. Nothing is lost by it, since no library does anything by being imported (`sideEffects: false`).
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import swc from '@swc/jest';

const LIBS = fileURLToPath(new URL('./libs', import.meta.url));
const BARREL = 'index.ts';

const HEAD = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*(import\b[^;]*;)/y;
const NAMED = /^import (?:type )?\{([^}]*)\} from '([^']+)';$/;
const PASSED_ON = /^export (?:type )?\{([^}]*)\} from '([^']+)';$/gm;
const AS_WHOLE = /^export \* as (\w+) from '([^']+)';$/gm;

/** `{ a, type B, c as d }` without its braces and without what is only a type. */
const namesIn = (list) =>
  list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !part.startsWith('type '))
    .map((part) => part.split(' as '))
    .map(([name, as = name]) => ({ name, as }));

/** The file of ours that is imported, or undefined for what is from elsewhere. */
function fileOf(specifier, folder) {
  const [, library] = /^@natrium\/([\w-]+)$/.exec(specifier) ?? [];
  if (library !== undefined) return join(LIBS, library, 'src', BARREL);
  return specifier.startsWith('.') ? join(folder, specifier.replace(/\.js$/, '.ts')) : undefined;
}

const barrels = new Map();

/** What an `index.ts` passes on, by name: from which file, and by which name there (undefined: all of it). */
function passedOn(barrel) {
  const known = barrels.get(barrel);
  if (known !== undefined) return known;
  const found = new Map();
  barrels.set(barrel, found);
  const text = existsSync(barrel) ? readFileSync(barrel, 'utf8') : '';
  for (const [, list, from] of text.matchAll(PASSED_ON))
    for (const { name, as } of namesIn(list)) found.set(as, originOf(fileOf(from, dirname(barrel)), name));
  for (const [, as, from] of text.matchAll(AS_WHOLE)) found.set(as, { file: fileOf(from, dirname(barrel)) });
  return found;
}

function originOf(file, name) {
  const here = { file, name };
  return basename(file) === BARREL ? (passedOn(file).get(name) ?? here) : here;
}

function importOf({ name, as }, barrel) {
  const { file, name: made } = originOf(barrel, name);
  const what = file === barrel || made !== undefined ? `{ ${made ?? name} as ${as} }` : `* as ${as}`;
  return `import ${what} from '${file}';`;
}

/** The same import, by as many lines, past every `index.ts` that only passes on. */
function passBy(statement, folder) {
  const [, list, from] = NAMED.exec(statement) ?? [];
  const file = list === undefined ? undefined : fileOf(from, folder);
  if (file === undefined || basename(file) !== BARREL || statement.startsWith('import type')) return statement;
  const imports = namesIn(list).map((name) => importOf(name, file));
  return imports.join(' ') + '\n'.repeat(statement.split('\n').length - 1);
}

/**
 * @param source Text of a module, its imports first.
 * @param path Absolute.
 * @returns The text with every line where it was.
 */
export function pastBarrels(source, path) {
  let text = '';
  let end = 0;
  HEAD.lastIndex = 0;
  for (let match = HEAD.exec(source); match !== null; match = HEAD.exec(source)) {
    const start = HEAD.lastIndex - match[1].length;
    text += source.slice(end, start) + passBy(match[1], dirname(path));
    end = HEAD.lastIndex;
  }
  return text + source.slice(end);
}

/** What is kept of a file is no longer true when any `index.ts` was changed. */
function textOfBarrels() {
  const hash = createHash('sha1');
  const files = readdirSync(LIBS, { recursive: true }).filter(
    (file) => basename(file) === BARREL && !file.includes('node_modules'),
  );
  for (const file of files.sort()) hash.update(`${file}\0${readFileSync(join(LIBS, file), 'utf8')}\0`);
  return hash.digest('hex');
}

export default {
  createTransformer(options) {
    const { process, processAsync, getCacheKey } = swc.createTransformer(options);
    const here = textOfBarrels() + readFileSync(fileURLToPath(import.meta.url), 'utf8');
    return {
      canInstrument: false,
      process: (source, path, how) => process(pastBarrels(source, path), path, how),
      processAsync: (source, path, how) => processAsync(pastBarrels(source, path), path, how),
      getCacheKey: (source, path, how) =>
        createHash('sha1')
          .update(here)
          .update(getCacheKey(source, path, how))
          .digest('hex'),
    };
  },
};
