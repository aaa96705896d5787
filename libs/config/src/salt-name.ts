/**
 * The name that Salt makes of a minion's by keys that have no use here. Rules of the master, and keys that it has accepted, may know
 * the minion by that one.
 */
import type { Path } from '@natrium/args';
import { isTrue, type Value } from '@natrium/model';
import type { FilePlace } from './sourced.js';

interface Names {
  /** What it is called here. */
  readonly id: string;
  /** By the file or by `minion_id`: Salt changes it by `append_domain` alone. */
  readonly chosen: string | undefined;
  /** Where nobody has chosen: the host's, or what was kept of it. */
  readonly host: string;
}

/** @returns A sentence where the names differ. */
export function otherNameInSalt(
  { id, chosen, host }: Names,
  given: Readonly<Record<string, Value>>,
  locate: (path: Path) => FilePlace,
): readonly string[] {
  if (chosen === undefined && isTrue(given['id_function'] ?? null))
    return [sentence(locate, ['id_function'], 'what that function says', id)];
  const steps = [...(chosen === undefined ? [lowercase, withoutDomain] : []), withDomain];
  let name = chosen ?? host;
  const keys: string[] = [];
  for (const { key, apply } of steps) {
    const next = apply(name, given[key] ?? null);
    if (next !== name) keys.push(key);
    name = next;
  }
  return keys.length === 0 || name === id ? [] : [sentence(locate, keys, name, id)];
}

interface Step {
  readonly key: string;
  readonly apply: (name: string, value: Value) => string;
}

const lowercase: Step = {
  key: 'minion_id_lowercase',
  apply: (name, value) => (isTrue(value) ? name.toLowerCase() : name),
};

const withoutDomain: Step = {
  key: 'minion_id_remove_domain',
  apply: (name, value) => {
    if (value === true) return name.replace(/\..*/s, '');
    if (typeof value !== 'string' || value === '' || !name.toLowerCase().endsWith(`.${value.toLowerCase()}`))
      return name;
    return name.slice(0, -value.length - 1);
  },
};

const withDomain: Step = {
  key: 'append_domain',
  apply: (name, value) => {
    if (typeof value !== 'string' || value === '' || name.endsWith(value) || name.endsWith('.')) return name;
    return `${name}.${value}`;
  },
};

function sentence(locate: (path: Path) => FilePlace, keys: readonly string[], name: string, id: string): string {
  const { file, line } = locate(keys.slice(0, 1));
  return `${file}:${String(line)}: by ${keys.join(' and ')} Salt calls this minion ${name}, and here it is ${id}: set id to the name that it shall have`;
}
