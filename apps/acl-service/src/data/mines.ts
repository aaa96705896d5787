/**
 * What minions keep for each other: each minion's mine as it sent it, followed from JetStream, sealed there.
 *
 * Only the minion itself changes its mine. Spec: spec/envelope.md#mine.
 */
import { changeEntry, type Entry, type Store, StoredCorrupt } from '@natrium/bus';
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

type Changeable = Parameters<typeof changeEntry>[0];
type Change = (before: readonly MineItem[]) => readonly MineItem[];

/** One minion's mine, in bytes of its encoding. */
const MAX_BYTES = 1 << 20;
const MAX_ITEMS = 1000;
const NOTHING = new Uint8Array();

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
    return this.#changeIn(this.store, identity, change);
  }

  /**
   * The same, whatever it kept before, also where that does not open: its storage key may be gone for ever, and then its minion could
   * never keep anything again.
   */
  async replace(identity: Uint8Array, items: readonly MineItem[]): Promise<boolean> {
    const { store } = this;
    const get = (key: string) => store.get(key).catch((cause: unknown) => spoiltIn(key, cause));
    const anew: Changeable = {
      name: store.name,
      get,
      create: (...entry) => store.create(...entry),
      update: (...entry) => store.update(...entry),
    };
    return this.#changeIn(anew, identity, () => items);
  }

  async #changeIn(store: Changeable, identity: Uint8Array, change: Change): Promise<boolean> {
    const { heard: items, revision } = await changeEntry(store, fp(identity), (entry) => {
      const changed = [...change(itemsIn(entry))];
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
    await this.change(to, (before) => (before.length > 0 ? before : itemsIn(entry)));
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

function itemsIn(entry: Entry | undefined): readonly MineItem[] {
  return entry === undefined || entry.value === NOTHING ? [] : readAs(records.MineEntry, decode(entry.value)).items;
}

/** @throws What is no sign of a value that does not open. */
function spoiltIn(key: string, cause: unknown): Entry {
  if (!(cause instanceof StoredCorrupt) || cause.revision === undefined) throw cause;
  return { key, value: NOTHING, revision: cause.revision };
}

/** @returns undefined where it would be larger than a mine may be. */
function encodeMine(identity: Uint8Array, items: MineItem[]): Uint8Array | undefined {
  if (items.length > MAX_ITEMS) return undefined;
  const value = encode(writeAs(records.MineEntry, { identity, items }) as Wire);
  return value.length > MAX_BYTES ? undefined : value;
}
