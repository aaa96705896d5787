/**
 * Where the audit ends, and reading it page by page: followed from JetStream, so that every replica can hand out all chains. It
 * believes nothing: who verifies reads the records themselves.
 *
 * Nothing here grows with the audit: what lies where is asked of the stream, revision by revision, and a revision that holds
 * nothing any more (replaced, deleted, another's) is passed over.
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

interface Ask {
  readonly from: number;
  readonly limit: number;
  readonly chain?: string;
}

/** A revision of the stream, and what is still there. */
interface Place {
  readonly at: number;
  readonly group: AuditGroup | undefined;
}

/** So many of the last records are found without reading: more than that nobody asks for. */
const MAX_LAST = 1000;

const KEY = /^a\.([^.]+)\.(\d{1,16})$/;
const PAGE_BYTES = 1 << 20;
/** Revisions that one page looks at: whoever asks for one chain of many waits for no more. */
const PAGE_PLACES = 2048;
const AT_ONCE = 32;

export class AuditIndex {
  #first = 1;
  #last = 0;
  /** The last groups, oldest first; each holds a record at least. */
  readonly #recent: { readonly key: string; readonly at: number; readonly records: number }[] = [];
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

  /** Entries in memory: of each chain one, and of a bounded number of groups. */
  get size(): number {
    return this.#ends.size + this.#recent.length;
  }

  /** Where one has to begin to see the last `count` records, at most `MAX_LAST`. */
  fromLast(count: number): number {
    let [begin, left] = [this.#last, Math.min(count, MAX_LAST)];
    for (const { at, records } of this.#recent.toReversed()) {
      if (left <= 0) break;
      begin = at - 1;
      left -= records;
    }
    return begin;
  }

  /** Resolves when there is something after `at`, or after `ms`. */
  async later(at: number, ms: number): Promise<void> {
    if (this.#last > at) return;
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

  /** What comes after `from` in the stream, at most `limit` records and a mebibyte, but a whole group at least; only one alone is larger than that. */
  async page({ from, limit, chain }: Ask): Promise<AuditPage> {
    const groups: AuditGroup[] = [];
    const end = this.#last; // what comes while it is read is for the next page
    let next = from;
    let [records, bytes, places] = [0, 0, 0];
    let hasGrown = false;
    for await (const { at, group } of this.#after(from, end)) {
      const isAsked = group !== undefined && (chain === undefined || group.chain === chain);
      const size = isAsked ? bytesIn(group) : 0;
      if (groups.length > 0 && bytes + size > PAGE_BYTES) break; // it begins the next page
      next = at;
      // It may have grown since: then it stands further on.
      hasGrown ||= group === undefined && this.#last > end;
      if (isAsked) {
        groups.push(group);
        records += group.records.length;
        bytes += size;
      }
      if (records >= limit || bytes >= PAGE_BYTES || (places += 1) >= PAGE_PLACES) break;
    }
    return { groups, next, isLast: next >= end && !hasGrown };
  }

  /** Every revision after `from` up to `end`, in order; some are read at once. */
  async *#after(from: number, end: number): AsyncGenerator<Place> {
    for (let begin = Math.max(from + 1, this.#first); begin <= end; begin += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, end - begin + 1) }, (_, n) => begin + n);
      yield* await Promise.all(some.map(async (at) => ({ at, group: await this.#read(at) })));
    }
  }

  /** @returns undefined for a group that is gone, was replaced (it comes again, later), or does not open. */
  async #read(at: number): Promise<AuditGroup | undefined> {
    try {
      const entry = await this.store.at(at);
      const [, chain, first] = KEY.exec(entry?.key ?? '') ?? [];
      if (entry === undefined || chain === undefined) return undefined;
      return { chain, first: Number(first), at, records: recordsIn(entry.value) };
    } catch (error) {
      if (error instanceof StoredCorrupt) return undefined; // the verifier sees that its records are missing
      throw error;
    }
  }

  #take({ key, value, revision }: Entry): void {
    if (!KEY.test(key)) return;
    // What could not be read at first comes after what was written later.
    this.#first = this.#last === 0 ? revision : Math.min(this.#first, revision);
    this.#last = Math.max(this.#last, revision);
    const records = recordsIn(value);
    const last = records.at(-1);
    if (last !== undefined) {
      const before = this.#recent.findLastIndex((one) => one.key === key);
      if (before !== -1) this.#recent.splice(before, 1); // it has grown
      const place = 1 + this.#recent.findLastIndex(({ at }) => at < revision);
      this.#recent.splice(place, 0, { key, at: revision, records: records.length });
      if (this.#recent.length > MAX_LAST) this.#recent.shift();
      this.#takeEnd(last);
    }
    for (const wake of [...this.#waiting]) wake();
  }

  #takeEnd(last: Uint8Array): void {
    const read = readAudit(last);
    if (!read.ok) return;
    const { chain, number } = read.value;
    if ((this.#ends.get(chain)?.number ?? -1) <= number)
      this.#ends.set(chain, { chain, number, hash: auditHash(last) });
  }
}

function bytesIn({ records }: AuditGroup): number {
  return records.reduce((sum, { length }) => sum + length, 0);
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
