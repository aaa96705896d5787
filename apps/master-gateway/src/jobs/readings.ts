/**
 * What was read by its name, the latest of them remembered. Whoever asks for what is being read waits for that; a reading that
 * failed is made again.
 */
import { keepLatest } from '@natrium/model';

export interface ReadingsOptions<T> {
  /** How many are remembered. */
  readonly most: number;
  /** Tells whether what was found stays so; without it, everything. */
  readonly keeps?: (found: T) => boolean;
}

export class Readings<T> {
  readonly #made = new Map<string, Promise<T>>();

  constructor(
    private readonly read: (name: string) => Promise<T>,
    private readonly options: ReadingsOptions<T>,
  ) {}

  find(name: string): Promise<T> {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const reading = this.read(name);
    this.#made.set(name, reading);
    const forget = () => {
      if (this.#made.get(name) === reading) this.#made.delete(name);
    };
    const { most, keeps } = this.options;
    reading.then((found) => {
      if (keeps?.(found) === false) forget();
    }, forget);
    keepLatest(this.#made, most);
    return reading;
  }
}
