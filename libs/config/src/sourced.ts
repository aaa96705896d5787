/**
 * Values that remember the file they came from through every merge, so that a problem found in the merged whole can be
 * located. A part that came from one file alone stays whole; only what was merged is taken apart.
 */
import type { LoadedYaml, Path } from '@natrium/args';
import { isList, isMap, type Value } from '@natrium/model';

export type Sourced =
  | { readonly kind: 'whole'; readonly value: Value; readonly yaml: LoadedYaml; readonly path: Path }
  | { readonly kind: 'map'; readonly first: Sourced; readonly entries: ReadonlyMap<string, Sourced> }
  | { readonly kind: 'list'; readonly first: Sourced; readonly items: readonly Sourced[] };

export interface FilePlace {
  readonly file: string;
  readonly line: number;
}

export function whole(yaml: LoadedYaml): Sourced {
  return { kind: 'whole', value: yaml.value, yaml, path: [] };
}

/** As Salt merges included files into each other: mappings key by key, lists joined without repeats, all else replaced. */
export function deepMerge(first: Sourced, second: Sourced): Sourced {
  const [ours, theirs] = [entriesOf(first), entriesOf(second)];
  if (ours !== undefined && theirs !== undefined) {
    const entries = new Map(ours);
    for (const [key, item] of theirs) {
      const known = entries.get(key);
      entries.set(key, known === undefined ? item : deepMerge(known, item));
    }
    return { kind: 'map', first, entries };
  }
  const [items, more] = [itemsOf(first), itemsOf(second)];
  if (items === undefined || more === undefined) return second;
  const seen = new Set(items.map((item) => textOf(valueOf(item))));
  return { kind: 'list', first, items: [...items, ...more.filter((item) => !seen.has(textOf(valueOf(item))))] };
}

/** As Salt merges included files over the main one: each top-level key as a whole. */
export function overlay(first: Sourced, second: Sourced): Sourced {
  return { kind: 'map', first, entries: new Map([...(entriesOf(first) ?? []), ...(entriesOf(second) ?? [])]) };
}

export function valueOf(sourced: Sourced): Value {
  if (sourced.kind === 'whole') return sourced.value;
  if (sourced.kind === 'list') return sourced.items.map(valueOf);
  return Object.fromEntries(Array.from(sourced.entries, ([key, item]) => [key, valueOf(item)]));
}

/** Where a path of the merged value stands; of an unknown one, where its nearest known ancestor does. */
export function placeOf(sourced: Sourced, path: Path): FilePlace {
  if (sourced.kind === 'whole') {
    return { file: sourced.yaml.file, line: sourced.yaml.locate([...sourced.path, ...path]).line };
  }
  const [step, ...rest] = path;
  const child = sourced.kind === 'map' ? sourced.entries.get(String(step)) : sourced.items[Number(step)];
  return child === undefined ? placeOf(sourced.first, []) : placeOf(child, rest);
}

export function entriesOf(sourced: Sourced): ReadonlyMap<string, Sourced> | undefined {
  if (sourced.kind !== 'whole') return sourced.kind === 'map' ? sourced.entries : undefined;
  const { value, yaml, path } = sourced;
  if (value === null && path.length === 0) return new Map();
  if (!isMap(value)) return undefined;
  return new Map(
    Object.entries(value).map(([key, item]) => [key, { kind: 'whole', value: item, yaml, path: [...path, key] }]),
  );
}

function itemsOf(sourced: Sourced): readonly Sourced[] | undefined {
  if (sourced.kind !== 'whole') return sourced.kind === 'list' ? sourced.items : undefined;
  const { value, yaml, path } = sourced;
  if (!isList(value)) return undefined;
  return value.map((item, index) => ({ kind: 'whole', value: item, yaml, path: [...path, index] }));
}

function textOf(value: Value): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? `${item.toString()}n` : item));
}
