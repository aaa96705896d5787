/**
 * Matches a caller's regular expression in a thread of its own, which is ended when it takes too long: JavaScript's
 * expressions may take for ever, and the agent has other work.
 */
import { Worker } from 'node:worker_threads';
import { ExecutionError } from '../loader/errors.js';
import { inJavaScript, type Pattern } from './python-pattern.js';

const LIMIT_MS = 5_000;

interface Task {
  readonly texts: readonly string[];
  readonly repl?: string;
  readonly count?: number;
}

interface Replaced {
  readonly text: string;
  readonly found: number;
}

/** @param limitMs After which the pattern is given up. */
export async function matching(
  pattern: Pattern,
  texts: readonly string[],
  limitMs = LIMIT_MS,
): Promise<readonly string[]> {
  const found = await apart(pattern, { texts }, limitMs);
  return texts.filter((_, index) => found[index] === true);
}

/** Replaces at most `count` times (0: all); `repl` has Python's `\1` and `\g<name>`. */
export async function replacing(pattern: Pattern, text: string, repl: string, count: number): Promise<Replaced> {
  const [replaced] = await apart(pattern, { texts: [text], repl, count }, LIMIT_MS);
  if (typeof replaced !== 'object') throw new TypeError('the thread answered something else');
  return replaced;
}

const THREAD = `
const { parentPort, workerData: { source, flags, texts, repl, count } } = require('node:worker_threads');
const escapes = { n: '\\n', t: '\\t', r: '\\r', '\\\\': '\\\\' };
function filled(match) {
  return repl.replace(/\\\\(?:g<(\\w+)>|(\\d{1,2})|(.))/gs, (all, name, number, letter) => {
    if (letter !== undefined) return escapes[letter] ?? letter;
    const key = name ?? number;
    return (/^\\d+$/.test(key) ? match[Number(key)] : match.groups?.[key]) ?? '';
  });
}
function replaced(text) {
  let [found, at, out] = [0, 0, ''];
  for (const match of text.matchAll(new RegExp(source, flags + 'g'))) {
    found += 1;
    if (count !== 0 && found > count) { found -= 1; break; }
    out += text.slice(at, match.index) + filled(match);
    at = match.index + match[0].length;
    if (out.length > 67108864) throw new Error('too much text');
  }
  return { text: out + text.slice(at), found };
}
const one = new RegExp(source, flags);
parentPort.postMessage(texts.map((text) => (repl === undefined ? one.test(text) : replaced(text))));
`;

function apart(pattern: Pattern, task: Task, limitMs: number): Promise<readonly (boolean | Replaced)[]> {
  const workerData = { ...inJavaScript(pattern), ...task };
  const worker = new Worker(THREAD, { eval: true, workerData, resourceLimits: { maxOldGenerationSizeMb: 256 } });
  return new Promise<readonly (boolean | Replaced)[]>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new ExecutionError(`the pattern was given up after ${limitMs / 1000} seconds`));
    }, limitMs);
    worker.once('message', resolve);
    worker.once('error', (error) => {
      reject(new ExecutionError(`the pattern could not be applied: ${error.message}`));
    });
    worker.once('exit', () => {
      clearTimeout(timer);
    });
  }).finally(() => worker.terminate());
}
