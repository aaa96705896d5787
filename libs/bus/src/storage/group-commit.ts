import { type Easing, whenEased } from './when-eased.js';

/** What is written as one. */
interface Group<T> {
  readonly items: T[];
  readonly durable: Promise<void>;
}

export interface GroupOptions extends Omit<Easing, 'maxWindows'> {
  /** So many are written at once; 1,000 when it is left out. */
  readonly limit?: number;
  /** 1 when it is left out. */
  readonly maxWindows?: number;
}

/**
 * Writes many small things as few: what comes within `windowMs`, or while one write is under way, goes into the next one.
 * For what nobody waits for; each write costs the broker an fsync.
 */
export class GroupCommit<T> {
  /** Waits to be written, and grows meanwhile. */
  #open: Group<T> | undefined;
  /** Resolves when all groups that there are have been written. */
  #busy: Promise<void> | undefined;
  #added = 0;
  #ended = 0;
  /** When each group that has not ended was begun, as `performance.now()` has it: they end in their order. */
  readonly #begun: number[] = [];
  readonly #limit: number;
  readonly #easing: Easing;

  /** @param write Resolves when the group is durable. */
  constructor(
    private readonly write: (group: readonly T[]) => Promise<void>,
    { limit = 1000, ...easing }: GroupOptions,
  ) {
    this.#limit = limit;
    this.#easing = { maxWindows: 1, ...easing };
  }

  /** Items that are neither durable yet nor have failed. */
  get waiting(): number {
    return this.#added - this.#ended;
  }

  /** How long the oldest of them has waited, in ms; 0 where there is none. */
  get oldestMs(): number {
    const [first] = this.#begun;
    return first === undefined ? 0 : performance.now() - first;
  }

  /** Resolves when `item` is durable; it is one promise for all of a group. */
  add(item: T): Promise<void> {
    const open = this.#open;
    const group = open === undefined || open.items.length >= this.#limit ? this.#begin() : open;
    group.items.push(item);
    this.#added += 1;
    return group.durable;
  }

  #begin(): Group<T> {
    this.#begun.push(performance.now());
    const before = this.#busy ?? whenEased(() => this.#added, this.#easing);
    const written = before.then(() => {
      if (this.#open === group) this.#open = undefined;
      return this.write(group.items);
    });
    const group: Group<T> = { items: [], durable: written };
    const ended = () => {
      this.#ended += group.items.length;
      this.#begun.shift();
      if (this.#busy === busy) this.#busy = undefined;
    };
    const busy = written.then(ended, ended);
    this.#open = group;
    this.#busy = busy;
    return group;
  }
}
