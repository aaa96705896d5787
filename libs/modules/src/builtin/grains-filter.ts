/** `grains.filter_by`: of a table by the values of a grain, the entry for this host. */
import { isList, isMap, isTrue, pyRepr, pyStr, type Value, type ValueMap } from '@natrium/model';
import { InvocationError } from '../loader/errors.js';
import { matchesGlob } from '../loader/glob.js';
import { fn } from '../minion-registry.js';
import { traverse } from './traverse.js';

export const grainsFilterBy = fn(
  {
    doc: 'The entry of a map that is for this minion: its keys are globs of the values that a grain may have.',
    params: [
      { name: 'lookup_dict', type: 'map', doc: 'The map; the first key that matches counts.' },
      { name: 'grain', type: 'str', default: 'os_family', doc: 'Name of the grain, nested with `:`.' },
      { name: 'merge', type: 'any', default: null, doc: 'A map that is merged over what was found.' },
      { name: 'default', type: 'str', default: 'default', doc: 'The key that counts when none matches.' },
      { name: 'base', type: 'str', default: null, doc: 'The key of a map that what was found is merged over.' },
    ],
    returns: 'None when there is nothing for it',
    examples: ["grains.filter_by '{Debian: apache2, RedHat: httpd}'", "grains.filter_by '{web*: 80, db*: 5432}' id"],
  },
  ({ lookup_dict: table, grain, merge, default: otherwise, base }, { grains }) => {
    const found = entryOf(table, traverse(grains(), grain, ':')) ?? own(table, otherwise);
    return mergedOver(overBase(found, base === null || base === '' ? null : own(table, base)), merge);
  },
);

/** What was found with a map over it; what is no true value changes nothing. @param joinsLists Rather than taking the map's. */
export function mergedOver(found: Value, merge: Value, joinsLists = false): Value {
  if (!isTrue(merge)) return found;
  if (!isMap(merge)) throw new InvocationError('filter_by merge argument must be a dictionary.');
  if (found === null) return merge;
  if (!isMap(found)) throw new InvocationError('filter_by merges into a dictionary, and what it found is none');
  return merged(found, merge, joinsLists);
}

/** Of a grain that is a list each item is looked for, one after the other; an entry that is null is none. */
function entryOf(table: ValueMap, grain: Value | undefined): Value {
  if (grain === undefined) return null;
  for (const text of (isList(grain) ? grain : [grain]).map(pyStr)) {
    const key = Object.keys(table).find((glob) => matchesGlob(glob, text));
    const entry = key === undefined ? null : own(table, key);
    if (entry !== null) return entry;
  }
  return null;
}

function own(table: ValueMap, key: string): Value {
  return Object.hasOwn(table, key) ? (table[key] ?? null) : null;
}

function overBase(found: Value, base: Value): Value {
  if (found === null) return base;
  if (!isMap(base)) return found;
  if (!isMap(found)) throw new InvocationError('filter_by default and look-up values must both be dictionaries.');
  return merged(base, found);
}

/** Maps in both are merged in turn; anything else of `over` counts, but for lists that are joined. */
function merged(into: ValueMap, over: ValueMap, joinsLists = false): ValueMap {
  const both = Object.entries(over).map(([key, value]): [string, Value] => {
    const there = own(into, key);
    if (isMap(there) && isMap(value)) return [key, merged(there, value, joinsLists)];
    return [key, joinsLists && isList(there) && isList(value) ? joined(there, value) : value];
  });
  return { ...into, ...Object.fromEntries(both) };
}

function joined(there: readonly Value[], further: readonly Value[]): readonly Value[] {
  const known = new Set(there.map(pyRepr));
  return [...there, ...further.filter((item) => !known.has(pyRepr(item)))];
}
