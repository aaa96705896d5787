/**
 * One word as YAML 1.1 reads it, with a parser of YAML 1.2: what only 1.2 accepts is refused, what only 1.1 accepts is
 * mended before the parse. Both are rare, and both were found by comparing many words with the original's parser.
 *
 * Not for files and bodies: there the newer parser's leniency does no harm, and what means something else is a problem (`otherReading`).
 */
import type { Value } from '@natrium/model';
import {
  COLLECTION_STYLE,
  type Event,
  EVENT_ID,
  getScalarValue,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from 'js-yaml';
import { DUPLICATE_KEY, gluedComment, hasBareTag, isBlock, readYaml } from './read-yaml.js';
import { readPlainWord } from './scalars.js';

const MAX_MENDS = 16;
/** Characters that are parsed for the mends of one word: all of them are had by what is not longer than 64 KiB. */
const MAX_PARSED = 16 * 65_536;
/** Neither in a value nor in a comment. */
const UNPRINTABLE = /[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** @returns undefined when the word is not YAML 1.1. */
export function readWord(word: string): Value | undefined {
  let text: string | undefined = UNPRINTABLE.test(word) ? undefined : withoutIndentedMark(word);
  let parsed = 0;
  for (let mends = 0; text !== undefined && mends <= MAX_MENDS && parsed <= MAX_PARSED; mends += 1) {
    parsed += text.length;
    try {
      const { value, events } = readYaml(text);
      const mended: string | undefined = mendMeaning(text, events);
      if (mended === undefined) return isYaml11(text, events) ? value : undefined;
      text = withoutIndentedMark(mended);
    } catch (error) {
      text = mend(text, error);
    }
  }
  return undefined;
}

/**
 * Behind a blank `---` begins a word, not a document; an anchor before it says so to the newer parser. Its name is too long to be meant
 * by anything in the word.
 */
function withoutIndentedMark(word: string): string {
  const start = /^ +(?=---(?: |$))/.exec(word)?.[0].length;
  return start === undefined ? word : `&${'_'.repeat(word.length)} ${word.slice(start)}`;
}

/** YAML 1.1 takes a comment straight after a closing bracket or an indicator (`[1]#x`, `- |#x`) and a lone dash in a list (`[-]`). */
function mend(text: string, error: unknown): string | undefined {
  const at = error instanceof YAMLException ? error.mark?.position : undefined;
  // A key that is there twice is pointed at, too, where a blank would make it another key.
  if (at === undefined || (error instanceof YAMLException && error.reason === DUPLICATE_KEY)) return undefined;
  const rest = text.slice(at);
  if (error instanceof YAMLException && gluedComment(text, error) !== undefined) return `${text.slice(0, at)} ${rest}`;
  if (/^-[,\]}]/.test(rest)) return `${text.slice(0, at)}"-"${rest.slice(1)}`;
  return undefined;
}

/** What both take and read differently: the text as the newer parser reads it so, if there is such a place. */
function mendMeaning(text: string, events: readonly Event[]): string | undefined {
  const glued = gluedKeyMark(text, events);
  if (glued !== undefined) return `${text.slice(0, glued + 1)} ${text.slice(glued + 1)}`;
  const end = longName(text, events);
  if (end !== undefined) return `${text.slice(0, end)} ${text.slice(end)}`;
  return withoutBareTag(text, events);
}

/** The name of an anchor is letters, digits, `-` and `_`; with `?` or `:` the next word begins (`&a:b`). */
function longName(text: string, events: readonly Event[]): number | undefined {
  for (const event of events) {
    if (!('anchorStart' in event) || event.type === EVENT_ID.ALIAS || event.anchorStart < 0) continue;
    const [name] = /^[0-9A-Za-z_-]+(?=[?:])/.exec(text.slice(event.anchorStart, event.anchorEnd)) ?? [];
    if (name !== undefined) return event.anchorStart + name.length;
  }
  return undefined;
}

/**
 * A `!` by itself leaves what is in quotes to be read as if it were plain: `! "1"` is a number. Nothing at all is the empty text, as libyaml
 * has it. A block (`! |`) has no lines in a word, and is null.
 */
function withoutBareTag(text: string, events: readonly Event[]): string | undefined {
  const tagged = events.find((event) => hasBareTag(text, event) && /^(?:\s|$)/.test(text.slice(event.tagEnd)));
  if (tagged?.type !== EVENT_ID.SCALAR) return undefined;
  const { tagStart, tagEnd, anchorEnd, valueStart, valueEnd } = tagged;
  const before = text.slice(0, tagStart);
  if (isBlock(tagged)) return `${before}~`;
  if (valueStart < 0) {
    const end = Math.max(tagEnd, anchorEnd);
    return `${before} ${text.slice(tagEnd, end)} ""${text.slice(end)}`;
  }
  return `${before} ${text.slice(tagEnd, valueStart - 1)}${withoutQuotes(text, tagged)}${text.slice(valueEnd + 1)}`;
}

/** A word without its quotes, unless it is text: that may hold anything. */
function withoutQuotes(text: string, event: ScalarEvent): string {
  const content = getScalarValue(text, event);
  if (content === '') return '~';
  return readPlainWord(content) === undefined ? text.slice(event.valueStart - 1, event.valueEnd + 1) : content;
}

/** Within brackets a `?` before a word marks a key in YAML 1.1, also without a blank behind it (`{?a : b}`). */
export function gluedKeyMark(text: string, events: readonly Event[]): number | undefined {
  return wordsInBrackets(events).find((scalar) => text[scalar.valueStart] === '?')?.valueStart;
}

function isYaml11(text: string, events: readonly Event[]): boolean {
  if (/^\.\.\.\s/.test(text) || keyIsLeftOut(text, events)) return false;
  if (!events.every((event) => hasPlainName(text, event) && hasPlainTag(text, event) && !lacksKey(text, event)))
    return false;
  if (repeatsAnchor(text, events)) return false;
  // Within brackets a colon was an indicator wherever a word begins, and it could not touch a bracket or a comma.
  return wordsInBrackets(events).every(
    ({ valueStart, valueEnd }) =>
      text[valueStart] !== ':' && !/:[,?[\]{}]/.test(text.slice(valueStart, tail(text, valueEnd))),
  );
}

/** Plain scalars inside `[…]` and `{…}`; block style cannot lie within those, so the depth is that of the brackets. */
function wordsInBrackets(events: readonly Event[]): readonly ScalarEvent[] {
  const words: ScalarEvent[] = [];
  const open: boolean[] = [];
  for (const event of events) {
    if (event.type === EVENT_ID.POP) open.pop();
    if (event.type === EVENT_ID.DOCUMENT) open.push(false);
    if (event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.MAPPING)
      open.push(event.style === COLLECTION_STYLE.FLOW);
    const isWord = event.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.PLAIN && event.valueStart >= 0;
    if (isWord && open.at(-1) === true) words.push(event);
  }
  return words;
}

/** Names of anchors and aliases were letters, digits, `-` and `_` only, and a bracket could not follow at once (`&a[b]`). */
export function hasPlainName(text: string, event: Event): boolean {
  if (!('anchorStart' in event) || event.anchorStart < 0) return true;
  const { anchorStart, anchorEnd } = event;
  return /^[0-9A-Za-z_-]+$/.test(text.slice(anchorStart, anchorEnd)) && !/^[[{]/.test(text.slice(anchorEnd));
}

function repeatsAnchor(text: string, events: readonly Event[]): boolean {
  const names = events.flatMap((event) =>
    'anchorStart' in event && event.type !== EVENT_ID.ALIAS && event.anchorStart >= 0
      ? [text.slice(event.anchorStart, event.anchorEnd)]
      : [],
  );
  return new Set(names).size < names.length;
}

/** A mapping that begins with its colon, or a lone `?` in a list: a key may be left out only as in `? : value`. */
function lacksKey(text: string, event: Event): boolean {
  if (event.type !== EVENT_ID.MAPPING) return false;
  const start = event.style === COLLECTION_STYLE.FLOW ? /^[:,\]]/ : /^:(?:\s|$)/;
  return start.test(text.slice(event.start));
}

/** Within brackets, as the first or any other (`{a: b, : c}`). */
function keyIsLeftOut(text: string, events: readonly Event[]): boolean {
  let marks = '';
  for (const event of events) {
    if (event.type !== EVENT_ID.SCALAR || event.valueStart < 0) continue;
    marks += `${text.slice(marks.length, event.valueStart)}${'x'.repeat(event.valueEnd - event.valueStart)}`;
  }
  marks += text.slice(marks.length);
  return /[{,]\s*:/.test(marks.replace(/(?:^|\s)#.*$/, ''));
}

/** A tag had to be followed by a blank (or a comma), and one that names a collection could not stand alone. */
function hasPlainTag(text: string, event: Event): boolean {
  if (!('tagStart' in event) || event.tagStart < 0) return true;
  if (!/^(?:[\s,]|$)/.test(text.slice(event.tagEnd))) return false;
  const alone = event.type === EVENT_ID.SCALAR;
  return !(alone && /(?:!!|2002:)(?:map|seq)>?$/.test(text.slice(event.tagStart, event.tagEnd)));
}

/** The end of the two characters behind a word and its blanks. */
function tail(text: string, end: number): number {
  const blanks = /^ */.exec(text.slice(end))?.[0].length ?? 0;
  return end + blanks + 2;
}
