/**
 * Counts of logins in JetStream, which all replicas change by compare-and-swap, and which a restart does not forget.
 *
 * Who is counted stands there as a keyed hash. Its first two characters choose one of 1,024 groups, so that the store does not
 * grow with the names that somebody invents; what is over leaves a group with the next change, and the group with the sweep.
 *
 * Spec: spec/wire.md#login-tally.
 */
import type { Entry, Store } from '@natrium/bus';
import { decode, encode, keyedName, type StorageKey, type Wire } from '@natrium/envelope';
import { readAs, records, writeAs } from '@natrium/wire';

export type Tally = Omit<records.LoginTally, 'who'>;
/** @returns What the caller hears, and the tally from now on: the same one writes nothing, none takes it away. */
export type Change<T> = (tally: Tally | undefined) => readonly [T, Tally | undefined];

const PREFIX = 'f.';
const IN_KEY = 2;
const MAX_IN_GROUP = 4096;
/** Each time somebody else was faster, who is done then: all that are looked at at once are fewer. */
const RACES = 512;

export class Tallies {
  constructor(
    private readonly store: Store,
    private readonly nameKey: StorageKey,
    private readonly now: () => number,
  ) {}

  /** @throws {Error} When it could not be read or written; then it may count or not. */
  async change<T>(name: string, decide: Change<T>): Promise<T> {
    const hash = keyedName(this.nameKey, `login/${name}`);
    const [key, who] = [PREFIX + hash.slice(0, IN_KEY), hash.slice(IN_KEY)];
    for (let race = 0; race < RACES; race += 1) {
      const entry = await this.store.get(key);
      const tallies = this.#lasting(entry);
      const found = tallies.find((one) => one.who === who);
      const [heard, next] = decide(found);
      if (next === found) return heard;
      const others = tallies.filter((one) => one !== found);
      if (await this.#write(key, next === undefined ? others : [...others, { ...next, who }], entry)) return heard;
    }
    throw new Error(`${this.store.name}/${key} was changed by others each time`);
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

  async #write(key: string, tallies: readonly records.LoginTally[], entry: Entry | undefined): Promise<boolean> {
    if (tallies.length > MAX_IN_GROUP) throw new Error(`${this.store.name}/${key} is full`);
    const value = encode(writeAs(records.TallyGroup, [...tallies]) as Wire);
    const written =
      entry === undefined ? await this.store.create(key, value) : await this.store.update(key, value, entry.revision);
    return written !== undefined;
  }
}
