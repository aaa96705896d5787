/**
 * Where the audit ends, and reading it page by page: followed from JetStream, so that every replica can hand out all chains. It
 * believes nothing: who verifies reads the records themselves.
 *
 * Nothing here grows with the audit, neither memory nor what a start reads: what lies where is asked of the stream, revision by
 * revision, and a revision that holds nothing any more (replaced, deleted, another's) is passed over.
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

/** Where a chain ends, and the place of that group in the stream. */
interface PlacedEnd {
  readonly end: ChainEnd;
  readonly at: number;
  readonly key: string;
}

/** So many of the last records are found: more than that nobody asks for. */
const MAX_LAST = 1000;

/** Revisions that are looked at for the last records, at first. */
const LAST_PLACES = 64;

const KEY = /^a\.([^.]+)\.(\d{1,16})$/;
/** A chain has its instance's name, and its records begin with number 0. */
const FIRST_OF_CHAIN = /^a\.([\w-]{1,64})\.0$/;
const PAGE_BYTES = 1 << 20;
/** Revisions that one page looks at: whoever asks for one chain of many waits for no more. */
const PAGE_PLACES = 2048;
const AT_ONCE = 32;

export class AuditIndex {
  #last: number;
  readonly #ends = new Map<string, PlacedEnd>();
  /** Chains whose end was looked for, and is followed since. */
  readonly #found = new Set<string>();
  readonly #waiting = new Set<() => void>();

  private constructor(
    private readonly store: Store,
    /** Of the stream as it was opened. */
    private readonly bounds: { readonly first: number; readonly last: number },
  ) {
    this.#last = bounds.last;
  }

  /** Reads nothing of what is there, however much that is. */
  static async open(store: Store): Promise<AuditIndex> {
    const index = new AuditIndex(store, await store.bounds());
    await store.follow((entry) => {
      if (entry.value !== undefined) index.#take(entry);
    }, index.bounds.last + 1);
    return index;
  }

  /** The last record of each chain, the one that was written last at the end. Of each chain that is new one group is read. */
  async ends(): Promise<readonly ChainEnd[]> {
    const names = await this.store.keyNames('a.*.0');
    const chains = names.flatMap((name) => FIRST_OF_CHAIN.exec(name)?.[1] ?? []);
    const unknown = chains.filter((chain) => !this.#found.has(chain));
    for (let from = 0; from < unknown.length; from += AT_ONCE)
      await Promise.all(unknown.slice(from, from + AT_ONCE).map((chain) => this.#find(chain)));
    return [...this.#ends.values()].sort((a, b) => a.at - b.at).map(({ end }) => end);
  }

  /** For whoever starts once their beginnings are deleted: what was written last of a chain is a deletion then. */
  async noteEnds(chains: readonly string[]): Promise<void> {
    await this.ends();
    for (const chain of chains) {
      const key = this.#ends.get(chain)?.key;
      if (key !== undefined) await this.store.put(noteOf(chain), Buffer.from(key));
    }
  }

  /** Entries in memory: of each chain one. */
  get size(): number {
    return this.#ends.size;
  }

  /** Where one has to begin to see the last `count` records, at most `MAX_LAST`. */
  async fromLast(count: number): Promise<number> {
    const wanted = Math.min(count, MAX_LAST);
    const last = this.#last;
    for (let places = LAST_PLACES; wanted > 0; places *= 4) {
      const since = Math.max(last - places + 1, this.bounds.first);
      const begin = beginOf(await this.store.list('a.*.*', since), wanted);
      if (begin !== undefined || since === this.bounds.first) return begin ?? since - 1;
    }
    return last;
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
    const end = await this.#end(); // what comes while it is read is for the next page
    let next = from;
    let [records, bytes, places] = [0, 0, 0];
    let isGone = false;
    for await (const { at, group } of this.#after(from, end)) {
      const isAsked = group !== undefined && (chain === undefined || group.chain === chain);
      const size = isAsked ? bytesIn(group) : 0;
      if (groups.length > 0 && bytes + size > PAGE_BYTES) break; // it begins the next page
      next = at;
      isGone ||= group === undefined;
      if (isAsked) {
        groups.push(group);
        records += group.records.length;
        bytes += size;
      }
      if (records >= limit || bytes >= PAGE_BYTES || (places += 1) >= PAGE_PLACES) break;
    }
    // What is gone may have grown since: then it stands further on.
    const isLast = next >= end && (!isGone || (await this.#end()) <= end);
    return { groups, next, isLast };
  }

  /** As the broker says: what is followed comes later, a large group by so much that it would be missed here and below. */
  async #end(): Promise<number> {
    return Math.max(this.#last, (await this.store.bounds()).last);
  }

  /** Every revision after `from` up to `end`, in order; some are read at once. */
  async *#after(from: number, end: number): AsyncGenerator<Place> {
    for (let begin = Math.max(from + 1, this.bounds.first); begin <= end; begin += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, end - begin + 1) }, (_, n) => begin + n);
      yield* await Promise.all(some.map(async (at) => ({ at, group: await this.#read(at) })));
    }
  }

  /** @returns undefined for a group that is gone, was replaced (it comes again, later), or does not open. */
  async #read(at: number): Promise<AuditGroup | undefined> {
    const entry = await this.store.at(at).catch(unlessCorrupt);
    const [, chain, first] = KEY.exec(entry?.key ?? '') ?? [];
    if (entry === undefined || chain === undefined) return undefined;
    return { chain, first: Number(first), at, records: recordsIn(entry.value) };
  }

  #take(entry: Entry): void {
    const [, chain] = KEY.exec(entry.key) ?? [];
    if (chain === undefined) return;
    // What could not be read at first comes after what was written later.
    this.#last = Math.max(this.#last, entry.revision);
    this.#takeEnd(endIn(entry, chain));
    for (const wake of [...this.#waiting]) wake();
  }

  #takeEnd(placed: PlacedEnd | undefined): void {
    if (placed === undefined) return;
    const { chain, number } = placed.end;
    if ((this.#ends.get(chain)?.end.number ?? -1) <= number) this.#ends.set(chain, placed);
  }

  /** Of a chain whose last group does not open it is looked for again the next time: the key may come. */
  async #find(chain: string): Promise<void> {
    const written = (await this.#lastWritten(chain)) ?? (await this.#lastNoted(chain));
    if (written !== undefined) this.#found.add(chain);
    this.#takeEnd(written ?? (await this.#lastByNumber(chain)));
  }

  /**
   * Where a chain ends by what was written last of it; undefined where that is doubtful. Whoever may ask the broker anything can have
   * it put old values, and ones that nobody sealed, over any key: then the chain has gone on before that.
   */
  async #lastWritten(chain: string): Promise<PlacedEnd | undefined> {
    try {
      const entry = await this.store.last(`a.${chain}.*`);
      const placed = entry && endIn(entry, chain);
      if (placed === undefined) return undefined;
      const next = await this.store.get(groupKey(chain, placed.end.number + 1));
      return next === undefined || next.revision > placed.at ? placed : undefined; // what has come meanwhile is followed
    } catch (error) {
      unlessCorrupt(error);
      return;
    }
  }

  /** From the group that was noted on, which may have been the last but some. */
  async #lastNoted(chain: string): Promise<PlacedEnd | undefined> {
    let last: PlacedEnd | undefined;
    try {
      const note = await this.store.get(noteOf(chain));
      let key = note && Buffer.from(note.value).toString();
      while (key?.startsWith(`a.${chain}.`) === true && KEY.test(key)) {
        const entry = await this.store.get(key);
        const placed = entry && endIn(entry, chain);
        last = placed ?? last;
        key = placed && groupKey(chain, placed.end.number + 1);
      }
    } catch (error) {
      unlessCorrupt(error);
      return;
    }
    return last;
  }

  /** Takes as long as the chain is, and reads the names alone of all but the last groups. */
  async #lastByNumber(chain: string): Promise<PlacedEnd | undefined> {
    const keys = await this.store.keyNames(`a.${chain}.*`);
    const numbered = keys.map((key) => [Number(KEY.exec(key)?.[2] ?? -1), key] as const);
    for (const [, key] of numbered.sort(([a], [b]) => b - a)) {
      const entry = await this.store.get(key).catch(unlessCorrupt);
      const placed = entry && endIn(entry, chain);
      if (placed !== undefined) return placed;
    }
    return undefined;
  }
}

/** Where a group is kept, by its first record. */
export function groupKey(chain: string, first: number): string {
  return `a.${chain}.${String(first)}`;
}

function noteOf(chain: string): string {
  return `e.${chain}`;
}

/** @throws What is no sign of a value that does not open: that the verifier sees as missing. */
export function unlessCorrupt(error: unknown): undefined {
  if (!(error instanceof StoredCorrupt)) throw error;
}

/** The last record of a group, where it is one of this chain. */
function endIn({ key, value, revision }: Entry, chain: string): PlacedEnd | undefined {
  const last = recordsIn(value).at(-1);
  const read = last === undefined ? undefined : readAudit(last);
  if (last === undefined || read?.ok !== true || read.value.chain !== chain) return undefined;
  return { end: { chain, number: read.value.number, hash: auditHash(last) }, at: revision, key };
}

/** Before the groups that hold the last `count` records; undefined where these hold fewer. */
function beginOf(entries: readonly Entry[], count: number): number | undefined {
  let left = count;
  const first = entries.findLast(({ value }) => (left -= recordsIn(value).length) <= 0);
  return first && first.revision - 1;
}

function bytesIn({ records }: AuditGroup): number {
  return records.reduce((sum, { length }) => sum + length, 0);
}

/** What is no list of records is none: somebody with the storage key wrote it. */
export function recordsIn(value: Uint8Array): readonly Uint8Array[] {
  try {
    const list = decode(value);
    return Array.isArray(list) ? list.filter((item) => item instanceof Uint8Array) : [];
  } catch {
    return [];
  }
}
