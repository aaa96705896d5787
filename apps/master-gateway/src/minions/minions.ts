/** The accepted minions as this gateway sees the roster: who there is, for presence; the acl-service decides all else. */
import type { Store } from '@natrium/bus';
import {
  type Cluster,
  decode,
  type KnownParty,
  namesOf,
  readRoster,
  type RosterRecord,
  type Signed,
  toHex,
} from '@natrium/envelope';
import { keepLatest } from '@natrium/model';
import { readAs, records } from '@natrium/wire';

/** How many changed identities are remembered, the latest: jobs that were asked for under the old key may still be running. */
const MAX_SUCCEEDED = 10_000;

export interface Minion {
  readonly id: string;
  /** Hexadecimal. */
  readonly key: string;
}

export interface StandingChange {
  readonly key: Uint8Array;
  readonly accepted: boolean;
  /** One identity of a minion took the place of another: the announcement of the new one, for both keys. */
  readonly succession: Signed | undefined;
}

export class Minions {
  readonly #accepted = new Map<string, Minion>();
  readonly #accounts = new Map<string, Minion>();
  /** Ids by the keys, hexadecimal, that were accepted here until another identity of their minion took their place. */
  readonly #succeeded = new Map<string, string>();
  /** The highest revision seen of each key: a lower one is an old record that somebody has put back. */
  readonly #revisions = new Map<string, number>();
  readonly #listeners = new Set<(change: StandingChange) => void>();

  static async follow(store: Store, cluster: Cluster, aclKeys: () => readonly Uint8Array[]): Promise<Minions> {
    const minions = new Minions();
    await store.follow(({ key, value }) => {
      if (!key.startsWith('k.') || value === undefined) return;
      const entry = readAs(records.RosterEntry, decode(value));
      const read = readRoster(entry.record, cluster, aclKeys());
      // Its signer may be in a roles document that is still to come: the store reads it again then.
      if (!read.ok) throw new Error(`not the word of an acl key that is known here: ${read.error}`);
      const succession = entry.reply === null ? (entry.announcement ?? undefined) : undefined;
      minions.#take(read.value, succession);
    });
    return minions;
  }

  #take({ kind, name, identity, state, revision }: RosterRecord, succession: Signed | undefined): void {
    const hex = toHex(identity);
    if (revision < (this.#revisions.get(hex) ?? 0)) return;
    this.#revisions.set(hex, revision);
    const [table, other] = kind === 'minion' ? [this.#accepted, this.#accounts] : [this.#accounts, this.#accepted];
    const wasKnown = table.has(hex) || other.has(hex);
    const accepted = state === 'accepted';
    other.delete(hex);
    if (accepted) table.set(hex, { id: name, key: hex });
    else table.delete(hex);
    if (wasKnown === accepted) return;
    if (!accepted && succession !== undefined) {
      this.#succeeded.set(hex, name);
      keepLatest(this.#succeeded, MAX_SUCCEEDED);
    }
    for (const listener of this.#listeners) listener({ key: identity, accepted, succession });
  }

  /** Calls whenever a minion or an account is accepted, or is not accepted any more. */
  onStanding(listener: (change: StandingChange) => void): void {
    this.#listeners.add(listener);
  }

  all(): readonly Minion[] {
    return [...this.#accepted.values()];
  }

  /** The id of the accepted minion with this key, hexadecimal. */
  idOf(key: string): string | undefined {
    return this.#accepted.get(key)?.id;
  }

  /** Whether the sender is accepted at all: a first, cheap check below the acl-service's own. */
  knows(party: KnownParty): boolean {
    if (party.owner.type === 'role') return true; // its key is in the roles document
    const { key } = namesOf(party);
    return this.#accepted.has(key) || this.#accounts.has(key);
  }

  /** The key, hexadecimal, that the minion has now which was asked under this one. */
  keyNow(key: string): string {
    const id = this.#succeeded.get(key);
    if (id === undefined) return key;
    return [...this.#accepted].find(([, minion]) => minion.id === id)?.[0] ?? key;
  }

  /** Whether it may hear more of what it asked for earlier. A minion that has changed its identity since then may. */
  mayHear(party: KnownParty): boolean {
    return this.knows(party) || this.#succeeded.has(namesOf(party).key);
  }
}
