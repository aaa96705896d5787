/**
 * A look at minions that a caller waits for: each is asked each second until it has answered, or was silent for long enough.
 *
 * A silent minion need not be gone: hosts stall, and questions are lost with a node of the broker. So silence counts only while the broker
 * takes what is asked, and a minion that the broker does not know is asked once more: it may be reconnecting from a node that has gone.
 */
export interface LookHearing {
  onAnswer(place: number, running: readonly string[]): void;
  onNoResponders(place: number): void;
}

export interface LookPorts {
  /** Asks those at these places. @returns Stops listening for their answers. */
  ask(places: readonly number[], hear: LookHearing): () => void;
  /** Resolves when the broker has taken what was asked until now; rejects when the connection is lost. */
  taken(): Promise<void>;
  /** Nobody can be asked any more. */
  isClosed(): boolean;
}

export interface Found {
  /** Jobs that are running there, by the place of who answered. */
  readonly here: ReadonlyMap<number, readonly string[]>;
  /** Places of those who the broker says are not connected. */
  readonly gone: ReadonlySet<number>;
}

const ROUND_MS = 1000;
const GONE_ROUNDS = 2;

export class PatientLook {
  readonly #here = new Map<number, readonly string[]>();
  /** How often the broker did not know who is at a place, and in which round it said so last. */
  readonly #absences = new Map<number, { readonly times: number; readonly round: number }>();
  #round = 0;
  readonly #left: Set<number>;
  #wake: () => void = () => undefined;

  constructor(
    private readonly ports: LookPorts,
    places: readonly number[],
    /** How often the broker has to say that nobody listens before that is believed. */
    private readonly goneRounds = GONE_ROUNDS,
  ) {
    this.#left = new Set(places);
  }

  /** @param silenceMs Whoever is there and says nothing for so long is not asked any more. */
  async find(silenceMs: number): Promise<Found> {
    const roundMs = Math.min(ROUND_MS, silenceMs);
    const hangUps: (() => void)[] = [];
    try {
      for (let silentMs = 0; silentMs < silenceMs && this.#goesOn; silentMs += roundMs) {
        hangUps.push(this.#ask());
        await this.#taken();
        await this.#pause(roundMs);
      }
    } finally {
      for (const hangUp of hangUps) hangUp();
    }
    const gone = [...this.#absences.keys()].filter((place) => this.#isGone(place));
    return { here: this.#here, gone: new Set(gone) };
  }

  get #goesOn(): boolean {
    return this.#left.size > 0 && !this.ports.isClosed();
  }

  /** One that the broker did not know at first, and knew when it was asked again, is only silent. */
  #isGone(place: number): boolean {
    const { times = 0, round = 0 } = this.#absences.get(place) ?? {};
    return !this.#here.has(place) && (times >= this.goneRounds || round === this.#round);
  }

  /** Late answers to what was asked before count as well. */
  #ask(): () => void {
    const round = (this.#round += 1);
    return this.ports.ask([...this.#left], {
      onAnswer: (place, running) => {
        this.#here.set(place, running);
        this.#settle(place);
      },
      onNoResponders: (place) => {
        const times = (this.#absences.get(place)?.times ?? 0) + 1;
        this.#absences.set(place, { times, round });
        if (times >= this.goneRounds) this.#settle(place);
      },
    });
  }

  /** Resolves when the broker has taken the questions. Until then nothing is asked again: all of it would leave at once when it is back. */
  async #taken(): Promise<void> {
    while (this.#goesOn) {
      try {
        await this.ports.taken();
        return;
      } catch {
        await this.#pause(ROUND_MS);
      }
    }
  }

  /** Ends early when nobody is left to wait for. */
  async #pause(ms: number): Promise<void> {
    if (!this.#goesOn) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #settle(place: number): void {
    this.#left.delete(place);
    if (this.#left.size === 0) this.#wake();
  }
}
