/**
 * A YAML file to its value and the place of every key, so that an error found much later can name file and line.
 *
 * Values are built by js-yaml; the places come from the same events, walked once.
 *
 * Spec: spec/config.md#yaml.
 */
import { err, messageOf, ok, type Result, type Value } from '@natrium/model';
import { YAMLException } from 'js-yaml';
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
    return ok({ file, value, ...placesOf(indented, events) });
  } catch (error) {
    return err({ file, ...explain(indented, error) });
  }
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
