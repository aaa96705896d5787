/**
 * Who exists: the roster in memory, followed from JetStream and changed by compare-and-swap.
 *
 * An entry for each identity key (`k.<fp>`), and for each accepted name one that holds its key (`n.<keyed hash>`), so that
 * one key never has two names and one name never two accepted keys. Deleted records stay as tombstones.
 *
 * Spec: spec/envelope.md#roster.
 */
import { createOrUpdate, type Store } from '@natrium/bus';
import { equalBytes, readRoster, type Signed, signRoster, toHex, Verified } from '@natrium/envelope';
import type { KeyRecord, KeyState, RosterView } from '@natrium/flow';
import type { Principal } from '@natrium/model';
import { type Beside, encodeEntry, KEYS, placeOf, readEntry, type RosterEntry, type Waiting } from './roster-entry.js';
import { RosterIndex, sameName } from './roster-index.js';
import { type NameKeys, RosterNames } from './roster-names.js';
import { RosterWaiting } from './roster-waiting.js';

export type { Waiting } from './roster-entry.js';

export interface RosterKeys extends NameKeys {
  readonly aclKeys: () => readonly Uint8Array[];
}

interface Written {
  readonly record: KeyRecord;
  readonly signed: Signed;
}

interface Held extends Written, Omit<RosterEntry, 'record'> {
  /** The revision of the store that holds it. */
  readonly at: number;
  /** The newest revision at its place, which the next write replaces: the same, or one that holds nothing we accept. */
  readonly stored: number;
}

/** @param about The signed record, where its joiner waits to hear of it, and the record that it replaces. */
type RosterListener = (
  record: KeyRecord,
  about: Pick<Held, 'signed' | 'waiting'> & { readonly before: KeyRecord | undefined },
) => void;

const RACES = 8;

export class Roster implements RosterView {
  readonly #byKey = new Map<string, Held>();
  /** Hex of the identity key by its place in the store. */
  readonly #byPlace = new Map<string, string>();
  readonly #index = new RosterIndex();
  readonly #names: RosterNames;
  /** What this process has signed comes back from the store, and need not be verified then. */
  readonly #signedHere = new Verified<KeyRecord>();
  readonly #listeners = new Set<RosterListener>();
  /** By place, the revisions that the store has told of and that could not be read so far. */
  #missed: ReadonlyMap<string, number> = new Map();
  readonly waiting = new RosterWaiting();

  private constructor(
    private readonly store: Store,
    private readonly keys: RosterKeys,
  ) {
    this.#names = new RosterNames(store, keys, (entry) => this.#recordIn(readEntry(entry).record));
  }

  static async open(store: Store, keys: RosterKeys): Promise<Roster> {
    const roster = new Roster(store, keys);
    const following = await store.follow(({ key, ...entry }) => {
      if (key.startsWith(KEYS) && entry.value !== undefined && 'revision' in entry) {
        if (roster.#isTaken(key, entry.revision)) return; // what this replica has just written comes back to it
        roster.#noteStored(key, entry.revision);
        // The store reads it again when keys have come.
        if (!roster.#take(entry.value, entry.revision)) throw new Error('no acl key that is known here has signed it');
      }
    });
    if (following.missed !== undefined) roster.#missed = following.missed;
    return roster;
  }

  /** Rises with every change of who is accepted that this replica has seen: what was resolved before it may be wrong. */
  get revision(): number {
    return this.#index.revision;
  }

  /** Whether the newest record of some key cannot be read now: whoever it took away looks accepted here, or unknown. */
  get isInDoubt(): boolean {
    return [...this.#missed.keys()].some((place) => place.startsWith(KEYS));
  }

  /** Whether the record that cannot be read may be this key's. */
  isInDoubtAbout(identity: Uint8Array): boolean {
    return this.#missed.has(placeOf(identity));
  }

  /**
   * Signs anew what an earlier acl key has signed: once that key is retired, its word counts for nothing.
   *
   * @returns How many records.
   */
  async signAnew(): Promise<number> {
    const { acl, cluster } = this.keys;
    const old = [...this.#byKey.values()].filter(({ signed }) => !readRoster(signed, cluster, [acl.publicKey]).ok);
    let count = 0;
    for (const { record, ...beside } of old) if ((await this.#write(record, beside)) !== undefined) count += 1;
    return count;
  }

  /** Calls for every change of a record, own ones included. */
  onChange(listener: RosterListener): void {
    this.#listeners.add(listener);
  }

  records(): readonly KeyRecord[] {
    return [...this.#byKey.values()].map(({ record }) => record);
  }

  byKey(identity: Uint8Array): KeyRecord | undefined {
    return this.#byKey.get(toHex(identity))?.record;
  }

  /** Every record that has this name, deleted ones included. */
  named(kind: KeyRecord['kind'], name: string): readonly KeyRecord[] {
    return this.#index.named(kind, name);
  }

  byName(kind: KeyRecord['kind'], name: string): KeyRecord | undefined {
    return this.#index.byName(kind, name);
  }

  count(what: KeyState | 'turned_away'): number {
    return what === 'turned_away'
      ? this.#index.count('denied') + this.#index.count('rejected')
      : this.#index.count(what);
  }

  signedOf(identity: Uint8Array): Signed | undefined {
    return this.#byKey.get(toHex(identity))?.signed;
  }

  /** The accepted party with this key, as of now. */
  callerOf(identity: Uint8Array): Principal | undefined {
    const record = this.byKey(identity);
    return record?.state === 'accepted' ? { kind: record.kind, name: record.name } : undefined;
  }

  /** The record of the key that has this name in subjects (`fp`). */
  byFp(name: string): KeyRecord | undefined {
    return this.#byKey.get(this.#byPlace.get(KEYS + name) ?? '')?.record;
  }

  acceptedWith(nkey: Uint8Array): readonly KeyRecord[] {
    return this.#index.acceptedWith(nkey);
  }

  acceptedMinions(): ReadonlySet<string> {
    return this.#index.acceptedIds;
  }

  keyOfMinion(id: string): Uint8Array | undefined {
    return this.#index.acceptedKeys.get(id);
  }

  /** Whether this key left because a new identity of its minion took its place. */
  wasSucceeded(identity: Uint8Array): boolean {
    const held = this.#byKey.get(toHex(identity));
    return held?.record.state === 'deleted' && held.succession !== undefined;
  }

  /** Whether this key was deleted, and not let in since. If it asks again it is pending, and its entry alone names no place to tell it. */
  wasDeleted(identity: Uint8Array): boolean {
    const { record, waiting } = this.#byKey.get(toHex(identity)) ?? {};
    return record?.state === 'deleted' || (record?.state === 'pending' && waiting === undefined);
  }

  /** Whether it is no key of anybody, as far as all that is stored of it can be read: what belongs to it is of no use. */
  isNobodys(identity: Uint8Array): boolean {
    const state = this.byKey(identity)?.state ?? 'deleted';
    return state === 'deleted' && !this.isInDoubtAbout(identity);
  }

  /**
   * Puts a new key in the place of an accepted one, under the same name. The new one is accepted before the old one leaves, so
   * that the name is never without a key; whoever finds this half done (`finish`) does the rest.
   *
   * @returns false when somebody else has changed something meanwhile: look again, and decide anew.
   */
  async succeed(old: KeyRecord, next: Pick<KeyRecord, 'identity' | 'nkey'>, announcement: Signed): Promise<boolean> {
    if (!(await this.#names.pass(old, next.identity))) return false;
    const record = { kind: old.kind, name: old.name, ...next, state: 'accepted' } as const;
    const isThere = this.byKey(next.identity) !== undefined;
    if (!isThere && (await this.#write(record, { succession: announcement })) === undefined) return false;
    for (let race = 0; race < RACES; race += 1) {
      if (this.byKey(old.identity)?.state !== 'accepted') break;
      const gone = await this.#write({ ...old, state: 'deleted' }, { succession: announcement });
      if (gone !== undefined) return true;
      await this.#readAgain(old.identity);
    }
    if (this.wasSucceeded(old.identity)) return true;
    // Its key was taken away meanwhile, and what it vouched for goes with it.
    if (!isThere) await this.write({ ...record, state: 'deleted' });
    return false;
  }

  /** Takes over what the store has now: the memory may be behind. */
  async #readAgain(identity: Uint8Array): Promise<void> {
    const place = placeOf(identity);
    const entry = await this.store.get(place);
    if (entry === undefined) return;
    this.#noteStored(place, entry.revision);
    this.#take(entry.value, entry.revision);
  }

  /** Writes a new record or a new state. @returns undefined when someone else was faster, or the name has another key. */
  write(next: Omit<KeyRecord, 'revision'>, waiting?: Waiting): Promise<Written | undefined> {
    return this.#write(next, { waiting });
  }

  async #write(next: Omit<KeyRecord, 'revision'>, beside: Beside): Promise<Written | undefined> {
    const held = this.#byKey.get(toHex(next.identity));
    // A key keeps its name until it is deleted, however old the decision is that would give it another.
    if (held !== undefined && held.record.state !== 'deleted' && !sameName(held.record, next)) return undefined;
    const record: KeyRecord = { ...next, revision: (held?.record.revision ?? 0) + 1 };
    const isBack = held?.record.state === 'deleted';
    if (record.state === 'accepted' && !(await this.#names.claim(record, isBack))) return undefined;
    const signed = signRoster(this.keys.acl, this.keys.cluster, record);
    this.#signedHere.note(signed, record);
    const waiting = this.wasDeleted(record.identity) ? undefined : (beside.waiting ?? held?.waiting);
    const value = encodeEntry(signed, { ...beside, waiting });
    const key = placeOf(record.identity);
    const stored = await createOrUpdate(this.store, key, value, held?.stored);
    if (stored === undefined) return undefined;
    const wasAccepted = held?.record.state === 'accepted';
    // One that was succeeded has given its name away already.
    const isGone = record.state !== 'accepted' && (wasAccepted || record.state === 'deleted');
    if (isGone && beside.succession === undefined) await this.#names.free(record, wasAccepted);
    this.#take(value, stored);
    return { record, signed };
  }

  #isTaken(place: string, stored: number): boolean {
    const key = this.#byPlace.get(place);
    return key !== undefined && this.#byKey.get(key)?.at === stored;
  }

  #noteStored(place: string, stored: number): void {
    const key = this.#byPlace.get(place);
    const held = key === undefined ? undefined : this.#byKey.get(key);
    if (key !== undefined && held !== undefined && held.stored < stored) this.#byKey.set(key, { ...held, stored });
  }

  /** @returns false when no acl key that is known has signed the record. */
  #take(value: Uint8Array, stored: number): boolean {
    const { record: signed, ...beside } = readEntry(value);
    const record = this.#recordIn(signed);
    if (record !== undefined) this.#hold({ record, signed, ...beside, at: stored, stored });
    return record !== undefined;
  }

  #recordIn(signed: Signed): KeyRecord | undefined {
    const { acl, cluster } = this.keys;
    const aclKeys = this.keys.aclKeys();
    const own = aclKeys.some((key) => equalBytes(key, acl.publicKey)) ? this.#signedHere.of(signed) : undefined;
    if (own !== undefined) return own;
    const read = readRoster(signed, cluster, aclKeys);
    return read.ok ? read.value : undefined;
  }

  #hold(held: Held): void {
    const { record } = held;
    const key = toHex(record.identity);
    const before = this.#byKey.get(key)?.record;
    if (before !== undefined && before.revision >= record.revision) return;
    this.#byKey.set(key, held);
    this.#byPlace.set(placeOf(record.identity), key);
    this.#index.replace(before, record);
    const waiting = this.waiting.placeFor(record, held.waiting);
    for (const listener of this.#listeners) listener(record, { ...held, waiting, before });
  }
}
