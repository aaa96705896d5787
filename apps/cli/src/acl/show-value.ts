/** Arguments as one would write them on a command line. */
import { isMap, KWARG_MARK, pyStr, type Value } from '@natrium/model';
import { printableJson, printableLines } from '@natrium/output';
import type { Io } from '../ports.js';

export function showArgument(value: Value): string {
  if (!isMap(value) || !Object.hasOwn(value, KWARG_MARK)) return pyStr(value);
  const named = Object.entries(value).filter(([name]) => name !== KWARG_MARK);
  return named.map(([name, item]) => `${name}=${pyStr(item)}`).join(' ');
}

const MAX_IDS = 12;

/** `web1, web2, … (40 ids)`. */
export function showIds(ids: readonly string[]): string {
  if (ids.length === 0) return 'nobody';
  if (ids.length <= MAX_IDS) return ids.join(', ');
  return `${ids.slice(0, MAX_IDS).join(', ')}, … (${ids.length} ids)`;
}

/** Lines to stdout, disarmed: ids, names and patterns may hold what a terminal would obey. */
export function print(texts: readonly string[], io: Pick<Io, 'out'>): void {
  for (const text of texts) for (const line of printableLines(text)) io.out(`${line}\n`);
}

export function printJson(value: unknown, io: Pick<Io, 'out'>): void {
  const json = JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? String(item) : item), 2);
  io.out(`${printableJson(json)}\n`);
}
