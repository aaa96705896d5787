/**
 * For benches: keeps what comes in, and what goes out, until it is told otherwise, so that the gateway's part of a job and the
 * minions' can be timed one after the other. Open, it passes everything.
 */
import type { Incoming, Listening, Transport } from '@natrium/bus';
import { fpIn } from '@natrium/wire';

export type GateState = 'open' | 'hold' | 'work';

interface HeldIn {
  readonly handler: (message: Incoming) => void;
  readonly message: Incoming;
}

export interface GateNews {
  /** As many as there are minions are held. */
  onHeld(what: 'jobs' | 'returns', bytes: number): void;
}

export class Gate {
  #state: GateState = 'open';
  #plain: Uint8Array | undefined;
  readonly #in: HeldIn[] = [];
  readonly #out: (() => void)[] = [];
  #bytes = 0;

  /** @param expected How many jobs, and how many returns, are waited for. */
  constructor(
    private readonly expected: () => number,
    private readonly news: GateNews,
  ) {}

  /** What comes from now on is kept. */
  hold(): void {
    this.#state = 'hold';
    this.#bytes = 0;
  }

  /** What came is opened, and what is sent is kept. */
  work(): void {
    this.#state = 'work';
    this.#bytes = 0;
    for (const { handler, message } of this.#in.splice(0)) handler(message);
  }

  open(): void {
    this.#state = 'open';
    this.#plain = undefined;
    for (const { handler, message } of this.#in.splice(0)) handler(message);
    for (const send of this.#out.splice(0)) send();
  }

  /** Nothing is opened: each job is answered with these bytes. */
  plain(bytes: number): void {
    this.#plain = new Uint8Array(bytes).fill(0x6e);
  }

  /** One connection behind this gate. */
  before(transport: Transport): Transport {
    return {
      publish: (subject, payload, reply) => {
        this.#send(payload.length, () => {
          transport.publish(subject, payload, reply);
        });
      },
      subscribe: (subject, handler, queue): Listening =>
        transport.subscribe(subject, (message) => {
          this.#take(handler, message);
        }, queue), // prettier-ignore
      flush: () => transport.flush(),
      drain: () => transport.drain(),
    };
  }

  #take(handler: (message: Incoming) => void, message: Incoming): void {
    const isJob = fpIn(message.subject) !== undefined && message.subject.includes('.job.');
    if (this.#plain !== undefined && isJob) {
      message.respond(this.#plain);
      return;
    }
    if (this.#state !== 'hold' || !isJob) {
      handler(message);
      return;
    }
    this.#in.push({ handler, message });
    this.#bytes += message.payload.length;
    if (this.#in.length === this.expected()) this.news.onHeld('jobs', this.#bytes);
  }

  #send(bytes: number, send: () => void): void {
    if (this.#state !== 'work') {
      send();
      return;
    }
    this.#out.push(send);
    this.#bytes += bytes;
    if (this.#out.length === this.expected()) this.news.onHeld('returns', this.#bytes);
  }
}
