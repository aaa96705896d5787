/** A message that was opened, as whoever handles it sees it: what it says, who sent it, and how he is answered. */
import { encodeReceipt, equalBytes, type KnownParty, type OpenedMessage, randomBytes } from '@natrium/envelope';
import type { Body, Contract } from '@natrium/wire';
import type { Incoming } from '../ports/transport.js';
import type { Sealer } from './sealer.js';

export interface Opened<C extends Contract = Contract> {
  readonly body: Body<C>;
  readonly kind: string;
  readonly subject: string;
  /** Where answers go; a joiner's is kept for later. */
  readonly reply: string | undefined;
  readonly party: KnownParty;
  readonly messageId: Uint8Array;
  readonly private: Uint8Array;
  /** Seals an answer to the sender; may be called more than once where the contract says that news follow. */
  answer<A extends Contract>(contract: A, body: Body<A>): void;
  /** Tells the sender, who waits only for that, that it is done. The function holds nothing else of the message, so it can be kept until then. */
  readonly acknowledge: () => void;
}

export function asOpened(opened: OpenedMessage, message: Incoming, sealer: Sealer): Opened {
  return new Answerable(opened, message, sealer);
}

class Answerable implements Opened {
  readonly body: unknown;
  readonly kind: string;
  readonly subject: string;
  readonly reply: string | undefined;
  readonly party: KnownParty;
  readonly messageId: Uint8Array;
  readonly private: Uint8Array;

  // Not to be seen from outside, in a line of a log least of all: one of them leads to secrets.
  readonly #opened: OpenedMessage;
  readonly #message: Incoming;
  readonly #sealer: Sealer;

  constructor(opened: OpenedMessage, message: Incoming, sealer: Sealer) {
    this.#opened = opened;
    this.#message = message;
    this.#sealer = sealer;
    this.body = opened.body;
    this.kind = opened.kind;
    this.party = opened.party;
    this.messageId = opened.messageId;
    this.private = opened.private;
    this.subject = message.subject;
    this.reply = message.reply;
  }

  answer<A extends Contract>(contract: A, said: Body<A>): void {
    if (this.reply === undefined) return;
    const { party, messageId } = this;
    // An epoch may have begun since the question was sealed, or while it was answered: then the asker may not know the key
    // that answers, and the answer brings the whole announcement.
    const introduce = !equalBytes(this.#opened.recipient, this.#sealer.own.keyring.currentKeyId);
    const framing = { messageId: randomBytes(16), re: messageId, introduce };
    this.#message.respond(this.#sealer.seal(contract, said, [party], framing));
  }

  get acknowledge(): () => void {
    return acknowledging(this.#message, encodeReceipt(this.#opened.receipt()));
  }
}

function acknowledging({ reply, respond }: Incoming, receipt: Uint8Array): () => void {
  return () => {
    if (reply !== undefined) respond(receipt);
  };
}
