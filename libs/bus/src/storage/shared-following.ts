/**
 * Follows what is under patterns of a store, for all who wait for something there at the same time: who waits under the same pattern
 * shares one follower, since each is a consumer of the broker.
 */
import type { Change, Following, Store } from '../ports/store.js';

interface Followed<T> {
  /** What is there now, by key, for who comes later. */
  readonly told: Map<string, T>;
  readonly takers: Set<(heard: T) => void>;
  readonly following: Promise<Following>;
}

export class SharedFollowing<T> {
  readonly #followed = new Map<string, Followed<T>>();

  /** @param read Makes of a change what its hearers take, once for all of them. */
  constructor(
    private readonly store: Pick<Store, 'follow'>,
    private readonly read: (change: Change) => T,
  ) {}

  /**
   * Hands on what is there under a pattern, and each change after, until the signal ends it; whoever has heard what he waits for aborts that.
   *
   * @throws {Error} When the store cannot be read.
   */
  async hear(pattern: string, take: (heard: T) => void, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const ended = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const followed = this.#followed.get(pattern) ?? this.#follow(pattern);
    followed.takers.add(take);
    try {
      followed.told.forEach((heard) => {
        take(heard);
      });
      await Promise.race([ended, followed.following.then(() => ended)]);
    } finally {
      followed.takers.delete(take);
      if (followed.takers.size === 0) this.#leave(pattern, followed);
    }
  }

  #follow(pattern: string): Followed<T> {
    const told = new Map<string, T>();
    const takers = new Set<(heard: T) => void>();
    const onChange = (change: Change) => {
      const heard = this.read(change);
      told.set(change.key, heard);
      for (const take of takers) take(heard);
    };
    const followed = { told, takers, following: this.store.follow(onChange, 0, pattern) };
    this.#followed.set(pattern, followed);
    return followed;
  }

  /** One that is only beginning is there for who comes meanwhile: a broker that is slow to make consumers would be asked for one after the other. */
  #leave(pattern: string, followed: Followed<T>): void {
    const forget = () => {
      if (this.#followed.get(pattern) === followed) this.#followed.delete(pattern);
    };
    followed.following.then((following) => {
      if (followed.takers.size > 0) return;
      forget();
      following.close();
    }, forget); // who waited has heard of the failure
  }
}
