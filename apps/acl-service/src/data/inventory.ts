/**
 * What minions say of themselves: signed grains documents, followed from JetStream. Nobody but the minion can change one,
 * and an older one never replaces a newer.
 *
 * Spec: spec/envelope.md#data.
 */
import type { Store } from '@natrium/bus';
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
import { isReadable } from '@natrium/flow';
import type { MinionData } from '@natrium/matchers';
import { fromPlain, isMap, type Plain, type ValueMap } from '@natrium/model';
import { readAs, records, writeAs } from '@natrium/wire';
import type { MinionPillar, PillarSource } from './pillar-source.js';

interface Held {
  readonly number: number;
  /** A hash of the document and its signature: one that comes again, also from the store, is not verified again. */
  readonly digest: Uint8Array;
  readonly grains: ValueMap;
}

type Pillars = Pick<PillarSource, 'of' | 'revision' | 'inDoubt'>;

export class Inventory {
  readonly #byKey = new Map<string, Held>();
  /** By place in the store: what is being written there. Nothing is decided by it yet, but what comes next has to be newer. */
  readonly #coming = new Map<string, Held>();
  /** Hex of the identity key by its place in the store. */
  readonly #byPlace = new Map<string, string>();
  #revision = 0;

  private constructor(
    private readonly store: Store,
    private readonly cluster: Cluster,
    private readonly pillars: Pillars,
  ) {}

  static async open(store: Store, cluster: Cluster, pillars: Pillars): Promise<Inventory> {
    const inventory = new Inventory(store, cluster, pillars);
    await store.follow(({ key, value }) => {
      if (value === undefined) {
        inventory.#drop(key);
        return;
      }
      const { identity, data } = readAs(records.DataEntry, decode(value));
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
   * @returns false when the document is not the minion's own newest.
   */
  async write(identity: Uint8Array, data: Signed): Promise<boolean> {
    const place = fp(identity);
    const [held, coming] = [this.#byKey.get(toHex(identity)), this.#coming.get(place)];
    const newest = (coming?.number ?? -1) > (held?.number ?? -1) ? coming : held;
    const next = this.#read(identity, data, newest);
    if (next === undefined) return false;
    this.#coming.set(place, next);
    try {
      await this.store.put(place, encode(writeAs(records.DataEntry, { identity, data }) as Wire));
      // Not when it was forgotten meanwhile.
      if (this.#coming.has(place)) this.#hold(identity, next);
    } finally {
      if (this.#coming.get(place) === next) this.#coming.delete(place);
    }
    return true;
  }

  /** Every key of which something is stored. */
  get keys(): readonly Uint8Array[] {
    return [...this.#byKey.keys()].map(fromHex);
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
    this.#coming.delete(place);
  }

  #take(identity: Uint8Array, data: Signed): void {
    const next = this.#read(identity, data, this.#byKey.get(toHex(identity)));
    if (next !== undefined) this.#hold(identity, next);
  }

  /** @returns undefined when it is not the minion's own, or no newer than `before`. */
  #read(identity: Uint8Array, data: Signed, before: Held | undefined): Held | undefined {
    const digest = blake2b(32, null, data.signature, data.bytes);
    const known = [before, this.#coming.get(fp(identity))].find(
      (one) => one !== undefined && equalBytes(digest, one.digest),
    );
    if (known !== undefined) return known;
    const read = readData(data, this.cluster, identity, before?.number ?? 0);
    if (!read.ok || read.value.number === before?.number) return undefined;
    const grains = grainsIn(read.value.grains);
    return grains === undefined ? undefined : { number: read.value.number, digest, grains };
  }

  /** What another replica has stored after it is newer. */
  #hold(identity: Uint8Array, next: Held): void {
    const key = toHex(identity);
    const held = this.#byKey.get(key);
    if (held !== undefined && held.number >= next.number) return;
    if (held === undefined) this.#byPlace.set(fp(identity), key);
    this.#byKey.set(key, next);
    this.#revision += 1;
  }
}

/** @returns undefined for what is no mapping of values, or nested too deeply to be read. */
function grainsIn(wire: Wire): ValueMap | undefined {
  try {
    const grains = fromPlain(wire as Plain);
    return isMap(grains) && isReadable(grains) ? grains : undefined;
  } catch {
    return undefined; // a minion signs what it likes
  }
}
