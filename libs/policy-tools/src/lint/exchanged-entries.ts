/** Entries in which target and functions have changed places: `- test.ping: ['web*']`. */
import { type Entry, exchangedMend, type PermittedTarget } from '@natrium/acl';
import { resolve } from '@natrium/matchers';
import type { Fleet } from '../fleet.js';
import { isBelow, keyedLists, type PolicyView, valueAt } from '../policy-view.js';
import type { Finding } from './finding.js';
import { never } from './never.js';

/** Each such entry with what is said of it; undefined where a problem below says it. */
export function exchangedEntries(view: PolicyView, fleet: Fleet): ReadonlyMap<Entry, Finding | undefined> {
  const entries = keyedLists(view).flatMap(({ list }) => list.entries);
  return new Map(
    entries.flatMap((entry) => {
      const { target, spec, path } = entry;
      if (target === undefined || spec !== undefined) return [];
      const mend = exchangedMend(target.text, valueAt(view.config, target.path) ?? null);
      if (mend === undefined || isSomebody(target, fleet)) return [];
      const isTold = view.problems.some((problem) => isBelow(problem.path, path));
      return [[entry, isTold ? undefined : never(path, 'target and functions look exchanged', mend)] as const];
    }),
  );
}

/** There is a minion of that name. */
function isSomebody({ expr }: PermittedTarget, fleet: Fleet): boolean {
  return fleet.from === 'given' && expr !== undefined && resolve(expr, fleet, 'strict').minions.length > 0;
}
