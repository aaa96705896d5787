/**
 * Sends spooled events to the gateways: one batch under way, the next when that one is stored. A batch without an answer is
 * sent again, as it is; the gateway stores it once.
 *
 * Where somebody may have heard it and says nothing, each further try waits longer, and hosts not for the same time: gateways and a
 * broker that are at their limit would never come to rest under what all minions send again.
 *
 * Spec: spec/envelope.md#durability.
 */
import { contracts } from '@natrium/wire';
import type { LiveLink } from '../link/live-link.js';
import type { EventBatch, EventSpool } from './event-spool.js';

/** How long the first two answers are waited for, since most trouble is short; then twice as long each time. */
const ANSWER_MS = 5000;
const PATIENT_TRIES = 2;
/** While nobody is there, which the broker says at once: the first to come gets it. */
const AGAIN_MS = 500;
/** After silence twice as long each time, up to this, and up to half as much more by chance. */
const MOST_AGAIN_MS = 30_000;
const SPREAD = 0.5;

export class EventForwarder {
  #sending = false;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  /** Batches in a row that somebody may have heard, without an answer. */
  #silences = 0;

  constructor(
    private readonly link: LiveLink,
    private readonly spool: EventSpool,
    private readonly onProblem: (problem: string, cause?: unknown) => void,
    private readonly random: () => number = Math.random,
  ) {
    link.whenBack(() => {
      this.#brokerIsBack();
    });
  }

  /** There is something to send. */
  wake(): void {
    // While it waits to try again, what is new goes with that: each failure would begin a row of tries of its own.
    if (this.#sending || this.#timer !== undefined || this.#closed || !this.spool.ready) return;
    this.#sending = true;
    this.#sendAll()
      .catch((cause: unknown) => {
        this.onProblem('events could not be sent and are tried again', cause);
        return false;
      })
      .then((done) => {
        this.#sending = false;
        if (done) this.wake();
        else if (!this.#closed) this.#wakeLater();
      })
      .catch(this.onProblem);
  }

  #wakeLater(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.wake();
    }, this.#againMs());
  }

  #againMs(): number {
    if (this.#silences === 0) return AGAIN_MS;
    const ms = Math.min(AGAIN_MS * 2 ** (this.#silences - 1), MOST_AGAIN_MS);
    return ms * (1 + SPREAD * this.random());
  }

  /** What was silent until now may have been the way there. */
  #brokerIsBack(): void {
    this.#silences = 0;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.wake();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** @returns false when nobody took the batch. */
  async #sendAll(): Promise<boolean> {
    for (;;) {
      const batch = this.spool.batch();
      if (batch === undefined) return true;
      // Each batch is settled under the identity that sent it: the gateways number events by it.
      const through = await this.link.steady(() => this.#send(batch));
      if (through === undefined || this.#closed) return false;
      // Numbers that we never gave: an earlier life of this minion, whose spool is lost, has used them.
      if (through > this.spool.last) this.spool.renumber(through);
      else this.spool.forget(through);
    }
  }

  /** @returns Up to which number the gateway has them; undefined when nobody said so. */
  async #send({ first, dropped, events }: EventBatch): Promise<number | undefined> {
    const { bus, subjects, own, directory } = this.link;
    const answer = await bus.ask(
      {
        contract: contracts.events,
        body: { first, dropped, events: [...events] },
        subject: subjects.up(own.fp, 'event'),
        to: () => directory.role('gateway'),
      },
      contracts.eventsStored,
      this.#silences < PATIENT_TRIES ? ANSWER_MS : 2 * ANSWER_MS,
    );
    if (answer.ok) this.#silences = 0;
    else if (answer.error !== 'no_responders' && answer.error !== 'nobody_known') this.#silences += 1;
    return answer.ok ? answer.value.body.through : undefined;
  }
}
