/** The roster by name and by state, so that a newcomer costs the same in a large fleet as in a small one. */
import { toHex } from '@natrium/envelope';
import type { KeyRecord, KeyState } from '@natrium/flow';

export class RosterIndex {
  readonly #named = new Map<string, readonly KeyRecord[]>();
  /** Accepted ones by their NATS key, in hex. */
  readonly #accepted = new Map<string, readonly KeyRecord[]>();
  readonly #counts = new Map<KeyState, number>();
  /** Rises with every change of who is accepted. */
  revision = 0;
  /** Both are made when they are asked for, and dropped only when who is accepted changes: a flood of newcomers costs nothing here. */
  #acceptedKeys: ReadonlyMap<string, Uint8Array> | undefined;
  #acceptedIds: ReadonlySet<string> | undefined;

  /** Deleted ones included. */
  named(kind: KeyRecord['kind'], name: string): readonly KeyRecord[] {
    return this.#named.get(`${kind}/${name}`) ?? [];
  }

  byName(kind: KeyRecord['kind'], name: string): KeyRecord | undefined {
    const named = this.named(kind, name);
    return (
      named.find(({ state }) => state === 'accepted') ??
      named.find(({ state }) => state === 'pending' || state === 'rejected')
    );
  }

  /** Accepted ones that have this NATS key. */
  acceptedWith(nkey: Uint8Array): readonly KeyRecord[] {
    return this.#accepted.get(toHex(nkey)) ?? [];
  }

  /** Keys of minions in this state. */
  count(state: KeyState): number {
    return this.#counts.get(state) ?? 0;
  }

  /** Of minions, by id. */
  get acceptedKeys(): ReadonlyMap<string, Uint8Array> {
    this.#acceptedKeys ??= new Map(
      [...this.#named.values()]
        .flat()
        .filter(({ kind, state }) => kind === 'minion' && state === 'accepted')
        .map(({ name, identity }) => [name, identity]),
    );
    return this.#acceptedKeys;
  }

  get acceptedIds(): ReadonlySet<string> {
    this.#acceptedIds ??= new Set(this.acceptedKeys.keys());
    return this.#acceptedIds;
  }

  /** @param before Of the same key; it may have had another name before it was deleted. */
  replace(before: KeyRecord | undefined, now: KeyRecord): void {
    if (before !== undefined) {
      this.#rename(before, (named) => named.filter((one) => one !== before));
      this.#changeAccepted(before, (some) => some.filter((one) => one !== before));
      this.#add(before, -1);
    }
    this.#rename(now, (named) => [...named, now]);
    this.#changeAccepted(now, (some) => [...some, now]);
    this.#add(now, 1);
    if (before?.state !== 'accepted' && now.state !== 'accepted') return;
    this.revision += 1;
    this.#acceptedKeys = undefined;
    this.#acceptedIds = undefined;
  }

  #add({ kind, state }: KeyRecord, more: number): void {
    if (kind === 'minion') this.#counts.set(state, this.count(state) + more);
  }

  #rename({ kind, name }: KeyRecord, change: (named: readonly KeyRecord[]) => readonly KeyRecord[]): void {
    const named = change(this.named(kind, name));
    if (named.length === 0) this.#named.delete(`${kind}/${name}`);
    else this.#named.set(`${kind}/${name}`, named);
  }

  #changeAccepted({ state, nkey }: KeyRecord, change: (some: readonly KeyRecord[]) => readonly KeyRecord[]): void {
    if (state !== 'accepted') return;
    const some = change(this.acceptedWith(nkey));
    if (some.length === 0) this.#accepted.delete(toHex(nkey));
    else this.#accepted.set(toHex(nkey), some);
  }
}

export function sameName(a: Pick<KeyRecord, 'kind' | 'name'>, b: Pick<KeyRecord, 'kind' | 'name'>): boolean {
  return a.kind === b.kind && a.name === b.name;
}
