/**
 * A pillar file to its mapping. Nothing is rendered: a file that a template engine would change gives nothing at all, since
 * what it means is not what it says.
 */
import { loadYaml, type Path } from '@natrium/args';
import { err, isList, isMap, ok, type Result, type Value, type ValueMap } from '@natrium/model';
import type { PillarProblem, PillarText } from './pillar-files.js';

export interface ReadSls {
  readonly file: string;
  readonly value: ValueMap;
  readonly lineOf: (path: Path) => number;
}

/** Levels that a message takes, with room for what is around it. */
export const MAX_LEVELS = 24;
const TEMPLATE = /\{\{|\{%|\{#/;

export function readSls({ file, text }: PillarText): Result<ReadSls, PillarProblem> {
  const template = templateLine(text);
  if (template !== undefined) {
    return err({
      file,
      line: template,
      reason: 'it is a template, and pillar files here are plain YAML; nothing of it is used',
    });
  }
  const loaded = loadYaml(text, file);
  if (!loaded.ok) {
    const { line, reason } = loaded.error;
    return err({ file, ...(line === undefined ? {} : { line }), reason });
  }
  const { value, locate } = loaded.value;
  if (value === null) return ok({ file, value: {}, lineOf: () => 1 });
  if (!isMap(value)) return err({ file, line: 1, reason: 'it does not hold a mapping' });
  const unfit = whyUnfit(value);
  return unfit === undefined ? ok({ file, value, lineOf: (path) => locate(path).line }) : err({ file, reason: unfit });
}

/** The line of the first mark of a template, or of a renderer's name. */
function templateLine(text: string): number | undefined {
  if (/^\uFEFF?\s*#!/.test(text)) return 1;
  const index = text.search(TEMPLATE);
  return index < 0 ? undefined : text.slice(0, index).split(/\r\n?|\n/).length;
}

/** Why no message could carry it. */
function whyUnfit(value: Value, level = 0): string | undefined {
  if (level > MAX_LEVELS) return `it is nested deeper than ${String(MAX_LEVELS)} levels`;
  if (typeof value === 'string') return value.isWellFormed() ? undefined : 'a text in it is not valid Unicode';
  if (isList(value)) return firstOf(value, (item) => whyUnfit(item, level + 1));
  if (!isMap(value)) return undefined;
  return firstOf(Object.entries(value), ([key, item]) =>
    key === '__proto__' ? 'a key in it is __proto__' : (whyUnfit(key) ?? whyUnfit(item, level + 1)),
  );
}

function firstOf<T>(items: readonly T[], why: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const reason = why(item);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

export function levelsOf(value: Value): number {
  if (!isList(value) && !isMap(value)) return 0;
  return 1 + Object.values(value).reduce<number>((most, item) => Math.max(most, levelsOf(item)), 0);
}
