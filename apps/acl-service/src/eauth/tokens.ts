/**
 * Tokens in JetStream, under the hash of their text: who reads the store learns no token. Each has its own end, and is refused
 * from then on, deleted or not.
 *
 * Every replica follows the store and looks a token up in memory; only one that it has not heard of costs a way to the broker,
 * which may know it already.
 *
 * Spec: spec/acl.md#tokens, spec/wire.md#token-entry.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Store } from '@natrium/bus';
import { decode, encode, type Wire } from '@natrium/envelope';
import { readAs, records, writeAs } from '@natrium/wire';
import { folded } from './account-name.js';

type TokenEntry = records.TokenEntry;

/** Bytes of a token's text by its use: 40 or 64 hexadecimal digits, as Salt's. */
const BYTES = { session: 20, token: 32 } as const;
const TOKEN = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const PREFIX = 't.';
const MIN_NAMED = 8;

export interface ListedToken extends TokenEntry {
  /** The hash, which names the token without proving anything. */
  readonly id: string;
}

export class Tokens {
  /** By the key in the store. */
  readonly #known = new Map<string, TokenEntry>();

  private constructor(
    private readonly store: Store,
    private readonly now: () => number,
  ) {}

  /** Resolves when every token that is stored is known. */
  static async follow(store: Store, now: () => number): Promise<Tokens> {
    const tokens = new Tokens(store, now);
    await store.follow(({ key, value }) => {
      if (value === undefined) tokens.#known.delete(key);
      else if (key.startsWith(PREFIX)) tokens.#known.set(key, read(value));
    });
    return tokens;
  }

  /** @returns The token's text, which nobody can look up again. */
  async issue(entry: TokenEntry): Promise<string> {
    const token = randomBytes(BYTES[entry.use]).toString('hex');
    await this.store.put(keyOf(token), encode(writeAs(records.TokenEntry, entry) as Wire));
    return token;
  }

  async find(token: string): Promise<TokenEntry | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const key = keyOf(token);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const stored = await this.store.get(key);
    return stored === undefined ? undefined : read(stored.value);
  }

  async end(token: string): Promise<void> {
    if (TOKEN.test(token)) await this.#delete(keyOf(token));
  }

  /** Those that still count, oldest first. */
  async list(): Promise<readonly ListedToken[]> {
    const now = this.now();
    return (await this.#all()).filter(({ expires }) => expires > now);
  }

  /** Ends tokens by the beginning of their id. @returns undefined when that names none, or more than one. */
  async revoke(id: string): Promise<ListedToken | undefined> {
    const [found, ...more] = id.length < MIN_NAMED ? [] : (await this.#all()).filter((one) => one.id.startsWith(id));
    if (found === undefined || more.length > 0) return undefined;
    await this.#delete(PREFIX + found.id);
    return found;
  }

  /** Ends those of a name in any case. @returns Those that were ended. */
  async revokeOf(eauth: string | undefined, name: string): Promise<readonly ListedToken[]> {
    const wanted = folded(name);
    const own = (await this.#all()).filter((one) => folded(one.name) === wanted && (eauth ?? one.eauth) === one.eauth);
    await Promise.all(own.map(({ id }) => this.#delete(PREFIX + id)));
    return own;
  }

  /** Removes what has expired: nobody asks for it again. */
  async sweep(): Promise<void> {
    const now = this.now();
    const over = (await this.#all()).filter(({ expires }) => expires <= now);
    await Promise.all(over.map(({ id }) => this.#delete(PREFIX + id)));
  }

  /** Here it is refused at once, elsewhere as soon as the broker tells. */
  async #delete(key: string): Promise<void> {
    this.#known.delete(key);
    await this.store.delete(key);
    this.#known.delete(key);
  }

  async #all(): Promise<readonly ListedToken[]> {
    const entries = await this.store.list(`${PREFIX}*`);
    return entries.map(({ key, value }) => ({
      id: key.slice(PREFIX.length),
      ...read(value),
    }));
  }
}

function read(value: Uint8Array): TokenEntry {
  return readAs(records.TokenEntry, decode(value));
}

function keyOf(token: string): string {
  return PREFIX + createHash('sha256').update(token).digest('hex');
}
