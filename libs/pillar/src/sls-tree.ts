/**
 * Pillar files with what they include: the included come first, the file's own keys last. A file with a problem gives nothing,
 * and so does every file that includes it.
 */
import { isList, isMap, type Value, type ValueMap } from '@natrium/model';
import { mergeMaps } from './merge.js';
import type { PillarFiles, PillarProblem } from './pillar-files.js';
import { levelsOf, MAX_LEVELS, readSls, type ReadSls } from './read-sls.js';
import { pathsOf } from './sls-name.js';

/** A file as it counts, or why it does not: `missing` has been reported by nobody yet, `broken` has. */
export type Sls = ValueMap | 'missing' | 'broken';

interface Included {
  readonly name: string;
  /** Keys below which it is put. */
  readonly below: readonly string[];
}

export class SlsTree {
  readonly problems: PillarProblem[] = [];
  readonly #made = new Map<string, Sls>();
  /** The files that are being read, each included by the one before. */
  readonly #open = new Set<string>();

  constructor(private readonly files: PillarFiles) {}

  load(environment: string, name: string): Sls {
    const place = `${environment} ${name}`;
    const known = this.#made.get(place);
    if (known !== undefined) return known;
    this.#open.add(place);
    const made = this.#read(environment, name);
    this.#open.delete(place);
    this.#made.set(place, made);
    return made;
  }

  #read(environment: string, name: string): Sls {
    const found = (pathsOf(name) ?? [])
      .map((path) => this.files.read(environment, path))
      .find((file) => file !== undefined);
    if (found === undefined) return 'missing';
    const sls = found.ok ? readSls(found.value) : found;
    return sls.ok ? this.#withIncluded(environment, sls.value) : this.#problem(sls.error);
  }

  #withIncluded(environment: string, sls: ReadSls): Sls {
    const { include = [], ...own } = sls.value;
    const at = (reason: string, index?: number) =>
      this.#problem({
        file: sls.file,
        line: sls.lineOf(index === undefined ? ['include'] : ['include', index]),
        reason,
      });
    if (!isList(include)) return at('`include` is not a list');
    let whole: ValueMap = {};
    for (const [index, item] of include.entries()) {
      const included = includedIn(item);
      if (included === undefined) return at('an included file is a name like a.b, or that name with a `key`', index);
      const part = this.#included(environment, included);
      if (typeof part === 'string') return at(part, index);
      whole = mergeMaps(whole, part);
    }
    return mergeMaps(whole, own);
  }

  /** @returns Why not, when it is a text. */
  #included(environment: string, { name, below }: Included): ValueMap | string {
    if (this.#open.has(`${environment} ${name}`)) return `${name} includes itself`;
    const sls = this.load(environment, name);
    if (sls === 'missing') return `it includes ${name}, which environment ${environment} does not have`;
    if (sls === 'broken') return `it includes ${name}, which has a problem`;
    const part = below.reduceRight<ValueMap>((value, key) => ({ [key]: value }), sls);
    return levelsOf(part) > MAX_LEVELS ? `with ${name} it is nested deeper than ${String(MAX_LEVELS)} levels` : part;
  }

  #problem(problem: PillarProblem): 'broken' {
    this.problems.push(problem);
    return 'broken';
  }
}

function includedIn(item: Value): Included | undefined {
  if (typeof item === 'string') return pathsOf(item) === undefined ? undefined : { name: item, below: [] };
  const [[name, how] = [], ...others] = isMap(item) ? Object.entries(item) : [];
  if (name === undefined || others.length > 0 || pathsOf(name) === undefined) return undefined;
  if (how === null) return { name, below: [] };
  if (!isMap(how) || Object.keys(how).join() !== 'key' || typeof how['key'] !== 'string') return undefined;
  const below = how['key'].split(':');
  return below.includes('') || below.includes('__proto__') ? undefined : { name, below };
}
