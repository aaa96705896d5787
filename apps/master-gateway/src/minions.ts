/** The accepted minions as this gateway sees the roster: who there is, for presence; the acl-service decides all else. */
import type { Store } from '@natrium/bus';
import { type Cluster, decode, type KnownParty, readRoster, toHex } from '@natrium/envelope';
import { readAs, records } from '@natrium/wire';

export interface Minion {
  readonly id: string;
  readonly key: Uint8Array;
}

export class Minions {
  readonly #accepted = new Map<string, Minion>();
  readonly #accounts = new Map<string, Minion>();
  readonly #listeners = new Set<(key: Uint8Array, accepted: boolean) => void>();

  static async follow(store: Store, cluster: Cluster, aclKeys: () => readonly Uint8Array[]): Promise<Minions> {
    const minions = new Minions();
    await store.follow(({ key, value }) => {
      if (!key.startsWith('k.') || value === undefined) return;
      const entry = readAs(records.RosterEntry, decode(value));
      const read = readRoster(entry.record, cluster, aclKeys());
      if (!read.ok) return;
      const { kind, name, identity, state } = read.value;
      const hex = toHex(identity);
      const wasKnown = minions.#accepted.has(hex) || minions.#accounts.has(hex);
      if (kind === 'minion' && state === 'accepted') minions.#accepted.set(hex, { id: name, key: identity });
      else minions.#accepted.delete(hex);
      if (kind === 'account' && state === 'accepted') minions.#accounts.set(hex, { id: name, key: identity });
      else minions.#accounts.delete(hex);
      const isKnown = state === 'accepted';
      if (wasKnown !== isKnown) for (const listener of minions.#listeners) listener(identity, isKnown);
    });
    return minions;
  }

  /** Calls with the identity key of a minion or an account that is accepted now, or is not any more. */
  onStanding(listener: (key: Uint8Array, accepted: boolean) => void): void {
    this.#listeners.add(listener);
  }

  all(): readonly Minion[] {
    return [...this.#accepted.values()];
  }

  /** The key with which a caller's request was signed; undefined for one that has none, or is no longer accepted. */
  keyOf({ kind, name }: records.JobRecord['caller']): Uint8Array | undefined {
    const table = kind === 'minion' ? this.#accepted : kind === 'account' ? this.#accounts : new Map<string, Minion>();
    return [...table.values()].find(({ id }) => id === name)?.key;
  }

  /** The id of the accepted minion with this key, hexadecimal. */
  idOf(key: string): string | undefined {
    return this.#accepted.get(key)?.id;
  }

  /** Whether the sender is accepted at all: a first, cheap check below the acl-service's own. */
  knows(party: KnownParty): boolean {
    if (party.owner.type === 'role') return true; // its key is in the roles document
    const hex = toHex(party.owner.key);
    return this.#accepted.has(hex) || this.#accounts.has(hex);
  }
}
