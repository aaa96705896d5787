/**
 * What Salt's parser (YAML 1.1) takes in a file or a body and reads otherwise than ours does: told as a problem, since the rule that is read here
 * could let in more than the one that Salt reads. `withIndentation` has read already what only Salt's parser takes.
 *
 * Spec: spec/config.md#yaml.
 */
import { COLLECTION_STYLE, type Event, EVENT_ID, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';
import { hasBareTag } from './read-yaml.js';
import { gluedKeyMark, hasPlainName } from './yaml11.js';

export interface OtherReading {
  /** Offset in the text. */
  readonly at: number;
  readonly reason: string;
}

const GLUED_KEY_MARK = 'a word that begins with ? within brackets needs quotes';
export const NO_NAME =
  'a word that begins with & needs quotes; as the name of an anchor it has letters, digits, - and _ alone';

const BARE_TAG = 'a ! by itself before quotes or a block has Salt read the text in them as a plain word: take it out';
const TWO_MARKS = 'an anchor and a tag stand before one key: leave one of them out';

/** What ends a line in YAML 1.1 and not in 1.2, and a byte order mark that begins a line which is not the first, or is the second of a text. */
const UNSEEN = /[\u0085\u2028\u2029]|(?<=[\r\n]|^\ufeff)\ufeff/g;

/** Of a line, up to such a character that is not in quotes, as far as that line tells. */
const BEFORE_UNSEEN = /^(?:[^'"\u0085\u2028\u2029]|'[^']*'|"[^"]*")*(?=[\u0085\u2028\u2029])/;

export function otherReading(text: string, events: readonly Event[]): OtherReading | undefined {
  const mark = gluedKeyMark(text, events);
  if (mark !== undefined) return { at: mark, reason: GLUED_KEY_MARK };
  return unnamed(text, events) ?? untagged(text, events) ?? misplaced(text, events) ?? unseen(text, events);
}

/** `! "1"` is a number for Salt. */
function untagged(text: string, events: readonly Event[]): OtherReading | undefined {
  const event = events.find((one) => hasBareTag(text, one) && one.valueStart >= 0);
  return event?.type === EVENT_ID.SCALAR ? { at: event.tagStart, reason: BARE_TAG } : undefined;
}

/** `&pam:` is the name `pam:` here; for Salt the name ends before the colon, which makes a key of it that is null. */
function unnamed(text: string, events: readonly Event[]): OtherReading | undefined {
  const event = events.find((one) => !hasPlainName(text, one));
  return event === undefined || !('anchorStart' in event) ? undefined : { at: event.anchorStart - 1, reason: NO_NAME };
}

/** In `&x !!str key:` our parser takes the first mark for one of the mapping, which begins then where the second stands. */
function misplaced(text: string, events: readonly Event[]): OtherReading | undefined {
  for (const event of events) {
    if (event.type !== EVENT_ID.MAPPING || event.style !== COLLECTION_STYLE.BLOCK) continue;
    const end = Math.max(event.anchorEnd, event.tagEnd);
    if (end >= 0 && !/[\r\n]/.test(text.slice(end, event.start))) return { at: event.start, reason: TWO_MARKS };
  }
  return undefined;
}

/** What Salt reads as the end of a word or of a comment, and perhaps as a key behind it, would be part of it here. In quotes it is text. */
function unseen(text: string, events: readonly Event[]): OtherReading | undefined {
  const marks = Array.from(text.matchAll(UNSEEN));
  if (marks.length === 0) return undefined;
  const quoted = events.filter(isQuoted);
  let next = 0;
  const first = marks.find(({ index }) => {
    while ((quoted[next]?.valueEnd ?? Infinity) <= index) next += 1;
    return index < (quoted[next]?.valueStart ?? Infinity);
  });
  return first === undefined ? undefined : asOther(first.index, first[0]);
}

/** The first such character of a text that could not be read, before `end`: over what is behind it our parser stumbles. */
export function unseenBefore(text: string, end: number): OtherReading | undefined {
  for (const { 0: line, index } of text.slice(0, end).matchAll(/[^\r\n]+/g)) {
    if (index > 0 && line.startsWith('\ufeff')) return asOther(index, '\ufeff');
    const at = BEFORE_UNSEEN.exec(line)?.[0].length;
    if (at !== undefined) return asOther(index + at, line.charAt(at));
  }
  return undefined;
}

function asOther(at: number, character: string): OtherReading {
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  const what = `the character U+${code}, which is not seen,`;
  const means =
    character === '\ufeff' ? 'begins this line: take it out' : 'ends a line for Salt: write a line end or take it out';
  return { at, reason: `${what} ${means}` };
}

function isQuoted(event: Event): event is ScalarEvent {
  if (event.type !== EVENT_ID.SCALAR) return false;
  return event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
}
