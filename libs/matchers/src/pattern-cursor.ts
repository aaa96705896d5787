/** A position in a pattern's text, by code point as Python counts. */
import { PatternError } from './pattern-syntax.js';

export class Cursor {
  readonly #chars: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#chars = Array.from(text);
  }

  get at(): number {
    return this.#at;
  }

  get done(): boolean {
    return this.#at >= this.#chars.length;
  }

  /** The char `ahead` places on, or the empty text at the end. */
  peek(ahead = 0): string {
    return this.#chars[this.#at + ahead] ?? '';
  }

  next(): string {
    const char = this.#chars[this.#at];
    if (char === undefined) throw new PatternError('it ends too early');
    this.#at += 1;
    return char;
  }

  take(text: string): boolean {
    const chars = Array.from(text);
    if (!chars.every((char, index) => this.peek(index) === char)) return false;
    this.#at += chars.length;
    return true;
  }

  takeWhile(accepts: RegExp, atMost = Infinity): string {
    let taken = '';
    while (!this.done && taken.length < atMost && accepts.test(this.peek())) taken += this.next();
    return taken;
  }

  rewind(to: number): void {
    this.#at = to;
  }
}
