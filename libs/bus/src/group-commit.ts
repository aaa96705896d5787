import { setTimeout as pause } from 'node:timers/promises';

/** What is written as one. */
interface Group<T> {
  readonly items: T[];
  readonly durable: Promise<void>;
}

/** So many within one window are a flood: to write and to acknowledge the first of them would keep the last from being heard. */
const FLOOD = 256;

export interface GroupOptions {
  /** Milliseconds for which what comes is gathered. */
  readonly windowMs: number;
  /** So many are written at once; 1,000 when it is left out. */
  readonly limit?: number;
  /** For so many windows a flood is waited for to ease; 1 when it is left out. */
  readonly maxWindows?: number;
  /** By the clock, when it is left out. */
  readonly wait?: (ms: number) => Promise<unknown>;
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
  readonly #options: Required<GroupOptions>;

  /** @param write Resolves when the group is durable. */
  constructor(
    private readonly write: (group: readonly T[]) => Promise<void>,
    options: GroupOptions,
  ) {
    this.#options = { limit: 1000, maxWindows: 1, wait: pause, ...options };
  }

  /** Resolves when `item` is durable; it is one promise for all of a group. */
  add(item: T): Promise<void> {
    const open = this.#open;
    const group = open === undefined || open.items.length >= this.#options.limit ? this.#begin() : open;
    group.items.push(item);
    this.#added += 1;
    return group.durable;
  }

  #begin(): Group<T> {
    const before = this.#busy ?? this.#gathered();
    const written = before.then(() => {
      if (this.#open === group) this.#open = undefined;
      return this.write(group.items);
    });
    const group: Group<T> = { items: [], durable: written };
    const ended = () => {
      if (this.#busy === busy) this.#busy = undefined;
    };
    const busy = written.then(ended, ended);
    this.#open = group;
    this.#busy = busy;
    return group;
  }

  async #gathered(): Promise<void> {
    const { windowMs, maxWindows, wait } = this.#options;
    for (let windows = 0; windows < maxWindows; windows += 1) {
      const before = this.#added;
      await wait(windowMs);
      if (this.#added - before < FLOOD) return;
    }
  }
}
