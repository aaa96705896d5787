/**
 * Sends spooled events to the gateways: one batch under way, the next when that one is stored. A batch without an answer is
 * sent again, as it is; the gateway stores it once.
 *
 * Spec: spec/envelope.md#durability.
 */
import { contracts } from '@natrium/wire';
import type { LiveLink } from '../link/live-link.js';
import type { EventBatch, EventSpool } from './event-spool.js';

const ANSWER_MS = 5000;
const AGAIN_MS = 500;

export class EventForwarder {
  #sending = false;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly link: LiveLink,
    private readonly spool: EventSpool,
    private readonly onProblem: (problem: string, cause?: unknown) => void,
  ) {}

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
    }, AGAIN_MS);
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
      ANSWER_MS,
    );
    return answer.ok ? answer.value.body.through : undefined;
  }
}
