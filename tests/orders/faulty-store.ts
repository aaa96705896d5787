/** A bucket as one gateway reaches it: what it asks comes into effect late or never, and the answer may be lost. */
import { type Change, type Entry, type Store, StreamRefused } from '@natrium/bus';
import { fitsKey } from '../../libs/bus/src/ports/key-pattern.js';
import type { JobCache } from '../../apps/master-gateway/src/jobs/job-cache.js';
import type { Bucket } from './bucket.js';
import { NEVER, type Reached } from './parties.js';
import type { World } from './world.js';

const NEWS_MS = 2;

export class FaultyStore implements Store {
  constructor(
    private readonly world: World,
    private readonly gateway: Reached,
    private readonly bucket: Bucket,
  ) {}

  get name(): string {
    return this.bucket.name;
  }

  get(key: string): Promise<Entry | undefined> {
    return this.#read(`get ${key}`, () => this.bucket.read(key));
  }

  at(revision: number): Promise<Entry | undefined> {
    return this.#read(`at ${revision}`, () => this.bucket.under(['>']).find((entry) => entry.revision === revision));
  }

  async create(key: string, value: Uint8Array): Promise<number | undefined> {
    const created = await this.#write(`create ${key}`, () => this.bucket.write(key, value, 0));
    if (created !== undefined) return created;
    const marker = await this.#read(`get ${key}`, () => this.bucket.marker(key));
    return marker === undefined ? undefined : this.update(key, value, marker);
  }

  update(key: string, value: Uint8Array, revision: number): Promise<number | undefined> {
    return this.#write(`update ${key} @${revision}`, () => this.bucket.write(key, value, revision));
  }

  put(key: string, value: Uint8Array): Promise<number> {
    return this.#write(`put ${key}`, () => this.bucket.put(key, value));
  }

  async delete(key: string, revision?: number): Promise<void> {
    await this.#write(`delete ${key} @${String(revision)}`, () => this.bucket.write(key, undefined, revision));
  }

  follow(onEntry: (change: Change) => void, since = 0, pattern = '>'): ReturnType<Store['follow']> {
    return this.#read(`follow ${pattern}`, () => {
      const { bucket, gateway, world } = this;
      for (const entry of bucket.under([pattern], since)) onEntry(entry);
      const hear = (change: Change) => {
        if (!fitsKey(pattern, change.key)) return;
        world.after(NEWS_MS, () => {
          if (!gateway.isDead) world.time.within(gateway, () => onEntry(change));
        });
      };
      bucket.listeners.add(hear);
      return { close: () => bucket.listeners.delete(hear) };
    });
  }

  list(pattern: string, since = 0): Promise<readonly Entry[]> {
    return this.#read(`list ${pattern}`, () => this.bucket.under([pattern], since));
  }

  async *each(pattern: string, since = 0): AsyncGenerator<Entry> {
    yield* await this.list(pattern, since);
  }

  async *eachAny(patterns: readonly string[]): AsyncGenerator<Entry> {
    yield* await this.#read(`list ${patterns.join(' ')}`, () => this.bucket.under(patterns));
  }

  async last(pattern: string): Promise<Entry | undefined> {
    return (await this.list(pattern)).at(-1);
  }

  async keyNames(pattern: string): Promise<readonly string[]> {
    return (await this.list(pattern)).map(({ key }) => key);
  }

  bounds(): Promise<{ readonly first: number; readonly last: number }> {
    return this.#read('bounds', () => ({ first: 1, last: this.bucket.revision }));
  }

  #read<T>(what: string, apply: () => T): Promise<T> {
    return this.#ask(what, false, apply);
  }

  #write<T>(what: string, apply: () => T): Promise<T> {
    return this.#ask(what, true, apply);
  }

  #ask<T>(what: string, isWrite: boolean, apply: () => T): Promise<T> {
    const { world, gateway } = this;
    if (gateway.isDead) return NEVER;
    const say = (how: string) => {
      world.say(`${gateway.instance} ${short(what)} in ${this.name}: ${how}`);
    };
    const { appliesAfter, answersAfter, failsAfter } = world.trouble.courseOf(what, isWrite, world.cutMs(gateway));
    return new Promise((resolve, reject) => {
      const failed = () => {
        say(`no answer, ${appliesAfter === undefined ? 'and nothing is done' : 'though it is done, or will be'}`);
        reject(new StreamRefused(0, 'no acknowledgement in time'));
      };
      if (failsAfter !== undefined) world.whenReached(gateway, failsAfter, failed);
      if (appliesAfter === undefined) return;
      world.after(appliesAfter, () => {
        const done = apply();
        if (isWrite) say(done === undefined ? 'something else is there' : `revision ${String(done)}`);
        if (answersAfter !== undefined) world.whenReached(gateway, answersAfter, () => resolve(done));
      });
    });
  }
}

/** The jobs' store as this gateway reaches it. */
export function cacheFor(world: World, gateway: Reached): JobCache {
  const stores = world.buckets.map((bucket) => new FaultyStore(world, gateway, bucket));
  return world.cacheOf(stores as [FaultyStore, FaultyStore], {
    instance: gateway.instance,
    now: () => world.time.wall,
  });
}

/** Of a digest the last digits are enough. */
function short(what: string): string {
  return what.replace(/[\da-f]{58}(?=[\da-f]{6})/g, '');
}
