/**
 * Remembers what requested targets mean, for one policy and one revision of the inventory. It holds targets, never verdicts: function
 * and arguments are looked at anew each time.
 *
 * The caller of `decide` owns it, one for each of its own callers or one for all; the oldest entry goes first.
 */
import { keepLatest } from '@natrium/model';
import type { AccessList, Policy } from './policy.js';
import type { RequestedTarget } from './requested-target.js';

export class TargetMemo {
  readonly #limit: number;
  readonly #targets = new Map<string, RequestedTarget>();
  readonly #lists = new Map<string, readonly AccessList[]>();
  #policy: Policy | undefined;
  #revision: number | string | undefined;

  /** @param limit Most targets, and most callers, that are remembered. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Forgets everything that another policy or another state of the inventory said. */
  open(policy: Policy, revision: number | string): void {
    if (this.#policy === policy && this.#revision === revision) return;
    this.#targets.clear();
    this.#lists.clear();
    this.#policy = policy;
    this.#revision = revision;
  }

  target(key: string, resolveIt: () => RequestedTarget): RequestedTarget {
    return remember(this.#targets, key, resolveIt, this.#limit);
  }

  lists(caller: string, find: () => readonly AccessList[]): readonly AccessList[] {
    return remember(this.#lists, caller, find, this.#limit);
  }
}

function remember<T>(map: Map<string, T>, key: string, make: () => T, limit: number): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  keepLatest(map, limit);
  return made;
}
