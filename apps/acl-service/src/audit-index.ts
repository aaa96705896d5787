/**
 * Where the audit's records are in the stream, and where each chain ends: followed from JetStream, so that every replica can
 * hand out all chains. It believes nothing: who verifies reads the records themselves.
 *
 * Spec: spec/envelope.md#audit, docs/audit.md.
 */
import { type Entry, type Store, StoredCorrupt } from '@natrium/bus';
import { auditHash, type ChainEnd, decode, readAudit } from '@natrium/envelope';

/** Records that were written together, under the number of the first. */
export interface AuditGroup {
  readonly chain: string;
  readonly first: number;
  /** Its place in the stream. */
  readonly at: number;
  /** Each record exactly as it was written. */
  readonly records: readonly Uint8Array[];
}

export interface AuditPage {
  readonly groups: readonly AuditGroup[];
  /** Where the next page begins. */
  readonly next: number;
  readonly isLast: boolean;
}

interface Place {
  readonly at: number;
  readonly key: string;
  readonly records: number;
}

const KEY = /^a\.([^.]+)\.(\d{1,16})$/;
const PAGE_BYTES = 1 << 20;
const AT_ONCE = 32;

export class AuditIndex {
  readonly #places: Place[] = [];
  readonly #ends = new Map<string, ChainEnd>();
  readonly #waiting = new Set<() => void>();

  private constructor(private readonly store: Store) {}

  static async open(store: Store): Promise<AuditIndex> {
    const index = new AuditIndex(store);
    await store.follow((entry) => {
      if (entry.value !== undefined) index.#take(entry);
    });
    return index;
  }

  /** The last record of each chain. */
  get ends(): readonly ChainEnd[] {
    return [...this.#ends.values()];
  }

  /** Where one has to begin to see the last `count` records. */
  fromLast(count: number): number {
    let left = count;
    let place = this.#places.length;
    while (place > 0 && left > 0) left -= this.#places[--place]?.records ?? 0;
    return (this.#places[place]?.at ?? 1) - 1;
  }

  /** Resolves when there is something after `at`, or after `ms`. */
  async later(at: number, ms: number): Promise<void> {
    if ((this.#places.at(-1)?.at ?? 0) > at) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#waiting.add(done);
    });
  }

  /** What comes after `from` in the stream, at most `limit` records (a whole group at least) and a mebibyte. */
  async page({
    from,
    limit,
    chain,
  }: {
    readonly from: number;
    readonly limit: number;
    readonly chain?: string;
  }): Promise<AuditPage> {
    const groups: AuditGroup[] = [];
    let place = this.#firstAfter(from);
    let [records, bytes] = [0, 0];
    while (place < this.#places.length && records < limit && bytes < PAGE_BYTES) {
      const wanted = this.#some(place, limit - records, chain);
      place = wanted.end;
      for (const group of await Promise.all(wanted.places.map((one) => this.#read(one)))) {
        if (group === undefined) continue;
        groups.push(group);
        records += group.records.length;
        bytes += group.records.reduce((sum, { length }) => sum + length, 0);
      }
    }
    return { groups, next: this.#places[place - 1]?.at ?? from, isLast: place >= this.#places.length };
  }

  /** The next groups of the chain, as many as are read at once. */
  #some(
    begin: number,
    limit: number,
    chain: string | undefined,
  ): { readonly places: readonly Place[]; readonly end: number } {
    const places: Place[] = [];
    let [end, records] = [begin, 0];
    for (; end < this.#places.length && places.length < AT_ONCE && records < limit; end += 1) {
      const place = this.#places[end];
      if (place === undefined || (chain !== undefined && !place.key.startsWith(`a.${chain}.`))) continue;
      places.push(place);
      records += place.records;
    }
    return { places, end };
  }

  /** @returns undefined for a group that is gone, was replaced (it comes again, later), or does not open. */
  async #read({ key, at }: Place): Promise<AuditGroup | undefined> {
    const [, chain = '', first = '0'] = KEY.exec(key) ?? [];
    try {
      const entry = await this.store.get(key);
      if (entry?.revision !== at) return undefined;
      return { chain, first: Number(first), at, records: recordsIn(entry.value) };
    } catch (error) {
      if (error instanceof StoredCorrupt) return undefined; // the verifier sees that its records are missing
      throw error;
    }
  }

  #take({ key, value, revision }: Entry): void {
    if (!KEY.test(key)) return;
    const records = recordsIn(value);
    this.#places.push({ at: revision, key, records: records.length });
    const last = records.at(-1);
    const read = last === undefined ? undefined : readAudit(last);
    if (last !== undefined && read?.ok === true) {
      const { chain, number } = read.value;
      if ((this.#ends.get(chain)?.number ?? -1) <= number)
        this.#ends.set(chain, { chain, number, hash: auditHash(last) });
    }
    for (const wake of [...this.#waiting]) wake();
  }

  #firstAfter(at: number): number {
    let [low, high] = [0, this.#places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#places[middle]?.at ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** What is no list of records is none: somebody with the storage key wrote it. */
function recordsIn(value: Uint8Array): readonly Uint8Array[] {
  try {
    const list = decode(value);
    return Array.isArray(list) ? list.filter((item) => item instanceof Uint8Array) : [];
  } catch {
    return [];
  }
}
