/** Options of one command line as commander found them, read with their types; what makes no sense is a usage error. */

/** Caught in `program.ts` alone, which prints the usage line and the sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export class Options {
  readonly #found: Readonly<Record<string, unknown>>;

  constructor(found: Readonly<Record<string, unknown>>) {
    this.#found = found;
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

  integer(name: string, flag: string, range: { readonly min: number; readonly max: number }): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (/^[+-]?\d+$/.test(text) && value >= range.min && value <= range.max) return value;
    throw new UsageError(`option ${flag}: invalid integer value: '${text}'`);
  }

  /** A number with or without a fraction. */
  float(name: string, flag: string, range: { readonly min: number; readonly max: number }): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && value >= range.min && value <= range.max) return value;
    throw new UsageError(`option ${flag}: invalid floating-point value: '${text}'`);
  }

  /** Words separated by commas, without blanks around them and without empty ones. */
  list(name: string): readonly string[] {
    const words = (this.text(name) ?? '').split(',').map((word) => word.trim());
    return words.filter((word) => word !== '');
  }
}
