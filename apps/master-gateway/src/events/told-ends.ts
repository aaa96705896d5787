/**
 * Which ends of runs the bus has told: the journal is read from the oldest of those that are looked for, once for all that wait. After a
 * long trouble there are hundreds, and a reading for each is more than a broker answers in time.
 */
import type { EventFeed, Heard } from '@natrium/events';

interface LookedFor {
  readonly tag: string;
  /** In milliseconds: it cannot have been told before. */
  readonly since: number;
  readonly isIt: (told: Heard) => boolean;
}

interface Waiting extends LookedFor {
  readonly answer: (isTold: boolean) => void;
  readonly fail: (cause: unknown) => void;
}

const ENDS = ['salt/run/*/ret', 'salt/wheel/*/ret'];

export class ToldEnds {
  #waiting: Waiting[] = [];
  #isReading = false;

  constructor(private readonly bus: Pick<EventFeed, 'subscribe'>) {}

  /** @throws {Error} When the journal cannot be read. */
  has(end: LookedFor): Promise<boolean> {
    return new Promise((answer, fail) => {
      this.#waiting.push({ ...end, answer, fail });
      if (!this.#isReading) void this.#readForAll();
    });
  }

  /** Who comes while it is read waits for the next reading: what was read before he came is not read for him. */
  async #readForAll(): Promise<void> {
    this.#isReading = true;
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting;
      this.#waiting = [];
      try {
        await this.#readFor(waiting);
      } catch (cause) {
        for (const { fail } of waiting) fail(cause);
      }
    }
    this.#isReading = false;
  }

  async #readFor(waiting: readonly Waiting[]): Promise<void> {
    const left = new Set(waiting);
    const tags = new Set(waiting.map(({ tag }) => tag));
    const from = { time: waiting.reduce((oldest, { since }) => Math.min(oldest, since), Infinity) };
    for await (const told of this.bus.subscribe({ tags: ENDS, match: 'fnmatch', from, until: 'now' })) {
      if (!tags.has(told.tag)) continue;
      for (const one of left) {
        if (one.tag !== told.tag || !one.isIt(told)) continue;
        one.answer(true);
        left.delete(one);
      }
      if (left.size === 0) break;
    }
    for (const { answer } of left) answer(false);
  }
}
