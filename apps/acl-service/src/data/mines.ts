/**
 * What minions keep for each other: each minion's mine as it sent it, followed from JetStream, sealed there.
 *
 * Only the minion itself changes its mine. Spec: spec/envelope.md#mine.
 */
import { changeEntry, type Store } from '@natrium/bus';
import { decode, encode, fp, fromHex, toHex, type Wire } from '@natrium/envelope';
import type { Value } from '@natrium/model';
import { readAs, records, writeAs } from '@natrium/wire';

export interface MineItem {
  readonly name: string;
  readonly value: Value;
  /** Who may read it, as a target; empty: every minion. */
  readonly allowTgt: string;
  readonly allowTgtType: string;
}

type Change = (before: readonly MineItem[]) => readonly MineItem[];

/** One minion's mine, in bytes of its encoding. */
const MAX_BYTES = 1 << 20;
const MAX_ITEMS = 1000;

export class Mines {
  /** By hex of the key: names of what it keeps, and the revision of the store that holds it. */
  readonly #kept = new Map<string, { readonly names: readonly string[]; readonly at: number }>();

  /** By name, then by hex of the key: many ask for one name, and are not to walk those that do not keep it. */
  readonly #holders = new Map<string, Map<string, MineItem>>();

  /** Hex of the identity key by its place in the store. */
  readonly #byPlace = new Map<string, string>();

  private constructor(private readonly store: Store) {}

  static async open(store: Store): Promise<Mines> {
    const mines = new Mines(store);
    await store.follow(({ key, ...entry }) => {
      if (entry.value === undefined || !('revision' in entry)) {
        mines.#drop(key);
        return;
      }
      const { identity, items } = readAs(records.MineEntry, decode(entry.value));
      mines.#take(identity, items, entry.revision);
    });
    return mines;
  }

  /**
   * What the asked keys keep under a name. It walks those that are asked or those that keep something there, whichever are fewer.
   *
   * @param asked Ids by hex of the key.
   */
  *kept(name: string, asked: ReadonlyMap<string, string>): Iterable<readonly [id: string, item: MineItem]> {
    const holders = this.#holders.get(name);
    if (holders === undefined) return;
    for (const key of (holders.size < asked.size ? holders : asked).keys()) {
      const [id, item] = [asked.get(key), holders.get(key)];
      if (id !== undefined && item !== undefined) yield [id, item];
    }
  }

  /**
   * Two replicas may change one mine at once: the later reads again what the other wrote.
   *
   * @returns false when the mine would be larger than 1 MiB or hold more than 1000 items; nothing is changed then.
   */
  async change(identity: Uint8Array, change: Change): Promise<boolean> {
    const { heard: items, revision } = await changeEntry(this.store, fp(identity), (entry) => {
      const before = entry === undefined ? [] : readAs(records.MineEntry, decode(entry.value)).items;
      const changed = [...change(before)];
      return { value: encodeMine(identity, changed), heard: changed };
    });
    if (revision === undefined) return false;
    this.#take(identity, items, revision);
    return true;
  }

  /** Gives what one key has kept to another, unless that keeps something already. */
  async pass(from: Uint8Array, to: Uint8Array): Promise<void> {
    const entry = await this.store.get(fp(from));
    if (entry === undefined) return;
    const { items } = readAs(records.MineEntry, decode(entry.value));
    await this.change(to, (before) => (before.length > 0 ? before : items));
  }

  /** Every key that keeps something. */
  get keys(): readonly Uint8Array[] {
    return [...this.#kept.keys()].map(fromHex);
  }

  /** Deletes what a key has kept, which will never keep anything again. */
  async forget(identity: Uint8Array): Promise<void> {
    await this.store.delete(fp(identity));
    this.#drop(fp(identity));
  }

  #drop(place: string): void {
    const key = this.#byPlace.get(place);
    if (key !== undefined) this.#empty(key);
    this.#byPlace.delete(place);
  }

  #empty(key: string): void {
    for (const name of this.#kept.get(key)?.names ?? []) {
      const holders = this.#holders.get(name);
      holders?.delete(key);
      if (holders?.size === 0) this.#holders.delete(name);
    }
    this.#kept.delete(key);
  }

  /** What another replica has stored after it may have come before. */
  #take(identity: Uint8Array, items: readonly MineItem[], at: number): void {
    const key = toHex(identity);
    if ((this.#kept.get(key)?.at ?? 0) >= at) return;
    this.#byPlace.set(fp(identity), key);
    this.#empty(key);
    this.#kept.set(key, { names: items.map(({ name }) => name), at });
    for (const item of items) {
      const holders = this.#holders.get(item.name);
      if (holders === undefined) this.#holders.set(item.name, new Map([[key, item]]));
      else holders.set(key, item);
    }
  }
}

/** @returns undefined where it would be larger than a mine may be. */
function encodeMine(identity: Uint8Array, items: MineItem[]): Uint8Array | undefined {
  if (items.length > MAX_ITEMS) return undefined;
  const value = encode(writeAs(records.MineEntry, { identity, items }) as Wire);
  return value.length > MAX_BYTES ? undefined : value;
}
