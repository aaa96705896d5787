/**
 * A YAML file to its value and the place of every key, so that an error found much later can name file and line.
 *
 * Values are built by js-yaml; the places come from the same events, walked once.
 *
 * Spec: spec/config.md#yaml.
 */
import { err, messageOf, ok, type Result, type Value } from '@natrium/model';
import { YAMLException } from 'js-yaml';
import { NO_NAME, type OtherReading, otherReading, unseenBefore } from './other-reading.js';
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
    const other = otherReading(indented, events);
    if (other !== undefined) return err({ file, ...placed(indented, other) });
    return ok({ file, value, ...placesOf(indented, events) });
  } catch (error) {
    return err({ file, ...explain(indented, error) });
  }
}

function placed(text: string, { at, reason }: OtherReading): Omit<YamlProblem, 'file'> {
  const lines = text.slice(0, at).split(/\r\n?|\n/);
  return { reason, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** What a lack of indentation is where lines within brackets and quotes have had their blanks (`withIndentation`). */
const UNCLOSED = 'a bracket or a quote that is open before this line is not closed';
const TAB = 'a tab stands between the words of this line, where YAML wants blanks';

const RECURSION = /^recursive alias "(.*)" is not supported/;

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
  const other = unseenBefore(text, mark.position + text.slice(mark.position).search(/[\r\n]|$/));
  if (other !== undefined) return placed(text, other);
  if (reason === NO_INDENTATION) {
    const before = text.slice(mark.position - mark.column, mark.position);
    return { reason: /\S/.test(before) ? TAB : UNCLOSED, ...place };
  }
  const [, inner] = RECURSION.exec(reason) ?? [];
  if (inner !== undefined) return { reason: `the alias *${inner} stands inside of what &${inner} names`, ...place };
  return lackOfQuotes(text, mark.line) ?? { reason, ...place };
}

/** A word that begins as none may, in a place for one: within brackets straight behind them or a comma, too. `&name` may, if it is one. */
const LACKS_QUOTES = /^(?:.*?[-:?,]\s+|(?=.*[[{]).*?[[{,]\s*|\s*)(?=([@%`*]|&(?![\w-]+(?:[\s,\]}]|$)))(?!\S*['"]))/;

/** The usual slip in an access list, `- @runner` or `*:`, is reported by the parser as something else, often a line later. */
function lackOfQuotes(text: string, line: number): Omit<YamlProblem, 'file'> | undefined {
  const lines = text.split(/\r\n?|\n/);
  for (const index of [line, line - 1]) {
    const start = LACKS_QUOTES.exec(lines[index] ?? '');
    const word = lines[index]?.slice(start?.[0].length) ?? '';
    const reason = start === null ? undefined : whatLacks(text, word, start[1] ?? '');
    if (reason !== undefined) return { reason, line: index + 1, column: (start?.[0].length ?? 0) + 1 };
  }
  return undefined;
}

/** `*name` of a place that the text marks with `&name` lacks nothing, but for a blank before a colon. */
function whatLacks(text: string, word: string, mark: string): string | undefined {
  if (mark === '&') return NO_NAME;
  const [, name = '', colon] = /^\*([\w-]+)(:?)(?=[\s,[\]{}]|$)/.exec(word) ?? [];
  if (name === '' || !text.split(/[\s,[\]{}]+/).includes(`&${name}`))
    return `a word that begins with ${mark} needs quotes`;
  return colon === '' ? undefined : `a blank belongs between the alias *${name} and its colon`;
}
