/**
 * Which key has a name: an entry for each (`n.<keyed hash>`) that holds the key, changed by compare-and-swap alone, so that
 * one name never has two accepted keys. A name is claimed before its key is accepted, and freed after that is gone.
 *
 * Whoever reaches the store can spoil an entry. One that does not open holds nobody: then the keys' own records say whose the
 * name is, until it is claimed anew.
 *
 * Spec: spec/envelope.md#roster.
 */
import { type Store, StoredCorrupt } from '@natrium/bus';
import { type Cluster, equalBytes, keyedName, type SigningKey, type StorageKey } from '@natrium/envelope';
import type { KeyRecord } from '@natrium/flow';
import { keepLatest } from '@natrium/model';
import { deletedEntry, placeOf } from './roster-entry.js';

/** Who holds a name; without a value where the entry does not open. */
interface Held {
  readonly value: Uint8Array | undefined;
  readonly revision: number;
}

type Named = Pick<KeyRecord, 'kind' | 'name' | 'identity'>;

export interface NameKeys {
  readonly acl: SigningKey;
  readonly cluster: Cluster;
  readonly nameKey: StorageKey;
  /** Told of an entry of a name that somebody spoilt: the records of the keys then say whose the name is. */
  readonly onSpoilt: (error: StoredCorrupt) => void;
  /** Milliseconds of a clock that does not jump. */
  readonly uptime?: () => number;
}

/** How long a name is kept for a key of which nothing else was written: by a process that stands still, or has died. */
const CLAIM_MS = 60_000;
const MAX_CLAIMS = 1000;

export class RosterNames {
  /** Claims of which nothing else was written, by their revision in the store: when this process saw each first. */
  readonly #claims = new Map<number, number>();
  readonly #uptime: () => number;

  constructor(
    private readonly store: Store,
    private readonly keys: NameKeys,
    /** The record in a key's entry; undefined when it is nothing that we take. */
    private readonly recordIn: (entry: Uint8Array) => KeyRecord | undefined,
  ) {
    this.#uptime = keys.uptime ?? (() => performance.now());
  }

  /** @param isBack The key was deleted, and comes back. @returns false when the name is another key's. */
  async claim(record: Named, isBack: boolean): Promise<boolean> {
    const place = this.#placeOf(record);
    if ((await this.store.create(place, record.identity)) !== undefined) return true;
    const holder = await this.#read(place);
    if (holder === undefined) return false;
    const isOwn = holder.value !== undefined && equalBytes(holder.value, record.identity);
    if (isOwn && !isBack) return true;
    // One that comes back writes its name again, too: who found it deleted, and would take the name, is too late then.
    const isFree = () =>
      holder.value === undefined ? this.#isUnheld(record, []) : this.#isGone(record, holder.value, holder.revision);
    if (!isOwn && !(await isFree())) return false;
    return (await this.store.update(place, record.identity, holder.revision)) !== undefined;
  }

  /**
   * A key that is deleted has its name still when the name could not be freed, or its process died before that. Its record is
   * written as it stands, so that it cannot come back meanwhile.
   */
  async #isGone(next: Named, identity: Uint8Array, claimed: number): Promise<boolean> {
    const place = placeOf(identity);
    const entry = await this.#read(place);
    if (entry === undefined) return this.#endsClaim(next, identity, claimed);
    if (entry.value === undefined || this.recordIn(entry.value)?.state !== 'deleted') return false;
    return (await this.store.update(place, entry.value, entry.revision)) !== undefined;
  }

  /**
   * A key without a record is about to be let in, or to follow one that is accepted, unless its process died before that. Then it is
   * deleted, so that a process that only stood still lets nobody in under a name that is another's by now.
   */
  async #endsClaim(next: Named, identity: Uint8Array, claimed: number): Promise<boolean> {
    const now = this.#uptime();
    const since = this.#claims.get(claimed) ?? now;
    this.#claims.set(claimed, since);
    keepLatest(this.#claims, MAX_CLAIMS);
    if (now - since < CLAIM_MS || !(await this.#isUnheld(next, []))) return false;
    const deleted = deletedEntry(this.keys, { ...next, identity });
    return (await this.store.create(placeOf(identity), deleted)) !== undefined;
  }

  /** Whether no key but this one, and `others`, is accepted under the name, as the store has it now: memory may be behind. */
  async #isUnheld({ kind, name, identity }: Named, others: readonly Uint8Array[]): Promise<boolean> {
    const records = (await this.store.list('k.*')).map(({ value }) => this.recordIn(value));
    return !records.some(
      (record) =>
        record?.state === 'accepted' &&
        record.kind === kind &&
        record.name === name &&
        ![identity, ...others].some((own) => equalBytes(own, record.identity)),
    );
  }

  async #read(place: string): Promise<Held | undefined> {
    try {
      return await this.store.get(place);
    } catch (cause) {
      if (!(cause instanceof StoredCorrupt) || cause.revision === undefined) throw cause;
      this.keys.onSpoilt(cause);
      return { value: undefined, revision: cause.revision };
    }
  }

  /** Gives the name of one key to the one that follows it. @returns false when the name is a third key's. */
  async pass(from: Named, to: Uint8Array): Promise<boolean> {
    const place = this.#placeOf(from);
    const holder = await this.#read(place);
    if (holder === undefined) return false;
    const { value, revision } = holder;
    if (value !== undefined && equalBytes(value, to)) return true;
    const isIts = value === undefined ? await this.#isUnheld(from, [to]) : equalBytes(value, from.identity);
    return isIts && (await this.store.update(place, to, revision)) !== undefined;
  }

  /**
   * A key that is gone holds no name, whichever way it came by it: also in a race that it lost. Nor does one that should have
   * followed the accepted key, when nothing but the name was written of it: by a process that died then.
   */
  async free(record: Named, wasAccepted: boolean): Promise<void> {
    const place = this.#placeOf(record);
    const { value, revision } = (await this.#read(place)) ?? {};
    if (value === undefined) return;
    const isNobodys = async () => wasAccepted && (await this.#read(placeOf(value))) === undefined;
    // Whoever has claimed it meanwhile keeps it.
    if (equalBytes(value, record.identity) || (await isNobodys())) await this.store.delete(place, revision);
  }

  #placeOf({ kind, name }: Named): string {
    return `n.${keyedName(this.keys.nameKey, `${kind}/${name}`)}`;
  }
}
