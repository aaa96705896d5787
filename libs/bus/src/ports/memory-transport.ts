/** A broker in memory, for tests of one process; it keeps the same contract as the real one (`transport.contract.ts`). */
import type { Incoming, Listening, Transport } from './transport.js';

interface Listener {
  readonly parts: readonly string[];
  readonly queue: string | undefined;
  readonly handler: (message: Incoming) => void;
}

export class MemoryBroker {
  readonly #listeners = new Set<Listener>();
  #turn = 0;

  connect(): Transport {
    const own = new Set<Listener>();
    return {
      publish: (subject, payload, reply) => {
        this.#publish({ subject, payload, reply, noResponders: false });
      },
      subscribe: (subject, handler, queue) => this.#listen(own, { parts: subject.split('.'), queue, handler }),
      flush: () => new Promise((resolve) => setImmediate(resolve)),
      drain: () => {
        for (const listener of own) this.#listeners.delete(listener);
        return Promise.resolve();
      },
    };
  }

  #listen(own: Set<Listener>, listener: Listener): Listening {
    own.add(listener);
    this.#listeners.add(listener);
    return {
      close: () => {
        own.delete(listener);
        this.#listeners.delete(listener);
        return Promise.resolve();
      },
    };
  }

  #publish(said: Omit<Incoming, 'respond'>): void {
    const message = {
      ...said,
      respond: (payload: Uint8Array) => {
        if (said.reply !== undefined)
          this.#publish({ subject: said.reply, payload, reply: undefined, noResponders: false });
      },
    };
    const parts = message.subject.split('.');
    const matching = [...this.#listeners].filter((listener) => matches(listener.parts, parts));
    if (matching.length === 0 && message.reply !== undefined) {
      this.#publish({ subject: message.reply, payload: new Uint8Array(), reply: undefined, noResponders: true });
      return;
    }
    for (const listener of this.#oneOfEachQueue(matching)) {
      setImmediate(() => {
        if (this.#listeners.has(listener)) hand(listener, message);
      });
    }
  }

  #oneOfEachQueue(matching: readonly Listener[]): readonly Listener[] {
    if (matching.some(({ queue }) => queue !== undefined)) this.#turn += 1;
    const queues = new Set(matching.map((listener) => listener.queue));
    return [...queues].flatMap((queue) => {
      const members = matching.filter((listener) => listener.queue === queue);
      return queue === undefined ? members : members.slice(this.#turn % members.length).slice(0, 1);
    });
  }
}

/** A handler that throws goes on hearing, as on the real broker. */
function hand({ handler }: Listener, message: Incoming): void {
  try {
    handler(message);
  } catch {
    // The real one tells its connection's watcher, which a broker in memory has not.
  }
}

function matches(pattern: readonly string[], subject: readonly string[]): boolean {
  for (const [index, part] of pattern.entries()) {
    if (part === '>') return subject.length > index;
    if (part !== '*' && part !== subject[index]) return false;
  }
  return pattern.length === subject.length;
}
