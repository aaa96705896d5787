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
import {
  DUPLICATE_KEY,
  NO_INDENTATION,
  type ReadYaml,
  readYaml,
  SECOND_DOCUMENT,
  withIndentation,
} from './read-yaml.js';

export interface LoadedYaml {
  readonly file: string;
  readonly value: Value;
  /** Where a key or list item begins; of an unknown path, where its nearest known ancestor does. */
  readonly locate: (path: Path) => Place;
  /** Paths whose key is a number, a boolean or null in YAML, also by an alias or a merge; in `value` it is text. */
  readonly unquotedKeys: readonly Path[];
}

export interface YamlFault extends Partial<Place> {
  readonly reason: string;
}

export interface YamlProblem extends YamlFault {
  readonly file: string;
}

export function loadYaml(text: string, file: string): Result<LoadedYaml, YamlProblem> {
  const indented = withIndentation(text);
  const read = readAsSalt(indented, true);
  if (!read.ok) return err({ file, ...read.error });
  const { value, events, unquotedKeys } = read.value;
  return ok({ file, value, locate: placesOf(indented, events), unquotedKeys });
}

/**
 * The same without places, for what somebody sent: read once where nothing lacks blanks.
 *
 * @param most Asked where lines within brackets or quotes are not indented: how many characters may be parsed to find them.
 */
export function readDocument(text: string, most: () => number): Result<Value, YamlFault> {
  const first = readAsSalt(text, false);
  const read =
    first.ok || first.error.reason !== NO_INDENTATION ? first : readAsSalt(withIndentation(text, most()), false);
  return read.ok ? ok(read.value.value) : read;
}

/** @param indented Whether lines within brackets or quotes have had their blanks, all of them. */
function readAsSalt(text: string, indented: boolean): Result<ReadYaml, YamlFault> {
  try {
    const read = readYaml(text);
    const other = otherReading(text, read.events);
    return other === undefined ? ok(read) : err(placed(text, other));
  } catch (error) {
    return err(explain(text, error, indented));
  }
}

function placed(text: string, { at, reason }: OtherReading): YamlFault {
  const lines = text.slice(0, at).split(/\r\n?|\n/);
  return { reason, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** What a lack of indentation is where lines within brackets and quotes have had their blanks (`withIndentation`). */
const UNCLOSED = 'a bracket or a quote that is open before this line is not closed';
const TAB = 'a tab stands between the words of this line, where YAML wants blanks';

const LONE_DASH = 'a - by itself within brackets needs quotes';
/** A kind of value that only YAML has. */
const UNKNOWN_TAG = /^unknown \w+ tag !<(?:tag:yaml\.org,2002:(.*)|(.*))>$/;
const RECURSION = /^recursive alias "(.*)" is not supported/;

function explain(text: string, error: unknown, indented: boolean): YamlFault {
  if (!(error instanceof YAMLException)) return { reason: messageOf(error) };
  const { mark, reason } = error;
  if (mark === undefined) return { reason };
  const place = { line: mark.line + 1, column: mark.column + 1 };
  if (reason === DUPLICATE_KEY)
    return { reason: `${keyAt(text, mark.position)} is there twice in the same mapping`, ...place };
  if (reason === SECOND_DOCUMENT) return { reason, ...place };
  const other = unseenBefore(text, mark.position + text.slice(mark.position).search(/[\r\n]|$/));
  if (other !== undefined) return placed(text, other);
  if (reason === NO_INDENTATION) {
    const before = text.slice(mark.position - mark.column, mark.position);
    if (/\S/.test(before)) return { reason: TAB, ...place };
    return { reason: indented ? UNCLOSED : reason, ...place };
  }
  const [, inner] = RECURSION.exec(reason) ?? [];
  if (inner !== undefined) return { reason: `the alias *${inner} stands inside of what &${inner} names`, ...place };
  const [, core, own] = UNKNOWN_TAG.exec(reason) ?? [];
  const tag = core === undefined ? own : `!!${core}`;
  if (tag !== undefined)
    return { reason: `the tag ${tag} is not taken: write a text, a list or a map without it`, ...place };
  if (/^-[,\]}]/.test(text.slice(mark.position))) return { reason: LONE_DASH, ...place };
  return lackOfQuotes(text, mark.line) ?? lackOfBlank(text, mark.line, reason) ?? { reason, ...place };
}

/** `user:root` is a text, which the parser goes on reading, and complains a line later. */
const WANTS_KEY = /implicit key|^end of the stream|^bad indentation of a mapping entry/;
/** No path, and no port of a host that goes on a line before it. */
const LACKS_BLANK = /^(?!\s+\S+:\d+\s*$)(\s*)([A-Za-z_][\w.-]+):(?=[^\s/:\\])/;

function lackOfBlank(text: string, line: number, parsers: string): YamlFault | undefined {
  if (!WANTS_KEY.test(parsers)) return undefined;
  const lines = text.split(/\r\n?|\n/).slice(0, line + 1);
  const isWords = (one: string) => /^\s*[^\s#]/.test(one);
  const above = lines.findLastIndex((one, index) => index < line && isWords(one));
  for (const index of [line, above]) {
    const [, before = '', key] = LACKS_BLANK.exec(lines[index] ?? '') ?? [];
    if (key === undefined) continue;
    const reason = `behind the colon of ${key} a blank is missing`;
    return { reason, line: index + 1, column: before.length + 1 };
  }
  return undefined;
}

/** What has no colon behind it may be no key but a text of somebody's (`{secret, secret}`). */
function keyAt(text: string, at: number): string {
  const [key] = /^[^:\n,]{1,256}(?=:)/.exec(text.slice(at)) ?? [];
  return key === undefined ? 'a key' : `the key ${key.trim()}`;
}

/** A word that begins as none may, in a place for one: within brackets straight behind them or a comma, too. `&name` may, if it is one. */
const LACKS_QUOTES =
  /^(?:.*?[-:?,]\s+|(?=.*[[{]).*?[[{,]\s*|\s*)(?=([@%`*]|&(?![\w-]+(?:[\s,\]}]|$)))(?!\S{0,256}['"]))/;

/** The usual slip in an access list, `- @runner` or `*:`, is reported by the parser as something else, often a line later. */
function lackOfQuotes(text: string, line: number): YamlFault | undefined {
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
