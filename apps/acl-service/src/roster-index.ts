/** The roster by name and by state, so that a newcomer costs the same in a large fleet as in a small one. */
import type { KeyRecord, KeyState } from '@natrium/flow';

export class RosterIndex {
  readonly #named = new Map<string, readonly KeyRecord[]>();
  readonly #counts = new Map<KeyState, number>();
  /** Made anew when the roster has changed. */
  #acceptedKeys: ReadonlyMap<string, Uint8Array> | undefined;
  #acceptedIds: ReadonlySet<string> | undefined;

  /** Deleted ones included. */
  named(kind: KeyRecord['kind'], name: string): readonly KeyRecord[] {
    return this.#named.get(`${kind}/${name}`) ?? [];
  }

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
      this.#counts.set(before.state, this.count(before.state) - 1);
    }
    this.#rename(now, (named) => [...named, now]);
    this.#counts.set(now.state, this.count(now.state) + 1);
    this.#acceptedKeys = undefined;
    this.#acceptedIds = undefined;
  }

  #rename({ kind, name }: KeyRecord, change: (named: readonly KeyRecord[]) => readonly KeyRecord[]): void {
    const named = change(this.named(kind, name));
    if (named.length === 0) this.#named.delete(`${kind}/${name}`);
    else this.#named.set(`${kind}/${name}`, named);
  }
}
