/**
 * YAML text to a `Value`, by js-yaml with Salt's schema.
 *
 * Anything that could cost more than its length (aliases of aliases, deep nesting) is bounded and refused.
 */
import { Float, type Value } from '@natrium/model';
import {
  CHOMPING_MODE,
  constructFromEvents,
  type Event,
  EVENT_ID,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from 'js-yaml';
import { MapPairs } from './map-pairs.js';
import { type Path } from './places.js';
import { SALT_SCHEMA } from './schema.js';

const MAX_DEPTH = 60;
const MAX_NODES = 200_000;
const MAX_CODE = 0x10ffff;
const EMPTY_LINE = 'an empty line stands behind a \\ at the end of a line: write \\n for it';
/** Characters that are parsed to find the lines of a file that lack blanks, over all tries. */
const MAX_PARSED = 64 << 20;

export interface ReadYaml {
  readonly value: Value;
  readonly events: readonly Event[];
  /** Paths whose key is a number, a boolean or null in YAML, also by an alias or a merge; in `value` it is text. */
  readonly unquotedKeys: readonly Path[];
}

/** @throws {Error} `YAMLException` with a mark, or a plain one, when the text is not one document of this dialect. */
export function readYaml(text: string): ReadYaml {
  const parsed = withoutLastBreak(text, parseEvents(text, { maxDepth: MAX_DEPTH }));
  const events = parsed.map((event) => withoutBareTag(text, event));
  for (const event of events) checkEscapes(text, event);
  const second = startOfSecond(text, events);
  if (second !== undefined) YAMLException.throwAt(text, second, SECOND_DOCUMENT);
  const documents = constructFromEvents(events, { source: text, schema: SALT_SCHEMA });
  const reader = new ValueReader();
  return { value: reader.read(documents[0] ?? null), events, unquotedKeys: reader.unquotedKeys };
}

/** A block of text whose last line ends with the text has no line end there, in YAML 1.1. */
function withoutLastBreak(text: string, events: Event[]): Event[] {
  const last = events.findLast((event) => event.type === EVENT_ID.SCALAR && event.valueStart >= 0);
  if (last?.type !== EVENT_ID.SCALAR || !isBlock(last) || last.valueEnd < text.length) return events;
  const lastLine = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
  const hasWords = last.indent >= 0 && text.length - lastLine > last.indent;
  // A last line of blanks alone is none.
  const mended = hasWords
    ? { ...last, chomping: CHOMPING_MODE.STRIP }
    : { ...last, valueEnd: Math.max(last.valueStart, lastLine) };
  return events.map((event) => (event === last ? mended : event));
}

/** A `!` by itself before a plain word says nothing in YAML 1.1: `! 1` is a number. In 1.2 it makes a text of it. */
function withoutBareTag(text: string, event: Event): Event {
  if (!hasBareTag(text, event) || event.style !== SCALAR_STYLE.PLAIN || event.valueStart < 0) return event;
  return { ...event, tagStart: -1, tagEnd: -1 };
}

/** Whether a word, quotes or a block stand behind a `!` by itself. */
export function hasBareTag(text: string, event: Event): event is ScalarEvent {
  return event.type === EVENT_ID.SCALAR && text.slice(event.tagStart, event.tagEnd) === '!';
}

export function isBlock({ style }: ScalarEvent): boolean {
  return style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK;
}

export const SECOND_DOCUMENT = 'more than one document in the text';

/** Where the first document has ended: at the first mark behind its last value. */
function startOfSecond(text: string, events: readonly Event[]): number | undefined {
  const [first, ...more] = events;
  const next = more.findIndex(({ type }) => type === EVENT_ID.DOCUMENT);
  if (first?.type !== EVENT_ID.DOCUMENT || next === -1) return undefined;
  const ends = more.slice(0, next).map((event) => (event.type === EVENT_ID.SCALAR ? event.valueEnd : 0));
  const end = ends.reduce((one, other) => Math.max(one, other), 0);
  const marks = [...text.slice(end).matchAll(/^(?:---|\.\.\.)(?=\s|$)/gm)].map(({ index }) => end + index);
  // Of a document without a word no event says where it ends.
  return marks[end === 0 && first.explicitStart ? 1 : 0] ?? end;
}

/**
 * Half a pair is no character, nor is anything beyond Unicode; a pair was refused, too. An empty line behind an escaped line end is one of the text,
 * and our parser forgets it.
 */
function checkEscapes(text: string, event: Event): void {
  if (event.type !== EVENT_ID.SCALAR || event.style !== SCALAR_STYLE.DOUBLE_QUOTED) return;
  const { valueStart, valueEnd } = event;
  for (const { 0: escape, index } of text.slice(valueStart, valueEnd).matchAll(/\\(?:u.{4}|U.{8}|[^])/g)) {
    const code = escape.length > 2 ? parseInt(escape.slice(2), 16) : 0;
    if (code > MAX_CODE || (code >= 0xd800 && code <= 0xdfff))
      YAMLException.throwAt(text, valueStart + index, `${escape} names no character`);
    if (/^\\(?:\r\n|\r(?!\n)|\n)[ \t]*[\r\n]/.test(text.slice(valueStart + index, valueEnd)))
      YAMLException.throwAt(text, valueStart + index, EMPTY_LINE);
  }
}

/** What the parser says of a line within brackets or quotes that does not begin with blanks. */
export const NO_INDENTATION = 'deficient indentation';
/** What the parser says of a key that is there twice in one mapping. */
export const DUPLICATE_KEY = 'duplicated mapping key';

/**
 * The text of a file, with the blanks that js-yaml wants. YAML 1.1's parser heeds no indentation within brackets and quotes, where a closing
 * bracket usually stands straight below its key, and takes a comment straight behind those; 1.2's does not. Blanks mean nothing there: a column
 * behind one is told so much too far to the right.
 *
 * @param most Characters that are parsed for it, over all tries; what would take more stays as it is.
 */
export function withIndentation(text: string, most = MAX_PARSED): string {
  let mended = text;
  let shown = text;
  for (let parsed = 0; parsed < most; parsed += mended.length) {
    const fault = faultIn(mended);
    const comment = fault === undefined ? undefined : gluedComment(mended, fault);
    const at = comment ?? (fault === undefined ? undefined : lineThatLacksBlanks(mended, fault));
    // What is never closed reaches to the end: where it first looked wrong says more.
    if (at === undefined) return fault?.mark?.position === mended.length ? shown : mended;
    mended = `${mended.slice(0, at)} ${mended.slice(at)}`;
    if (comment !== undefined) shown = mended;
  }
  return text;
}

/** Where a comment begins without a blank before it, if that is the fault: behind a quote, a bracket, a comma or the mark of a block. */
export function gluedComment(text: string, { mark }: YAMLException): number | undefined {
  if (mark === undefined || text[mark.position] !== '#') return undefined;
  const before = text.slice(mark.position - mark.column, mark.position);
  return /(?:["'[\]{},]|[|>][-+0-9]*)$/.test(before) ? mark.position : undefined;
}

function faultIn(text: string): YAMLException | undefined {
  try {
    parseEvents(text, { maxDepth: MAX_DEPTH });
    return undefined;
  } catch (error) {
    return error instanceof YAMLException ? error : undefined;
  }
}

/**
 * Where it begins. A line that would begin or end a document is an error in both, and a byte order mark is skipped at the begin of a line
 * alone. What has text before the fault lacks no blanks: the fault is a tab between words then, and with blanks the line could become part of
 * the one before.
 */
function lineThatLacksBlanks(text: string, { reason, mark }: YAMLException): number | undefined {
  if (reason !== NO_INDENTATION || mark === undefined) return undefined;
  const start = mark.position - mark.column;
  if (/\S/.test(text.slice(start, mark.position))) return undefined;
  return /^(?:(?:---|\.\.\.)(?:\s|$)|\ufeff)/.test(text.slice(start, start + 4)) ? undefined : start;
}

/** Checks what js-yaml built, counting every visit: an alias costs as much as what it stands for. */
class ValueReader {
  readonly unquotedKeys: Path[] = [];
  readonly #path: (string | number)[] = [];
  #visits = 0;

  read(data: unknown): Value {
    this.#visits += 1;
    if (this.#visits > MAX_NODES || this.#path.length > MAX_DEPTH) throw new Error('too large or too deeply nested');
    if (data === null || typeof data === 'boolean' || typeof data === 'string') return data;
    if (typeof data === 'number' || typeof data === 'bigint' || data instanceof Float) return data;
    if (Array.isArray(data)) return data.map((item, index) => this.#readAt(index, item));
    if (typeof data !== 'object') throw new Error('a value of no known kind');
    for (const { text, equal } of MapPairs.mergedKeys(data))
      if (typeof equal !== 'string') this.unquotedKeys.push([...this.#path, text]);
    return Object.fromEntries(Object.entries(data).map(([key, item]) => [key, this.#readAt(key, item)]));
  }

  #readAt(step: string | number, item: unknown): Value {
    this.#path.push(step);
    const value = this.read(item);
    this.#path.pop();
    return value;
  }
}
