/**
 * The storage keys of one class as a folder of files, named by the time from which each seals. New ones are put there, and
 * old ones deleted, while services run: they watch the folder, and look again when a value names a key that they lack.
 *
 * Spec: spec/envelope.md#storage.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes, type StorageKey } from '@natrium/envelope';
import { KeyfileCorrupt, readKeyFile, writeKeyFile } from './key-file.js';

const ENDING = '.key';
/** Unknown ids that are looked for, once each, until the next `reload`: whoever can write to the broker can invent more. */
const MAX_MISSED = 1000;

export class StorageFolder {
  readonly #missed = new Set<string>();
  #keys = new Map<string, StorageKey>();

  /** @throws {KeyfileCorrupt} When it holds no key, or a file that is none. */
  constructor(
    readonly folder: string,
    private readonly now: () => number = Date.now,
  ) {
    this.reload();
  }

  /** Ids, the oldest first. */
  get ids(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** What seals now: the last one whose time has come. */
  get newest(): StorageKey {
    const keys = [...this.#keys.values()];
    const [first] = keys;
    if (first === undefined) throw new KeyfileCorrupt(this.folder, 'hold any storage key');
    const current = storageKeyId(this.now());
    return keys.findLast(({ id }) => id <= current) ?? first;
  }

  byId(id: string): StorageKey | undefined {
    const known = this.#keys.get(id);
    if (known !== undefined || this.#missed.has(id) || this.#missed.size >= MAX_MISSED) return known;
    this.#missed.add(id);
    this.#read();
    return this.#keys.get(id);
  }

  /** Takes over what is in the folder now: keys whose files are gone are wiped. @throws {KeyfileCorrupt} */
  reload(): void {
    this.#missed.clear();
    this.#read();
  }

  /** Makes a key that seals from `fromMs` on. */
  add(fromMs: number): string {
    const id = storageKeyId(fromMs);
    const path = this.#pathOf(id);
    if (!existsSync(path)) writeKeyFile(path, randomBytes(32));
    this.#read();
    return id;
  }

  /** Nothing that was sealed under it opens again. */
  remove(id: string): void {
    rmSync(this.#pathOf(id), { force: true });
    this.#read();
  }

  #read(): void {
    const files = (existsSync(this.folder) ? readdirSync(this.folder) : []).filter((file) => file.endsWith(ENDING));
    const keys = new Map<string, StorageKey>();
    for (const file of files.sort()) {
      const id = file.slice(0, -ENDING.length);
      const key = readKeyFile(join(this.folder, file));
      if (key === undefined) continue; // deleted between the look and the reading
      keys.set(id, this.#keys.get(id) ?? { id, key });
    }
    if (keys.size === 0) throw new KeyfileCorrupt(this.folder, 'hold any storage key');
    for (const [id, { key }] of this.#keys) if (!keys.has(id)) key.fill(0);
    this.#keys = keys;
  }

  #pathOf(id: string): string {
    return join(this.folder, `${id}${ENDING}`);
  }
}

/** 14 digits, UTC: `YYYYMMDDhhmmss`. */
export function storageKeyId(ms: number): string {
  return new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14);
}

/** From when on it seals, in ms since 1970; `NaN` for what is no id. */
export function storageKeyMs(id: string): number {
  return Date.parse(id.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6Z'));
}
