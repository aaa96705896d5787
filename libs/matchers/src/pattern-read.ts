/**
 * Reads a regular expression in Python's syntax (3.11). What cannot be tested in linear time is refused by name here, so
 * that the engine never sees a text that means something else to it.
 *
 * Spec: spec/acl.md#patterns; the list of what is refused: compat/divergences.md.
 */
import { Cursor } from './pattern-cursor.js';
import { readEscape } from './pattern-escape.js';
import { charNode } from './pattern-fold.js';
import { type Flags, type Reading, readGlobalFlags, readGroup, skipComment, withFlags } from './pattern-group.js';
import { readSet } from './pattern-set.js';
import { MAX_COUNT, type Node, PatternError } from './pattern-syntax.js';

/** @throws {PatternError} When it is not a pattern of Python's, or not one that runs in linear time. */
export function readPattern(text: string): { readonly node: Node; readonly hasGlobalFlags: boolean } {
  const reader = new Reader(text);
  let letters = '';
  for (;;) {
    if (skipComment(reader.cursor)) continue;
    const more = readGlobalFlags(reader.cursor);
    if (more === undefined) break;
    letters += more;
  }
  const node = reader.choice(withFlags(NO_FLAGS, letters));
  if (!reader.cursor.done) throw new PatternError('a ) closes nothing');
  return { node, hasGlobalFlags: letters !== '' };
}

const MAX_DEPTH = 512;
const NO_FLAGS: Flags = { fold: false, lines: false, newline: false, ascii: false };

class Reader implements Reading {
  readonly cursor: Cursor;
  readonly names = new Set<string>();
  /** True as long as nothing but anchors, flags and look-aheads was read: where a look-ahead may stand. */
  atVeryStart = true;
  #depth = 0;

  constructor(text: string) {
    this.cursor = new Cursor(text);
  }

  choice(flags: Flags): Node {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new PatternError('its groups are nested too deeply');
    const branches = [this.sequence(flags)];
    while (this.cursor.take('|')) {
      this.atVeryStart = false;
      branches.push(this.sequence(flags));
    }
    this.#depth -= 1;
    const only = branches[0];
    return branches.length === 1 && only !== undefined ? only : { kind: 'choice', items: branches };
  }

  sequence(flags: Flags): Node {
    const items: Node[] = [];
    while (!this.cursor.done && this.cursor.peek() !== '|' && this.cursor.peek() !== ')') {
      const item = this.item(flags);
      if (item !== undefined) items.push(item);
    }
    const only = items[0];
    return items.length === 1 && only !== undefined ? only : { kind: 'sequence', items };
  }

  item(flags: Flags): Node | undefined {
    if (skipComment(this.cursor)) return undefined;
    const atom = this.atom(flags);
    if (atom.kind !== 'at' && atom.kind !== 'look') this.atVeryStart = false;
    return this.repeated(atom);
  }

  atom(flags: Flags): Node {
    const char = this.cursor.next();
    if (char === '.') return { kind: 'any', newline: flags.newline };
    if (char === '^') return { kind: 'at', at: flags.lines ? 'line-start' : 'start' };
    if (char === '$') return { kind: 'at', at: flags.lines ? 'line-end' : 'end' };
    if (char === '(') return readGroup(this, flags);
    if (char === '[') return readSet(this.cursor, flags);
    if (char === '\\') return this.escape(flags);
    if (char === '*' || char === '+' || char === '?')
      throw new PatternError(`there is nothing that ${char} could repeat`);
    if (char === '{' && readCounts(this.cursor) !== undefined) throw new PatternError('there is nothing to repeat');
    return charNode(char.codePointAt(0) ?? 0, flags);
  }

  escape(flags: Flags): Node {
    const escaped = readEscape(this.cursor, false, flags.ascii);
    if (escaped.kind === 'at') return escaped.node;
    if (escaped.kind === 'char') return charNode(escaped.code, flags);
    return { kind: 'set', negated: false, items: [escaped.item], fold: false };
  }

  repeated(atom: Node): Node {
    while (skipComment(this.cursor));
    const counts = readQuantifier(this.cursor);
    if (counts === undefined) return atom;
    if (atom.kind === 'at' || atom.kind === 'boundary') throw new PatternError('an anchor cannot be repeated');
    if (atom.kind === 'look') throw new PatternError('a look-ahead cannot be repeated');
    const after = this.cursor.peek();
    if (after === '+') throw new PatternError('possessive repeats cannot be tested in linear time');
    if (after === '?') this.cursor.next();
    const again = this.cursor.at;
    if (readQuantifier(this.cursor) !== undefined) throw new PatternError('a repeat of a repeat');
    this.cursor.rewind(again);
    return { kind: 'repeat', item: atom, ...counts };
  }
}

interface Counts {
  readonly min: number;
  readonly max: number;
}

function readQuantifier(cursor: Cursor): Counts | undefined {
  if (cursor.take('*')) return { min: 0, max: Infinity };
  if (cursor.take('+')) return { min: 1, max: Infinity };
  if (cursor.take('?')) return { min: 0, max: 1 };
  if (!cursor.take('{')) return undefined;
  const counts = readCounts(cursor);
  // A brace that is not a count is an ordinary character.
  if (counts === undefined) cursor.rewind(cursor.at - 1);
  return counts;
}

/** The cursor stands after the brace and stays there when this is no count. */
function readCounts(cursor: Cursor): Counts | undefined {
  const start = cursor.at;
  const low = cursor.takeWhile(/^[0-9]$/);
  const comma = cursor.take(',');
  const high = comma ? cursor.takeWhile(/^[0-9]$/) : low;
  if (!cursor.take('}') || (low === '' && !comma)) {
    cursor.rewind(start);
    return undefined;
  }
  const min = Number(low);
  const max = high === '' ? Infinity : Number(high);
  if (min > MAX_COUNT || (max !== Infinity && max > MAX_COUNT))
    throw new PatternError(`a count is over ${String(MAX_COUNT)}`);
  if (min > max) throw new PatternError('a count whose lower bound is above its upper one');
  return { min, max };
}
