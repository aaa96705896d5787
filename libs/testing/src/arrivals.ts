/** Things that come in, each taken once, in order: what a test awaits instead of sleeping. */
import { PATIENCE_MS } from './until.js';

interface Waiting<T> {
  readonly fits: (item: T) => boolean;
  readonly take: (item: T) => void;
}

export class Arrivals<T> {
  readonly #items: T[] = [];
  readonly #waiting: Waiting<T>[] = [];

  /** @param what Named when nothing comes within `patienceMs`. */
  constructor(
    private readonly what: string,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  push(item: T): void {
    const index = this.#waiting.findIndex(({ fits }) => fits(item));
    const [waiting] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (waiting === undefined) this.#items.push(item);
    else waiting.take(item);
  }

  /** The next that fits, come already or still to come. @throws {Error} When none comes. */
  next(fits: (item: T) => boolean = () => true): Promise<T> {
    const index = this.#items.findIndex(fits);
    const [item] = index < 0 ? [] : this.#items.splice(index, 1);
    return item === undefined ? this.#wait(fits) : Promise.resolve(item);
  }

  /** All that came and nobody took. */
  get untaken(): readonly T[] {
    return this.#items;
  }

  /** Nothing of what came until now is taken any more: what one test leaves is not the next one's. */
  forget(): void {
    this.#items.length = 0;
  }

  #wait(fits: (item: T) => boolean): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(new Error(`${this.what}: nothing came`));
      }, this.patienceMs);
      const waiting = {
        fits,
        take: (item: T) => {
          clearTimeout(timer);
          resolve(item);
        },
      };
      this.#waiting.push(waiting);
    });
  }
}
