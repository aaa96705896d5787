/** Sorts minions by how their version compares with the master's, under Salt's headings. */
import type { ValueMap } from '@natrium/model';

const UP_TO_DATE = 'Up to date';
const OLDER = 'Minion requires update';
const NEWER = 'Minion newer than master';

/** @param accepted Who should have told; those that have not are offline, and false stands for their version. */
export function groupVersions(
  master: string,
  told: ReadonlyMap<string, string>,
  accepted: readonly string[],
): ValueMap {
  const ids = [...told.keys()].sort();
  const group = (title: string): ValueMap => {
    const members = ids
      .filter((id) => heading(told.get(id) ?? '', master) === title)
      .map((id) => [id, told.get(id) ?? ''] as const);
    return members.length === 0 ? {} : { [title]: Object.fromEntries(members) };
  };
  const offline = accepted.filter((id) => !told.has(id)).sort();
  const missing: ValueMap =
    offline.length === 0 ? {} : { 'Minion offline': Object.fromEntries(offline.map((id) => [id, false])) };
  return { Master: master, ...group(UP_TO_DATE), ...group(OLDER), ...group(NEWER), ...missing };
}

function heading(version: string, master: string): string {
  const order = compare(numbersOf(version), numbersOf(master));
  if (order === 0) return UP_TO_DATE;
  return order < 0 ? OLDER : NEWER;
}

function numbersOf(version: string): readonly number[] {
  return (/\d+(?:\.\d+)*/.exec(version)?.[0] ?? '0').split('.').map(Number);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const places = Array.from({ length: Math.max(a.length, b.length) }, (_, at) => (a[at] ?? 0) - (b[at] ?? 0));
  return places.find((difference) => difference !== 0) ?? 0;
}
