/**
 * Targets of the second evaluator, as sets: for each expression the minions that are surely inside and those that surely are not.
 * Whoever is in neither is unknown.
 */
import type { Value } from '@natrium/model';
import type { Scenario } from './scenario.js';
import { globMatches, plainText, startsWithPattern } from './second-text.js';

/** What a term says of a minion that never reported data. */
export type Reading = 'true' | 'false' | 'unknown';

interface Split {
  readonly inside: ReadonlySet<string>;
  readonly outside: ReadonlySet<string>;
}

type Scene = Pick<Scenario, 'fleet' | 'config'>;

/** The ids that are surely inside; nobody when the target cannot be read. */
export function matchTarget(scene: Scene, tgt: string, tgtType: string, reading: Reading): readonly string[] {
  const split = readTarget(scene, tgt, tgtType, reading);
  return split === undefined ? [] : [...split.inside];
}

function readTarget(scene: Scene, tgt: string, tgtType: string, reading: Reading): Split | undefined {
  if (tgtType === 'compound') return compound(scene, tgt, reading);
  if (tgtType === 'nodegroup') return nodegroup(scene, tgt, reading);
  if (tgtType === 'glob') return byId(scene, (id) => globMatches(tgt, id));
  if (tgtType === 'pcre') return byId(scene, (id) => startsWithPattern(tgt, id, true));
  if (tgtType === 'list') return byId(scene, (id) => tgt.split(',').includes(id));
  const [side, mode = 'glob'] = tgtType.split('_');
  if (side !== 'grain' && side !== 'pillar') return undefined;
  return byData(scene, side, tgt, mode, reading);
}

function byId({ fleet }: Scene, matches: (id: string) => boolean): Split {
  const ids = [...fleet.keys()];
  return { inside: new Set(ids.filter(matches)), outside: new Set(ids.filter((id) => !matches(id))) };
}

function byData({ fleet }: Scene, side: string, tgt: string, mode: string, reading: Reading): Split {
  const [key = '', wanted] = tgt.split(':');
  const matches = (value: Value): boolean => {
    if (wanted === undefined || wanted === '(') return false; // without a colon, or with a wrong pattern, it asks for nothing
    if (Array.isArray(value)) return value.some((item: Value) => matches(item));
    const text = plainText(value).toLowerCase();
    const pattern = wanted.toLowerCase();
    if (mode === 'exact') return text === pattern;
    return mode === 'pcre' ? startsWithPattern(pattern, text, true) : globMatches(pattern, text);
  };
  const inside = new Set<string>();
  const outside = new Set<string>();
  // In a permitted target a defect says nothing about anybody.
  if (reading === 'unknown' && (wanted === undefined || wanted === '(')) return { inside, outside };
  for (const [id, facts] of fleet) {
    if (facts === undefined) {
      if (reading === 'true') inside.add(id);
      if (reading === 'false') outside.add(id);
      continue;
    }
    const value = facts === null ? undefined : (side === 'grain' ? facts.grains : facts.pillar)[key];
    (value !== undefined && matches(value) ? inside : outside).add(id);
  }
  return { inside, outside };
}

function nodegroup(scene: Scene, name: string, reading: Reading): Split | undefined {
  const definition = scene.config.nodegroups[name];
  if (definition === undefined) return undefined;
  return definition.includes(' ')
    ? compound(scene, definition, reading)
    : readTarget(scene, definition, 'list', reading);
}

/** Splits at the operators that bind least first, outside of parentheses. */
function compound(scene: Scene, text: string, reading: Reading): Split | undefined {
  const words = text.split(' ').filter((word) => word !== '');
  const alternatives = cutAt(words, 'or');
  if (alternatives === undefined) return undefined;
  if (alternatives.length > 1)
    return combine(
      alternatives.map((part) => compound(scene, part.join(' '), reading)),
      either,
    );
  const factors = cutAt(words, 'and') ?? [];
  if (factors.length > 1)
    return combine(
      factors.map((part) => compound(scene, part.join(' '), reading)),
      both,
    );
  return factor(scene, words, reading);
}

function factor(scene: Scene, words: readonly string[], reading: Reading): Split | undefined {
  const [first, ...rest] = words;
  if (first === undefined) return undefined;
  if (first === 'not') {
    const negated = rest[0] === 'not' ? undefined : factor(scene, rest, reading);
    return negated === undefined ? undefined : { inside: negated.outside, outside: negated.inside };
  }
  if (first === '(') return rest.at(-1) === ')' ? compound(scene, rest.slice(0, -1).join(' '), reading) : undefined;
  return rest.length > 0 ? undefined : term(scene, first, reading);
}

function term(scene: Scene, word: string, reading: Reading): Split | undefined {
  const type = { G: 'grain', P: 'grain_pcre', I: 'pillar', J: 'pillar_pcre', L: 'list', E: 'pcre', N: 'nodegroup' }[
    word.slice(0, 1)
  ];
  return word[1] === '@' && type !== undefined
    ? readTarget(scene, word.slice(2), type, reading)
    : readTarget(scene, word, 'glob', reading);
}

/** undefined when the parentheses do not close. */
function cutAt(words: readonly string[], operator: string): readonly (readonly string[])[] | undefined {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const word of words) {
    depth += word === '(' ? 1 : word === ')' ? -1 : 0;
    if (depth === 0 && word === operator) parts.push([]);
    else parts.at(-1)?.push(word);
  }
  return depth === 0 ? parts : undefined;
}

function combine(parts: readonly (Split | undefined)[], join: (left: Split, right: Split) => Split): Split | undefined {
  const known = parts.filter((part) => part !== undefined);
  return known.length === parts.length ? known.reduce(join) : undefined;
}

function either(left: Split, right: Split): Split {
  return { inside: union(left.inside, right.inside), outside: common(left.outside, right.outside) };
}

function both(left: Split, right: Split): Split {
  return { inside: common(left.inside, right.inside), outside: union(left.outside, right.outside) };
}

function union(left: ReadonlySet<string>, right: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...left, ...right]);
}

function common(left: ReadonlySet<string>, right: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...left].filter((item) => right.has(item)));
}
