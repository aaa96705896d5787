/**
 * The callers that wait for news here: each hears every second that this gateway is still there, until it has heard the last news.
 * A caller that hears nothing for some seconds asks another gateway.
 */
import type { NewsTeller } from './news-teller.js';

const EVERY_MS = 1000;

export class Waiting {
  /** The callers that waited at the last look, and those that have come since. */
  #old = new Set<NewsTeller>();
  #new = new Set<NewsTeller>();
  readonly #timer: NodeJS.Timeout;

  constructor() {
    this.#timer = setInterval(() => {
      this.#tellAll();
    }, EVERY_MS).unref();
  }

  add(teller: NewsTeller): void {
    this.#new.add(teller);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Most callers have heard their last news within their first second: all that they cost is this one look. */
  #tellAll(): void {
    const still = [...this.#old, ...this.#new].filter((teller) => !teller.isOver);
    for (const teller of still) teller.tellAlive();
    this.#old = new Set(still);
    this.#new = new Set();
  }
}
