/**
 * The pairs of a YAML mapping as they are read: which keys are one and the same, and what `<<` brings.
 *
 * Two keys are the same when Python calls them equal (`1`, `1.0` and `yes`), or when they become the same text. A key of the mapping itself
 * counts before the same text of what is merged; of two that are merged, neither does.
 *
 * Spec: spec/config.md#yaml.
 */
import { Float, pyRepr } from '@natrium/model';

/** `=` is text as a key, and an error anywhere else. */
export const EQUALS: unique symbol = Symbol('=');

/** A key of a mapping that is merged into another. */
export class MergedKey {
  constructor(
    readonly text: string,
    /** What Python compares. */
    readonly equal: unknown,
  ) {}
}

const keysOfMaps = new WeakMap<object, readonly MergedKey[]>();

export class MapPairs {
  readonly #own = new Map<string, unknown>();
  readonly #keys: MergedKey[] = [];
  readonly #equal = new Set<unknown>();
  readonly #merged: (readonly [MergedKey, unknown])[] = [];

  static mergedKeys(map: object): readonly MergedKey[] {
    return keysOfMaps.get(map) ?? [];
  }

  /** Whether a key of the mapping itself is there; what is merged is looked at in the end. */
  has(key: unknown): boolean {
    if (key instanceof MergedKey) return false;
    return this.#equal.has(equalOf(key)) || this.#own.has(keyText(key) ?? '');
  }

  /** @returns false for a key that is a list or a mapping. */
  add(key: unknown, value: unknown): boolean {
    if (key instanceof MergedKey) return this.#merged.push([key, value]) > 0;
    const text = keyText(key);
    if (text === undefined) return false;
    this.#keys.push(new MergedKey(text, equalOf(key)));
    this.#equal.add(equalOf(key));
    this.#own.set(text, value);
    return true;
  }

  /** @throws {Error} When what is merged holds a key twice, or one that equals a key of the mapping and is not the same text. */
  finish(): Record<string, unknown> {
    const merged = this.#merged.filter(([{ text }]) => !this.#own.has(text));
    const texts = new Set<string>();
    for (const [{ text, equal }] of merged) {
      if (texts.has(text) || this.#equal.has(equal)) throw new Error(`the key ${text} is merged twice`);
      texts.add(text);
      this.#equal.add(equal);
    }
    const map = Object.fromEntries([...merged.map(([{ text }, value]) => [text, value] as const), ...this.#own]);
    keysOfMaps.set(map, [...merged.map(([key]) => key), ...this.#keys]);
    return map;
  }
}

/** Keys are text in every value of this project: `1`, `true`, `null`, `1.0` are spelled as JSON and Python spell them. */
export function keyText(key: unknown): string | undefined {
  if (key === EQUALS) return '=';
  if (key instanceof Float) return pyRepr(key);
  if (key === null || ['string', 'number', 'bigint', 'boolean'].includes(typeof key)) return String(key);
  return undefined;
}

/** The same for keys that are equal in Python: true is 1, false is 0, a whole float is the integer. */
function equalOf(key: unknown): unknown {
  if (typeof key === 'boolean') return Number(key);
  if (!(key instanceof Float)) return key === EQUALS ? '=' : key;
  return Number.isInteger(key.value) && !Number.isSafeInteger(key.value) ? BigInt(key.value) : key.value;
}
