interface Reading<V> {
  readonly now: Promise<V>;
  readonly next?: Promise<V>;
}

/**
 * Readings that are dear, of which many ask for the same at once: of each key one is under way at a time, and all who ask meanwhile share the
 * next, which begins after they asked.
 */
export class SharedReadings<K, V> {
  readonly #readings = new Map<K, Reading<V>>();

  /** @param read Called for the first of those who share it. */
  of(key: K, read: () => Promise<V>): Promise<V> {
    const { now, next } = this.#readings.get(key) ?? {};
    if (next !== undefined) return next;
    const reading = (now?.catch(() => undefined) ?? Promise.resolve()).then(() => {
      this.#readings.set(key, { now: reading });
      return read();
    });
    this.#readings.set(key, now === undefined ? { now: reading } : { now, next: reading });
    const done = () => {
      if (this.#readings.get(key)?.now === reading) this.#readings.delete(key);
    };
    reading.then(done, done);
    return reading;
  }
}
