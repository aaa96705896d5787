/**
 * Remembers what requested targets mean, and which lists each caller has, for one policy and one revision of the inventory. It holds
 * no verdicts: function and arguments are looked at anew for each request.
 *
 * Whoever calls `decide` owns one for all requests; the oldest entries go first.
 */
import { keepLatest } from '@natrium/model';
import type { AccessList, Policy } from './policy.js';
import type { RequestedTarget } from './requested-target.js';

/** Ids and characters that it holds at most: 10,000 targets that each mean all of a large fleet would take a gigabyte. */
const MAX_HELD = 2_000_000;

export class TargetMemo {
  readonly #limit: number;
  readonly #maxHeld: number;
  readonly #targets = new Map<string, RequestedTarget>();
  readonly #lists = new Map<string, readonly AccessList[]>();
  #policy: Policy | undefined;
  #revision: number | string | undefined;
  /** Of the targets, as far as is known. */
  #held = 0;

  /**
   * @param limit Most targets, and most callers, that are remembered.
   * @param maxHeld Most ids that they mean and characters that they have, all together; beyond that all targets are forgotten.
   */
  constructor(limit: number, maxHeld = MAX_HELD) {
    this.#limit = limit;
    this.#maxHeld = maxHeld;
  }

  /** Forgets everything that another policy or another state of the inventory said. */
  open(policy: Policy, revision: number | string): void {
    if (this.#policy === policy && this.#revision === revision) return;
    this.#forgetTargets();
    this.#lists.clear();
    this.#policy = policy;
    this.#revision = revision;
  }

  target(key: string, resolveIt: () => RequestedTarget): RequestedTarget {
    if (!this.#targets.has(key)) this.hold(key.length);
    return remember(this.#targets, key, resolveIt, this.#limit);
  }

  /** What a target was just found to mean is held from now on. */
  hold(size: number): void {
    this.#held += size;
    if (this.#held > this.#maxHeld) this.#forgetTargets();
  }

  #forgetTargets(): void {
    this.#targets.clear();
    this.#held = 0;
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
