/**
 * What the rest of the project needs of a message broker. One contract suite (`transport.contract.ts`) holds for all
 * implementations; nothing outside this library knows NATS.
 */
export interface Incoming {
  readonly subject: string;
  readonly payload: Uint8Array;
  readonly reply: string | undefined;
  /** The broker's own word that nobody listens on the subject that was asked. */
  readonly noResponders: boolean;
  /** Answers on `reply` from where the question was heard; nothing when there is none. */
  readonly respond: (payload: Uint8Array) => void;
}

export interface Listening {
  /** Stops listening once what has arrived is handled. */
  close(): Promise<void>;
}

export interface Transport {
  /** Never waits: while there is no connection, a bounded amount is kept. */
  publish(subject: string, payload: Uint8Array, reply?: string): void;
  /** @param queue Of all listeners with the same queue word, one hears each message. */
  subscribe(subject: string, handler: (message: Incoming) => void, queue?: string): Listening;
  /** Resolves when the broker has seen all that was sent before. */
  flush(): Promise<void>;
  /** Handles what has arrived, sends what is waiting, and closes. */
  drain(): Promise<void>;
}
