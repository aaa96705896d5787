/** What a consumer of the broker has, message by message, until it is silent or nobody wants more. */
import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { Stoppable } from './read-up-to.js';

/** How soon a consumer that is gone is noticed; twice that, when the broker itself went away. */
const WATCHED = { expires: 10_000, idle_heartbeat: 1000 } as const;
/** So often another consumer is asked for where the first question to one finds nobody. */
const MOST_ANEW = 5;

interface Begun {
  readonly consumer: Consumer;
  readonly messages: ConsumerMessages;
}

/**
 * A new consumer's node answers for it at once, and the other nodes may hear of it a moment later: of three nodes, one first
 * question for messages in twenty finds nobody. The client library then waits for two missed heartbeats; here another consumer is
 * asked for at once.
 */
export class ConsumerReading implements Stoppable<JsMsg> {
  #isStopped = false;
  #isNew = true;
  #foundNobody = false;
  #anew = 0;

  private constructor(
    private readonly ask: () => Promise<Consumer>,
    private readonly most: number | undefined,
    private begun: Begun,
  ) {}

  /**
   * @param ask Each time with options of its own: the library keeps the consumer's name in them, and by that name the first would be asked for.
   * @param most How many messages may wait here for a slow reader; by the library's own measure where it is left out.
   */
  static async begin(ask: () => Promise<Consumer>, most?: number): Promise<ConsumerReading> {
    return new ConsumerReading(ask, most, await begin(ask, most));
  }

  stop(): void {
    this.#isStopped = true;
    this.begun.messages.stop();
  }

  /** The broker has no consumer of it any more. */
  end(): void {
    this.stop();
    letGo(this.begun.consumer);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<JsMsg, void, undefined> {
    for (;;) {
      const { messages, consumer } = this.begun;
      if (this.#isStopped) this.end(); // while it was asked for
      void this.#watch(messages);
      for await (const message of messages) {
        this.#isNew = false;
        yield message;
      }
      if (!this.#foundNobody || this.#isStopped) return;
      this.#foundNobody = false;
      letGo(consumer);
      this.begun = await begin(this.ask, this.most);
    }
  }

  async #watch(messages: ConsumerMessages): Promise<void> {
    for await (const { type } of messages.status()) {
      // One that was there, and is not now, may come back; its heartbeats tell when it does not.
      if (type === 'no_responders' && this.#isNew && this.#anew < MOST_ANEW) {
        this.#anew += 1;
        this.#foundNobody = true;
        messages.stop();
      } else if (type === 'heartbeats_missed') messages.stop();
    }
  }
}

async function begin(ask: () => Promise<Consumer>, most: number | undefined): Promise<Begun> {
  const consumer = await ask();
  try {
    const messages = await consumer.consume(most === undefined ? WATCHED : { max_messages: most, ...WATCHED });
    return { consumer, messages };
  } catch (cause) {
    letGo(consumer);
    throw cause;
  }
}

/** The broker would keep it for minutes; one at a dead node is gone already. */
export function letGo(consumer: Consumer): void {
  consumer.delete().catch(() => undefined);
}
