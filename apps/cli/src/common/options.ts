/** Options of one command line as commander found them, read with their types; what makes no sense is a usage error. */

import { MAX_TIMEOUT } from '@natrium/model';

export interface Range {
  /** Without one there is no least number. */
  readonly min?: number;
  readonly max: number;
}

/** Caught in `program.ts` alone, which prints the usage line and the sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export class Options {
  readonly #found: Readonly<Record<string, unknown>>;
  readonly #typed: ReadonlyMap<string, string>;

  /** @param typed How each option was spelled on the command line, by its name. */
  constructor(found: Readonly<Record<string, unknown>>, typed: ReadonlyMap<string, string>) {
    this.#found = found;
    this.#typed = typed;
  }

  flag(name: string): boolean {
    return this.#found[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.#found[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** Whether the option was on the command line at all. */
  given(name: string): boolean {
    return this.#found[name] !== undefined && this.#found[name] !== false;
  }

  integer(name: string, range: Range): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^[+-]?\d+$/.test(text)) throw this.#invalid(name, `invalid integer value: '${text}'`);
    return this.#within(range, name, text);
  }

  /** A number with or without a fraction. */
  float(name: string, range: Range): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text))
      throw this.#invalid(name, `invalid floating-point value: '${text}'`);
    return this.#within(range, name, text);
  }

  /** Whole seconds of `-t`, a day at most; 0 and less are as if nothing had been given, as for Salt. */
  timeout(): number | undefined {
    const seconds = this.integer('timeout', { max: MAX_TIMEOUT });
    return seconds !== undefined && seconds > 0 ? seconds : undefined;
  }

  /** One of these words. */
  choice(name: string, choices: readonly string[]): string | undefined {
    const text = this.text(name);
    if (text === undefined || choices.includes(text)) return text;
    const words = choices.map((word) => `'${word}'`).join(', ');
    throw this.#invalid(name, `invalid choice: '${text}' (choose from ${words})`);
  }

  /** Words separated by commas, without blanks around them and without empty ones. */
  list(name: string): readonly string[] {
    const words = (this.text(name) ?? '').split(',').map((word) => word.trim());
    return words.filter((word) => word !== '');
  }

  #within({ min, max }: Range, name: string, text: string): number {
    const value = Number(text);
    if (value <= max && (min === undefined || value >= min)) return value;
    const range = min === undefined ? `more than ${String(max)}` : `not between ${String(min)} and ${String(max)}`;
    throw this.#invalid(name, `'${text}' is ${range}`);
  }

  #invalid(name: string, what: string): UsageError {
    return new UsageError(`option ${this.#typed.get(name) ?? name}: ${what}`);
  }
}

/** @throws {UsageError} When a word is left that means nothing. */
export function refuseWords(words: readonly string[]): void {
  if (words.length > 0) throw new UsageError(`unexpected argument '${words.join(' ')}'`);
}
