/**
 * A YAML file to its value and the place of every key, so that an error found much later can name file and line.
 *
 * Values are built by js-yaml; the places come from the same events, walked once.
 *
 * Spec: spec/config.md#yaml.
 */
import { err, messageOf, ok, type Result, type Value } from '@natrium/model';
import { type Event, EVENT_ID, SCALAR_STYLE, type ScalarEvent, YAMLException } from 'js-yaml';
import { placesOf, type Place, type Path } from './places.js';
import { DUPLICATE_KEY, NO_INDENTATION, readYaml, SECOND_DOCUMENT, withIndentation } from './read-yaml.js';

export interface LoadedYaml {
  readonly file: string;
  readonly value: Value;
  /** Where a key or list item begins; of an unknown path, where its nearest known ancestor does. */
  readonly locate: (path: Path) => Place;
  /** Paths whose key is a number, a boolean or null in YAML; in `value` it is text. */
  readonly unquotedKeys: readonly Path[];
}

export interface YamlProblem extends Partial<Place> {
  readonly file: string;
  readonly reason: string;
}

export function loadYaml(text: string, file: string): Result<LoadedYaml, YamlProblem> {
  const indented = withIndentation(text);
  try {
    const { value, events } = readYaml(indented, file);
    const end = oldLineEnd(indented, events);
    if (end !== undefined) return err({ file, ...end });
    return ok({ file, value, ...placesOf(indented, events) });
  } catch (error) {
    return err({ file, ...explain(indented, error) });
  }
}

/**
 * A character that ends a line in YAML 1.1 and not in 1.2: what Salt reads as the end of a word or of a comment, and perhaps as a key
 * behind it, would be part of it here. In quotes it is text in both.
 */
function oldLineEnd(text: string, events: readonly Event[]): Omit<YamlProblem, 'file'> | undefined {
  const ends = Array.from(text.matchAll(/[\u0085\u2028\u2029]/g));
  if (ends.length === 0) return undefined;
  const quoted = events.filter(isQuoted);
  let next = 0;
  const first = ends.find(({ index }) => {
    while ((quoted[next]?.valueEnd ?? Infinity) <= index) next += 1;
    return index < (quoted[next]?.valueStart ?? Infinity);
  });
  if (first === undefined) return undefined;
  const lines = text.slice(0, first.index).split(/\r\n?|\n/);
  const code = first[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  const reason = `the character U+${code}, which is not seen, ends a line for Salt: write a line end or take it out`;
  return { reason, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function isQuoted(event: Event): event is ScalarEvent {
  if (event.type !== EVENT_ID.SCALAR) return false;
  return event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
}

/** What a lack of indentation is where lines within brackets and quotes have had their blanks (`withIndentation`). */
const UNCLOSED = 'a bracket or a quote that is open before this line is not closed';
const TAB = 'a tab stands between the words of this line, where YAML wants blanks';

function explain(text: string, error: unknown): Omit<YamlProblem, 'file'> {
  if (!(error instanceof YAMLException)) return { reason: messageOf(error) };
  const { mark, reason } = error;
  if (mark === undefined) return { reason };
  const place = { line: mark.line + 1, column: mark.column + 1 };
  if (reason === DUPLICATE_KEY) {
    const key = /^[^:\n]*/.exec(text.slice(mark.position))?.[0].trim() ?? '';
    return { reason: `the key ${key} is there twice in the same mapping`, ...place };
  }
  if (reason === SECOND_DOCUMENT) return { reason, ...place };
  if (reason === NO_INDENTATION) {
    const before = text.slice(mark.position - mark.column, mark.position);
    return { reason: /\S/.test(before) ? TAB : UNCLOSED, ...place };
  }
  return lackOfQuotes(text, mark.line) ?? { reason, ...place };
}

/** The usual slip in an access list, `- @runner` or `*:`, is reported by the parser as something else, often a line later. */
function lackOfQuotes(text: string, line: number): Omit<YamlProblem, 'file'> | undefined {
  const lines = text.split(/\r\n?|\n/);
  for (const index of [line, line - 1]) {
    const start = /^(?:.*?[-:?[{,]\s+|\s*)(?=([@%`*])(?!\S*['"]))/.exec(lines[index] ?? '');
    if (start !== null && !isAlias(text, lines[index]?.slice(start[0].length) ?? '')) {
      const reason = `a word that begins with ${start[1] ?? ''} needs quotes`;
      return { reason, line: index + 1, column: start[0].length + 1 };
    }
  }
  return undefined;
}

/** `*name` of a place that the text marks with `&name`: nothing is wrong with it. */
function isAlias(text: string, word: string): boolean {
  const name = /^\*([^\s,[\]{}]+)/.exec(word)?.[1];
  return name !== undefined && text.split(/[\s,[\]{}]+/).includes(`&${name}`);
}
