/**
 * A journal: messages in one order, kept for a while, each on the subject of its sender. It is appended to on the condition
 * that the sender's last message is still the one that the writer knows, so that two writers never both write the next.
 */
export interface JournalMessage {
  /** Its place in the journal, from 1. */
  readonly sequence: number;
  readonly subject: string;
  readonly value: Uint8Array;
  /** How many messages the journal holds after this one. */
  readonly behind: number;
}

/**
 * Where reading begins: after a sequence, at a time (milliseconds), with what is there first, or with what comes now.
 *
 * `since` is a time as well, for a reader that remembers no places: where the journal is lost and made anew, or holds less than was read of
 * it, reading goes on with what came since the last message. The minute before comes again, where it is still there.
 */
export type ReadFrom =
  | { readonly after: number }
  | { readonly at: number }
  | { readonly since: number }
  | { readonly everything: true }
  | { readonly now: true };

/** What no later try stores either: it has no encoding, or is larger than the broker takes. */
export class Unstorable extends Error {
  override readonly name = 'Unstorable';
  readonly code = 'ERR_UNSTORABLE';
}

export interface Reading {
  close(): void;
}

export interface Journal {
  readonly name: string;
  /**
   * @returns Its sequence; undefined when the subject's last message is another than `expectedLast` (0: none).
   * @throws {Unstorable} When it is larger than a message may be.
   */
  append(subject: string, value: Uint8Array, expectedLast: number): Promise<number | undefined>;
  lastOn(subject: string): Promise<JournalMessage | undefined>;
  /** The first sequence that is still held, and the last that was given. */
  bounds(): Promise<{ readonly first: number; readonly last: number }>;
  /**
   * Hands on every message in order, those to come as well, over lost connections and restarts of the broker. `onMessage` is
   * called again only when its promise has resolved. `onNothing` is called once when there is nothing to read yet. `onNoKey` takes the
   * turn of a message whose storage key is not here, by the key's id: it may come, and whoever then reads from there again has it.
   */
  read(
    from: ReadFrom,
    onMessage: (message: JournalMessage) => Promise<void> | void,
    onNothing?: () => void,
    onNoKey?: (id: string) => Promise<void> | void,
  ): Reading;
}
