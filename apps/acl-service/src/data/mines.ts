/**
 * What minions keep for each other: each minion's mine as it sent it, followed from JetStream, sealed there.
 *
 * Only the minion itself changes its mine. Spec: spec/envelope.md#mine.
 */
import { changeEntry, type Entry, type Store } from '@natrium/bus';
import { decode, encode, fp, fromHex, toHex, type Wire } from '@natrium/envelope';
import { countValues, MAX_KEPT_BYTES, MAX_KEPT_VALUES, type Value } from '@natrium/model';
import { readAs, records, writeAs } from '@natrium/wire';
import { type Changeable, overSpoilt, SPOILT } from './over-spoilt.js';

export interface MineItem {
  readonly name: string;
  readonly value: Value;
  /** Who may read it, as a target; empty: every minion. */
  readonly allowTgt: string;
  readonly allowTgtType: string;
}

type Change = (before: readonly MineItem[]) => readonly MineItem[];

/** The size of an entry, and the revision of the store that holds it. */
interface Kept {
  readonly bytes: number;
  readonly at: number;
}

const MAX_ITEMS = 1000;

export class Mines {
  /** By hex of the key: names of what it keeps, and where. */
  readonly #kept = new Map<string, { readonly names: readonly string[] } & Kept>();

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
      mines.#take(identity, items, { bytes: entry.value.length, at: entry.revision });
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
   * @returns false when the mine would be larger than 1 MiB or hold more than 1000 items or 100,000 values; nothing is changed then.
   */
  async change(identity: Uint8Array, change: Change): Promise<boolean> {
    return this.#changeIn(this.store, identity, change);
  }

  /** The same, whatever it kept before, also where that does not open. */
  async replace(identity: Uint8Array, items: readonly MineItem[]): Promise<boolean> {
    return this.#changeIn(overSpoilt(this.store), identity, () => items);
  }

  async #changeIn(store: Changeable, identity: Uint8Array, change: Change): Promise<boolean> {
    const { heard, revision } = await changeEntry(store, fp(identity), (entry) => {
      const items = [...change(itemsIn(entry))];
      const value = encodeMine(identity, items);
      return { value, heard: { items, bytes: value?.length ?? 0 } };
    });
    if (revision === undefined) return false;
    this.#take(identity, heard.items, { bytes: heard.bytes, at: revision });
    return true;
  }

  /** How much a key keeps, as far as this replica has heard: each change of it reads and writes as much. */
  bytesOf(identity: Uint8Array): number {
    return this.#kept.get(toHex(identity))?.bytes ?? 0;
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
  #take(identity: Uint8Array, items: readonly MineItem[], { bytes, at }: Kept): void {
    const key = toHex(identity);
    if ((this.#kept.get(key)?.at ?? 0) >= at) return;
    this.#byPlace.set(fp(identity), key);
    this.#empty(key);
    this.#kept.set(key, { names: items.map(({ name }) => name), bytes, at });
    for (const item of items) {
      const holders = this.#holders.get(item.name);
      if (holders === undefined) this.#holders.set(item.name, new Map([[key, item]]));
      else holders.set(key, item);
    }
  }
}

function itemsIn(entry: Entry | undefined): readonly MineItem[] {
  return entry === undefined || entry.value === SPOILT ? [] : readAs(records.MineEntry, decode(entry.value)).items;
}

/** @returns undefined where it would hold more than a mine may. */
function encodeMine(identity: Uint8Array, items: MineItem[]): Uint8Array | undefined {
  const values = items.map(({ value }) => value);
  if (items.length > MAX_ITEMS || countValues(values, MAX_KEPT_VALUES) > MAX_KEPT_VALUES) return undefined;
  const value = encode(writeAs(records.MineEntry, { identity, items }) as Wire);
  return value.length > MAX_KEPT_BYTES ? undefined : value;
}
