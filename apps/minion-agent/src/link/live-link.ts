/**
 * What the agent speaks through: the link of the identity that it has now. Another one may take its place while the agent
 * runs; whoever asks through this one never notices.
 *
 * Spec: spec/envelope.md#succession.
 */
import type { NatsTransport } from '@natrium/bus';
import type { Link, OwnUser } from '@natrium/client';

/** On the bus, under a key that is accepted. */
export interface CameIn {
  readonly transport: NatsTransport;
  readonly link: Link;
  /** Undefined where the broker knows no users. */
  readonly user: OwnUser | undefined;
}

export class LiveLink implements Link {
  #now: CameIn;
  readonly #whenBack = new Set<() => void>();
  #asking = 0;
  #changing: Promise<void> | undefined;
  #quiet: () => void = () => undefined;
  #lose: (why: string) => void = () => undefined;
  /** Resolves when the broker or the master no longer knows the identity that is live then, with the word for it. */
  readonly lost = new Promise<string>((resolve) => {
    this.#lose = resolve;
  });

  constructor(first: CameIn) {
    this.#now = first;
    this.#watch(first);
  }

  get came(): CameIn {
    return this.#now;
  }

  get transport() {
    return this.#now.transport;
  }

  get subjects() {
    return this.#now.link.subjects;
  }

  get bus() {
    return this.#now.link.bus;
  }

  get own() {
    return this.#now.link.own;
  }

  get roles() {
    return this.#now.link.roles;
  }

  get clock() {
    return this.#now.link.clock;
  }

  get directory() {
    return this.#now.link.directory;
  }

  get identity() {
    return this.#now.link.identity;
  }

  get services() {
    return this.#now.link.services;
  }

  greet() {
    return this.#now.link.greet();
  }

  /** A question, from its first word to its answer: a change of identity waits for it, and it waits for the change. */
  async steady<T>(ask: () => Promise<T>): Promise<T> {
    while (this.#changing !== undefined) await this.#changing;
    this.#asking += 1;
    try {
      return await ask();
    } finally {
      this.#asking -= 1;
      if (this.#asking === 0) this.#quiet();
    }
  }

  /**
   * Changes the identity while nothing is asked. One at a time.
   *
   * @param patienceMs What is still asked then goes on under the identity that asked; only what is not decided yet is refused.
   */
  async alone<T>(change: () => Promise<T>, patienceMs: number): Promise<T> {
    let done: () => void = () => undefined;
    this.#changing = new Promise((resolve) => {
      done = resolve;
    });
    try {
      await this.#quieted(patienceMs);
      return await change();
    } finally {
      this.#changing = undefined;
      done();
    }
  }

  /** What the identity that is live remembers of messages: another has a memory of its own. */
  forgetEnded(): number {
    return this.bus.sealer.forgetEnded();
  }

  /** From here on everything goes through this one. */
  goOver(next: CameIn): void {
    this.#now = next;
    this.#watch(next);
  }

  #quieted(patienceMs: number): Promise<void> {
    if (this.#asking === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      this.#quiet = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The cluster no longer knows the identity that is live. */
  lose(why: string): void {
    this.#lose(why);
  }

  /** Calls each time the broker is there again for the identity that is live then. */
  whenBack(back: () => void): void {
    this.#whenBack.add(back);
  }

  #watch({ transport }: CameIn): void {
    transport.whenBack(() => {
      if (this.#now.transport === transport) for (const back of this.#whenBack) back();
    });
    void transport.lost.then((why) => {
      if (this.#now.transport === transport) this.#lose(why);
    });
  }
}
