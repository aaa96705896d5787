/** A bucket as the broker has it, with the markers of what was deleted: what is created over one is written with its revision. */
import type { Change, Entry } from '@natrium/bus';
import { fitsKey } from '../../libs/bus/src/ports/key-pattern.js';

interface Kept {
  /** undefined: the marker of a deletion. */
  readonly value: Uint8Array | undefined;
  readonly revision: number;
}

export class Bucket {
  readonly #kept = new Map<string, Kept>();
  readonly listeners = new Set<(change: Change) => void>();
  /** Told of each value that is written. */
  onWritten: (entry: Entry) => void = () => undefined;
  #revision = 0;

  constructor(readonly name: string) {}

  get revision(): number {
    return this.#revision;
  }

  /**
   * @param value undefined deletes.
   * @param expected Of what is there; 0: nothing. undefined: whatever is there.
   * @returns undefined where something else is there.
   */
  write(key: string, value: Uint8Array | undefined, expected?: number): number | undefined {
    if (expected !== undefined && expected !== (this.#kept.get(key)?.revision ?? 0)) return undefined;
    return this.put(key, value);
  }

  put(key: string, value: Uint8Array | undefined): number {
    this.#revision += 1;
    const revision = this.#revision;
    this.#kept.delete(key);
    this.#kept.set(key, { value, revision });
    const change: Change = value === undefined ? { key, value } : { key, value, revision };
    if (change.value !== undefined) this.onWritten(change);
    for (const hear of this.listeners) hear(change);
    return revision;
  }

  marker(key: string): number | undefined {
    const kept = this.#kept.get(key);
    return kept?.value === undefined ? kept?.revision : undefined;
  }

  read(key: string): Entry | undefined {
    const kept = this.#kept.get(key);
    return kept?.value === undefined ? undefined : { key, value: kept.value, revision: kept.revision };
  }

  under(patterns: readonly string[], since = 0): readonly Entry[] {
    return [...this.#kept].flatMap(([key, { value, revision }]) =>
      value !== undefined && revision >= since && patterns.some((pattern) => fitsKey(pattern, key))
        ? [{ key, value, revision }]
        : [],
    );
  }
}
