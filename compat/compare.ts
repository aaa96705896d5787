/**
 * Compares an answer with what a case expects: only the fields that are named there, and of a refusal only that it is one.
 *
 * What is compared and what is not: compat/cases/README.md.
 */
import type { Plain } from '@natrium/model';
import { listOf, mapOf, type PlainMap } from './corpus.js';

/** How the original went about it, not what it answered. */
const NOT_COMPARED: ReadonlySet<string> = new Set(['polls', 'slept', 'requests_sent']);
const NOT_SENT: ReadonlySet<string> = new Set(['cmd', 'id', 'form']);
const UNORDERED: ReadonlySet<string> = new Set(['minions', 'missing', 'minion_side']);

/** The names of the fields that differ. */
export function differences(expected: PlainMap, got: PlainMap): readonly string[] {
  return Object.keys(expected).filter(
    (key) => !NOT_COMPARED.has(key) && isCompared(expected, key) && !fieldEquals(key, expected[key], got[key]),
  );
}

function isCompared(expected: PlainMap, key: string): boolean {
  if (key === 'error') return expected['error'] !== 'internal';
  // Only the module's callers see the name of an exception; elsewhere it is a remark.
  if (key === 'exception') return 'first_request' in expected;
  // The arguments and the target of what is sent count only where somebody gets it.
  if (key === 'published') return listOf(expected['minions']).length > 0;
  return true;
}

function fieldEquals(key: string, expected: Plain | undefined, got: Plain | undefined): boolean {
  if (key === 'first_request') return canonical(withoutUnsent(expected)) === canonical(withoutUnsent(got));
  if (key === 'invalid') return got !== undefined;
  if (key === 'reply') return got !== undefined && Object.keys(mapOf(got)).length === 0;
  if (UNORDERED.has(key)) return canonical(sorted(expected)) === canonical(sorted(got));
  return canonical(expected ?? null) === canonical(got ?? null);
}

function withoutUnsent(plain: Plain | undefined): Plain {
  if (plain === null || plain === undefined) return null;
  return Object.fromEntries(Object.entries(mapOf(plain)).filter(([key]) => !NOT_SENT.has(key)));
}

function sorted(plain: Plain | undefined): Plain {
  return [...new Set(listOf(plain).map(canonical))].sort();
}

/** Text of a value with the keys of its mappings in order. */
export function canonical(plain: Plain): string {
  if (plain === null || typeof plain !== 'object') return JSON.stringify(plain);
  if (Array.isArray(plain)) return `[${listOf(plain).map(canonical).join(',')}]`;
  const map = mapOf(plain);
  return `{${Object.keys(map)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(map[key] ?? null)}`)
    .join(',')}}`;
}
