/**
 * The patterns that nearly every access list holds (`test.*`, `pkg\.install`, `.*example.com`, `.*`), tested without an engine:
 * literal characters and dots, perhaps `.*` before or after them, perhaps `$`.
 */
import type { Node } from './pattern-syntax.js';

export type Test = (text: string) => boolean;

const ANY = -1;
const NEWLINE = 10;
/** Searching costs length times length, so longer texts go to the engine. */
const MAX_SEARCHED = 1024;

interface Shape {
  readonly body: readonly number[];
  readonly starBefore: boolean;
  readonly starAfter: boolean;
  readonly toEnd: boolean;
}

/** @returns undefined when the engine (`slow`) is needed. */
export function fastTest(node: Node, whole: boolean, slow: Test): Test | undefined {
  const shape = shapeOf(node);
  if (shape === undefined) return undefined;
  return whole ? wholeTest(shape) : prefixTest(shape, slow);
}

function shapeOf(node: Node): Shape | undefined {
  const items = flat(node);
  if (isAt(items[0], 'start')) items.shift();
  const toEnd = isAt(items.at(-1), 'end');
  if (toEnd) items.pop();
  const starBefore = isStar(items[0]);
  if (starBefore) items.shift();
  const starAfter = isStar(items.at(-1));
  if (starAfter) items.pop();
  const body: number[] = [];
  for (const item of items) {
    const code = unit(item);
    if (code === undefined) return undefined;
    body.push(code);
  }
  return { body, starBefore, starAfter, toEnd };
}

function flat(node: Node): Node[] {
  if (node.kind !== 'sequence') return [node];
  return node.items.flatMap((item) => (item.kind === 'sequence' ? flat(item) : [item]));
}

function isAt(node: Node | undefined, at: 'start' | 'end'): boolean {
  return node?.kind === 'at' && node.at === at;
}

function isStar(node: Node | undefined): boolean {
  return (
    node?.kind === 'repeat' && node.min === 0 && node.max === Infinity && node.item.kind === 'any' && !node.item.newline
  );
}

function unit(node: Node): number | undefined {
  if (node.kind === 'any' && !node.newline) return ANY;
  return node.kind === 'char' && !node.fold && node.code < 0xd800 ? node.code : undefined;
}

function prefixTest({ body, starBefore, starAfter, toEnd }: Shape, slow: Test): Test | undefined {
  if (starAfter && toEnd) return undefined;
  const literal = body.includes(ANY) ? undefined : String.fromCharCode(...body);
  if (!starBefore && literal !== undefined && !toEnd) return startTest(literal);
  if (starBefore && literal !== undefined && !toEnd) return (text) => onFirstLine(text, text.indexOf(literal));
  const isEnd = (text: string, at: number): boolean =>
    !toEnd || at === text.length || (at === text.length - 1 && text.charCodeAt(at) === NEWLINE);
  if (!starBefore) {
    return (text) => {
      const end = endOf(body, text, 0);
      return end >= 0 && isEnd(text, end);
    };
  }
  return (text) => (text.length > MAX_SEARCHED ? slow(text) : search(body, text, isEnd));
}

/** Most names differ in the first letter, which is cheaper to look at than to call for. */
function startTest(literal: string): Test {
  if (literal === '') return () => true;
  const first = literal.charCodeAt(0);
  return (text) => text.charCodeAt(0) === first && text.startsWith(literal);
}

function search(body: readonly number[], text: string, isEnd: (text: string, at: number) => boolean): boolean {
  for (let start = 0; start <= text.length; start += 1) {
    const end = endOf(body, text, start);
    if (end >= 0 && isEnd(text, end)) return true;
    if (text.charCodeAt(start) === NEWLINE) return false;
  }
  return false;
}

function wholeTest({ body, starBefore, starAfter }: Shape): Test | undefined {
  if (starBefore && (starAfter || body.length === 0))
    return body.length === 0 ? (text) => !text.includes('\n') : undefined;
  if (starBefore) return undefined;
  return (text) => {
    const end = endOf(body, text, 0);
    return starAfter ? end >= 0 && !text.includes('\n', end) : end === text.length;
  };
}

function onFirstLine(text: string, at: number): boolean {
  if (at < 0) return false;
  const line = text.indexOf('\n');
  return line < 0 || at <= line;
}

/** Where `body` ends when it stands at `from`; -1 when it does not. A dot takes one character, never a newline. */
function endOf(body: readonly number[], text: string, from: number): number {
  let at = from;
  for (const code of body) {
    if (at >= text.length) return -1;
    const found = text.charCodeAt(at);
    if (code !== ANY && code !== found) return -1;
    if (code === ANY && found === NEWLINE) return -1;
    at += code === ANY && isPair(found, text.charCodeAt(at + 1)) ? 2 : 1;
  }
  return at;
}

function isPair(high: number, low: number): boolean {
  return high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff;
}
