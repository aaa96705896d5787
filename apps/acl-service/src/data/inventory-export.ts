/**
 * `inventory.read`: the accepted ids with their grains, page by page, for whoever lints and compares policies. Pillar stays
 * here: it holds secrets.
 *
 * An id that is missing from `cache` has never reported data, as in the corpus's inventories.
 */
import { isMap, ok, refuse, toPlain, type Value, type ValueMap } from '@natrium/model';
import type { AdminHandler } from '../admin-handler.js';
import type { Inventory } from './inventory.js';
import type { Roster } from '../roster/roster.js';

const MAX_IDS = 500;
/** Well under the smallest `max_payload` with room for the envelope. */
const MAX_CHARS = 40_000;

export type Members = Pick<Roster, 'acceptedMinions' | 'keyOfMinion'>;
export type Grains = Pick<Inventory, 'grainsOf'>;

export function inventoryHandler(roster: Members, inventory: Grains): AdminHandler {
  return async (fun, [asked]) => {
    const after = isMap(asked) ? asked['after'] : undefined;
    if (fun !== 'inventory.read' || (after !== undefined && typeof after !== 'string')) {
      return refuse('bad_request', 'inventory.read takes {after: id}');
    }
    return ok(pageAfter(after ?? '', roster, inventory));
  };
}

/** Ids in order; `next` is the last one of the page, or null at the end. One id with its grains always fits in a page. */
function pageAfter(after: string, roster: Members, inventory: Grains): ValueMap {
  const left = [...roster.acceptedMinions()].filter((id) => id > after).sort();
  const accepted: string[] = [];
  const cache: Record<string, Value> = {};
  let size = 0;
  for (const id of left.slice(0, MAX_IDS)) {
    const key = roster.keyOfMinion(id);
    const grains = key === undefined ? undefined : inventory.grainsOf(key);
    size += id.length + (grains === undefined ? 0 : JSON.stringify(toPlain(grains)).length);
    if (size > MAX_CHARS && accepted.length > 0) break;
    accepted.push(id);
    if (grains !== undefined) cache[id] = { grains };
  }
  return { accepted, cache, next: accepted.length < left.length ? (accepted.at(-1) ?? null) : null };
}
