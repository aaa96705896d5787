/**
 * Counts of logins in JetStream, which all replicas change by compare-and-swap, and which a restart does not forget.
 *
 * Who is counted stands there as a keyed hash. Its first two characters choose one of 1,024 groups, so that the store does not
 * grow with the names that somebody invents; what is over leaves a group with the next change, and the group with the sweep.
 *
 * Spec: spec/wire.md#login-tally.
 */
import { changeEntry, type Entry, type Store } from '@natrium/bus';
import { decode, encode, keyedName, type StorageKey, type Wire } from '@natrium/envelope';
import { readAs, records, writeAs } from '@natrium/wire';

export type Tally = Omit<records.LoginTally, 'who'>;
/** @returns What the caller hears, and the tally from now on: the same one writes nothing, none takes it away. */
export type Change<T> = (tally: Tally | undefined) => readonly [T, Tally | undefined];

interface Waiting {
  readonly who: string;
  readonly decide: Change<unknown>;
  readonly resolve: (heard: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

const PREFIX = 'f.';
const IN_KEY = 2;
const MAX_IN_GROUP = 4096;

export class Tallies {
  /** What waits for its group, while that is being changed: all of it goes with the next change. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(
    private readonly store: Store,
    private readonly nameKey: StorageKey,
    private readonly now: () => number,
  ) {}

  /**
   * @param decide Asked again each time that another replica was faster.
   * @throws {Error} When it could not be read or written; then it may count or not.
   */
  change<T>(name: string, decide: Change<T>): Promise<T> {
    const hash = keyedName(this.nameKey, `login/${name}`);
    const [key, who] = [PREFIX + hash.slice(0, IN_KEY), hash.slice(IN_KEY)];
    return new Promise((resolve, reject) => {
      const one = { who, decide, resolve: resolve as Waiting['resolve'], reject };
      const others = this.#waiting.get(key);
      if (others !== undefined) others.push(one);
      else {
        this.#waiting.set(key, [one]);
        void this.#changeAll(key);
      }
    });
  }

  async #changeAll(key: string): Promise<void> {
    for (let waiting = this.#next(key); waiting.length > 0; waiting = this.#next(key)) {
      try {
        const heard = await this.#apply(key, waiting);
        for (const [at, { resolve }] of waiting.entries()) resolve(heard[at]);
      } catch (cause) {
        for (const { reject } of waiting) reject(cause);
      }
    }
    this.#waiting.delete(key);
  }

  #next(key: string): readonly Waiting[] {
    return this.#waiting.get(key)?.splice(0) ?? [];
  }

  async #apply(key: string, waiting: readonly Waiting[]): Promise<readonly unknown[]> {
    const { heard } = await changeEntry(this.store, key, (entry) => {
      const tallies = new Map<string, Tally>(this.#lasting(entry).map(({ who, ...tally }) => [who, tally]));
      const decided = waiting.map((one) => decideIn(tallies, one));
      const isSame = decided.every(({ changed }) => !changed);
      return { value: isSame ? undefined : this.#encoded(key, tallies), heard: decided.map((one) => one.heard) };
    });
    return heard;
  }

  /** Removes the groups in which everything is over, unless somebody is just counted there. */
  async sweep(): Promise<void> {
    const entries = await this.store.list(`${PREFIX}*`);
    const over = entries.filter((entry) => this.#lasting(entry).length === 0);
    await Promise.all(over.map(({ key, revision }) => this.store.delete(key, revision)));
  }

  #lasting(entry: Entry | undefined): readonly records.LoginTally[] {
    if (entry === undefined) return [];
    const now = this.now();
    return readAs(records.TallyGroup, decode(entry.value)).filter(({ until }) => until > now);
  }

  #encoded(key: string, tallies: ReadonlyMap<string, Tally>): Uint8Array {
    if (tallies.size > MAX_IN_GROUP) throw new Error(`${this.store.name}/${key} is full`);
    const group = [...tallies].map(([who, tally]) => ({ who, ...tally }));
    return encode(writeAs(records.TallyGroup, group) as Wire);
  }
}

function decideIn(tallies: Map<string, Tally>, { who, decide }: Pick<Waiting, 'who' | 'decide'>) {
  const known = tallies.get(who);
  const [heard, next] = decide(known);
  if (next === undefined) tallies.delete(who);
  else tallies.set(who, next);
  return { heard, changed: next !== known };
}
