/**
 * Pillar files to a function from a minion to its pillar.
 *
 * All files are read once, when they are compiled, so that every problem is known then; what has one gives nothing. A minion's
 * grains decide only which files it gets: they never become part of its pillar.
 *
 * The original's behaviour, where templates play no part: docs/pillar.md.
 */
import type { ValueMap } from '@natrium/model';
import { matchesSelf, type NodeGroups } from '@natrium/matchers';
import { mergeMaps } from './merge.js';
import type { PillarFiles, PillarProblem } from './pillar-files.js';
import { readSls } from './read-sls.js';
import { SlsTree } from './sls-tree.js';
import { addTop, type Top, type TopEntry } from './top.js';

export interface CompiledPillar {
  readonly problems: readonly PillarProblem[];
  /** Minions that get the same files get the same object. */
  readonly pillarOf: (id: string, grains: ValueMap) => ValueMap;
}

/** An entry of a top file with what its files hold, in order. */
interface Rule extends TopEntry {
  readonly parts: readonly Part[];
}

interface Part {
  /** Of environment and name: the same file counts once in an environment. */
  readonly place: string;
  readonly value: ValueMap;
}

const MAX_MERGED = 1000;

export function compilePillar(files: PillarFiles, groups: NodeGroups): CompiledPillar {
  const tree = new SlsTree(files);
  const { top, problems } = readTops(files, groups);
  const known = [...top.keys()].filter((environment) => files.environments.includes(environment));
  const rules = known.flatMap((environment) => rulesOf(environment, top, tree));
  const merged = new Merged();
  return {
    problems: [...problems, ...tree.problems],
    pillarOf: (id, grains) => {
      const meant = rules.filter(({ target }) => matchesSelf(target, id, { grains, pillar: {} }));
      return merged.of(meant.flatMap(({ parts }) => parts));
    },
  };
}

function readTops(files: PillarFiles, groups: NodeGroups) {
  const top: Top = new Map();
  const problems: PillarProblem[] = [];
  for (const environment of files.environments) {
    const found = files.read(environment, 'top.sls');
    if (found === undefined) continue;
    const read = found.ok ? readSls(found.value) : found;
    if (!read.ok) {
      problems.push(read.error);
      continue;
    }
    problems.push(...addTop(top, read.value, groups));
    for (const named of Object.keys(read.value.value)) {
      if (files.environments.includes(named)) continue;
      const { file, lineOf } = read.value;
      problems.push({ file, line: lineOf([named]), reason: `pillar_roots has no environment ${named}` });
    }
  }
  return { top, problems };
}

function rulesOf(environment: string, top: Top, tree: SlsTree): readonly Rule[] {
  const entries = [...(top.get(environment)?.values() ?? [])].filter((entry) => entry !== undefined);
  return entries
    .toSorted((a, b) => a.order - b.order)
    .map((entry) => ({ ...entry, parts: entry.names.flatMap((name) => partsOf(environment, name, entry, tree)) }));
}

function partsOf(
  environment: string,
  name: string,
  { file, line, ignoreMissing }: TopEntry,
  tree: SlsTree,
): readonly Part[] {
  const value = tree.load(environment, name);
  if (typeof value !== 'string') return [{ place: `${environment} ${name}`, value }];
  if (value === 'missing' && !ignoreMissing) {
    tree.problems.push({ file, line, reason: `environment ${environment} has no file for ${name}` });
  }
  return [];
}

/** What lists of files come to; most minions of a fleet share a few. */
class Merged {
  readonly #known = new Map<string, ValueMap>();

  of(parts: readonly Part[]): ValueMap {
    const distinct = new Map(parts.map(({ place, value }) => [place, value]));
    const key = [...distinct.keys()].join('\n');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const merged = [...distinct.values()].reduce<ValueMap>(mergeMaps, {});
    if (this.#known.size >= MAX_MERGED) this.#known.clear();
    this.#known.set(key, merged);
    return merged;
  }
}
