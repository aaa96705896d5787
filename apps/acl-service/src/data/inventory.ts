/**
 * What minions say of themselves: signed grains documents, followed from JetStream. Nobody but the minion can change one,
 * and an older one never replaces a newer. Where a clock was ahead, what was made then gives way to what is made now.
 *
 * Spec: spec/envelope.md#data.
 */
import { changeEntry, type Clock, type Entry, type Store } from '@natrium/bus';
import {
  blake2b,
  type Cluster,
  decode,
  encode,
  equalBytes,
  fp,
  fromHex,
  readData,
  type Signed,
  toHex,
  type Wire,
} from '@natrium/envelope';
import type { MinionData } from '@natrium/matchers';
import {
  countValues,
  fromPlain,
  isMap,
  isReadable,
  MAX_KEPT_BYTES,
  MAX_KEPT_VALUES,
  type Plain,
  type ValueMap,
} from '@natrium/model';
import { readAs, records, writeAs } from '@natrium/wire';
import { overSpoilt, SPOILT } from './over-spoilt.js';
import type { MinionPillar, PillarSource } from './pillar-source.js';

interface Held {
  readonly number: number;
  /** A hash of the document and its signature: one that comes again, also from the store, is not verified again. */
  readonly digest: Uint8Array;
  readonly grains: ValueMap;
}

/** What is being written. Nothing is decided by it yet, but what comes next has to be newer. */
interface Coming {
  readonly document: Held;
  isForgotten: boolean;
}

type Pillars = Pick<PillarSource, 'of' | 'revision' | 'inDoubt'>;

export class Inventory {
  readonly #byKey = new Map<string, Held>();
  /** By place in the store. */
  readonly #coming = new Map<string, Set<Coming>>();
  /** Hex of the identity key by its place in the store, also where what is there is not taken. */
  readonly #byPlace = new Map<string, string>();
  #revision = 0;

  private constructor(
    private readonly store: Store,
    private readonly cluster: Cluster,
    private readonly pillars: Pillars,
    private readonly clock: Pick<Clock, 'now' | 'skewMs'>,
  ) {}

  static async open(
    store: Store,
    cluster: Cluster,
    pillars: Pillars,
    clock: Pick<Clock, 'now' | 'skewMs'>,
  ): Promise<Inventory> {
    const inventory = new Inventory(store, cluster, pillars, clock);
    await store.follow(({ key, value }) => {
      if (value === undefined) {
        inventory.#drop(key);
        return;
      }
      const { identity, data } = readAs(records.DataEntry, decode(value));
      if (fp(identity) === key) inventory.#byPlace.set(key, toHex(identity));
      inventory.#take(identity, data);
    });
    return inventory;
  }

  /** Rises with every change of anybody's grains or pillar. */
  get revision(): number {
    return this.#revision + this.pillars.revision;
  }

  /** undefined: this identity has never sent data. */
  grainsOf(identity: Uint8Array): ValueMap | undefined {
    return this.#byKey.get(toHex(identity))?.grains;
  }

  /** What targets are matched against; pillar is made only for a target that asks. undefined: it has never sent data. */
  dataOf(identity: Uint8Array, id: string): MinionData | undefined {
    const { pillars } = this;
    const grains = this.grainsOf(identity);
    if (grains === undefined) return undefined;
    return {
      grains,
      get pillarInDoubt() {
        return pillars.inDoubt || pillars.of(id, grains).isLeftOut === true;
      },
      get pillar() {
        return pillars.of(id, grains).pillar;
      },
    };
  }

  /** What the minion itself hears; undefined: it has never sent data. */
  pillarOf(identity: Uint8Array, id: string): MinionPillar | undefined {
    const grains = this.grainsOf(identity);
    return grains === undefined ? undefined : this.pillars.of(id, grains);
  }

  /**
   * Decisions are made by what is stored, so that every replica's are the same.
   *
   * @returns false when the document is not the minion's own newest, or holds more than one may.
   */
  async write(identity: Uint8Array, data: Signed): Promise<boolean> {
    const place = fp(identity);
    const document = this.#ownOf(identity, data);
    if (document === undefined) return false;
    const value = encode(writeAs(records.DataEntry, { identity, data }) as Wire);
    const own = { document, isForgotten: false };
    try {
      // What is there may be newer than what was heard of it.
      const { heard: isNewest } = await changeEntry(overSpoilt(this.store), place, (entry) => {
        const stored = this.#storedIn(entry, identity);
        if (stored !== undefined && isSame(document, stored)) return { value: undefined, heard: true };
        const coming = [...(this.#coming.get(place) ?? [])].map((one) => one.document);
        const isNext = this.#isNext(document, [stored, this.#byKey.get(toHex(identity)), ...coming]);
        if (isNext) this.#comes(place, own);
        return { value: isNext ? value : undefined, heard: isNext };
      });
      if (isNewest && !own.isForgotten) this.#hold(identity, document);
      return isNewest;
    } finally {
      this.#came(place, own);
    }
  }

  #comes(place: string, coming: Coming): void {
    coming.isForgotten = false; // what was forgotten between two tries is stored anew
    this.#coming.set(place, (this.#coming.get(place) ?? new Set()).add(coming));
  }

  #came(place: string, coming: Coming): void {
    const others = this.#coming.get(place);
    others?.delete(coming);
    if (others?.size === 0) this.#coming.delete(place);
  }

  /** Every key of which something is stored. */
  get keys(): readonly Uint8Array[] {
    return [...this.#byPlace.values()].map(fromHex);
  }

  /** Of a key that will never send anything again. */
  async forget(identity: Uint8Array): Promise<void> {
    await this.store.delete(fp(identity));
    this.#drop(fp(identity));
  }

  #drop(place: string): void {
    const key = this.#byPlace.get(place);
    if (key !== undefined) this.#byKey.delete(key);
    this.#byPlace.delete(place);
    for (const coming of this.#coming.get(place) ?? []) coming.isForgotten = true;
    this.#coming.delete(place);
  }

  #take(identity: Uint8Array, data: Signed): void {
    const document = this.#ownOf(identity, data);
    if (document !== undefined) this.#hold(identity, document);
  }

  /** @returns undefined for nothing, and for what does not open or is not the minion's own: it is written over. */
  #storedIn(entry: Entry | undefined, identity: Uint8Array): Held | undefined {
    if (entry === undefined || entry.value === SPOILT) return undefined;
    try {
      return this.#ownOf(identity, readAs(records.DataEntry, decode(entry.value)).data);
    } catch {
      return undefined; // whoever holds the storage key writes what he likes
    }
  }

  /** @returns undefined when it is not the minion's own, or more than one may have kept. */
  #ownOf(identity: Uint8Array, data: Signed): Held | undefined {
    const digest = blake2b(32, null, data.signature, data.bytes);
    const coming = [...(this.#coming.get(fp(identity)) ?? [])].map((one) => one.document);
    const same = [this.#byKey.get(toHex(identity)), ...coming].find(
      (one) => one !== undefined && equalBytes(digest, one.digest),
    );
    if (same !== undefined) return same;
    if (data.bytes.length > MAX_KEPT_BYTES) return undefined;
    const read = readData(data, this.cluster, identity, 0);
    const grains = read.ok ? grainsIn(read.value.grains) : undefined;
    return read.ok && grains !== undefined ? { number: read.value.number, digest, grains } : undefined;
  }

  /** Whether it is newer than all of them, or one of them that comes again. */
  #isNext(document: Held, others: readonly (Held | undefined)[]): boolean {
    return others.every((one) => one === undefined || isSame(document, one) || this.#isNewer(document, one));
  }

  /** Numbers are times. One that is not yet come says that a clock was wrong, and counts less than any that has. */
  #isNewer(one: Held, other: Held): boolean {
    const latest = this.clock.now() + this.clock.skewMs;
    const [isTime, wasTime] = [one.number <= latest, other.number <= latest];
    return isTime === wasTime ? one.number > other.number : isTime;
  }

  /** What another replica has stored after it is newer. */
  #hold(identity: Uint8Array, next: Held): void {
    const key = toHex(identity);
    const held = this.#byKey.get(key);
    if (held !== undefined && !this.#isNewer(next, held)) return;
    if (held === undefined) this.#byPlace.set(fp(identity), key);
    this.#byKey.set(key, next);
    this.#revision += 1;
  }
}

function isSame(one: Held, other: Held): boolean {
  return equalBytes(one.digest, other.digest);
}

/** @returns undefined for what is no mapping of values, or nested too deeply to be read, or too many. */
function grainsIn(wire: Wire): ValueMap | undefined {
  try {
    const grains = fromPlain(wire as Plain);
    const isSmall = countValues([grains], MAX_KEPT_VALUES) <= MAX_KEPT_VALUES;
    return isMap(grains) && isSmall && isReadable(grains) ? grains : undefined;
  } catch {
    return undefined; // a minion signs what it likes
  }
}
