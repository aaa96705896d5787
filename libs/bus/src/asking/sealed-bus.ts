/**
 * Sealed messages over a transport: questions and their answers, services that listen, and one job to many minions.
 *
 * Nothing here decides what a message means; what may be opened is decided in `Sealer` and libs/envelope.
 *
 * Spec: spec/envelope.md#message, spec/wire.md.
 */
import {
  encodeStaleKey,
  equalBytes,
  type KnownParty,
  namesKeyOnly,
  namesOf,
  type OpenedMessage,
  randomBytes,
  readReceipt,
  readStaleKey,
  toHex,
  traceIn,
} from '@natrium/envelope';
import { err, InFlight, ok, type Result } from '@natrium/model';
import { type Body, type Contract, fpIn, isInbox } from '@natrium/wire';
import type { Incoming, Listening, Transport } from '../ports/transport.js';
import { asOpened, type Opened } from '../sealing/opened.js';
import { isOpenToAll, type Sealer, SEEN } from '../sealing/sealer.js';
import { Asking, type Hearing, type Line, type Question, type Waiting } from './asking.js';
import type { AskFailure, Conversation } from './conversation.js';
import { type Fan, Fanning, type FanHearing, type ReadyFan } from './fanning.js';
import { NO_TRACING, type Tracing } from './tracing.js';

const NOTHING = new Uint8Array();

/**
 * One call for each message that was not opened, with the one word for why.
 *
 * @param isMended Its sender is told which key is the right one, or to bring his announcement, and sends it again: no fault of anybody.
 */
export type OnOpenFailure = (reason: string, subject: string, isMended?: boolean) => void;

export class SealedBus {
  readonly #waiting = new InFlight<string, Conversation>();
  /** Key ids of parties that have shown that they know our announcement. */
  readonly #knowUs = new Set<string>();
  readonly #inbox: Listening;
  #isClosed = false;

  constructor(
    readonly transport: Transport,
    readonly sealer: Sealer,
    private readonly onOpenFailure: OnOpenFailure = () => undefined,
    readonly tracing: Tracing = NO_TRACING,
  ) {
    this.#inbox = transport.subscribe(`${sealer.own.inbox}.>`, (message) => {
      this.#hear(message);
    });
  }

  /** After this nothing is heard. Questions, also later ones, still end in their time, but do not keep the process alive until then. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const conversation of this.#waiting.values()) conversation.letGo();
    await this.#inbox.close();
  }

  /** Asks and takes the first answer. @param timeoutMs Of all of it, waiting for somebody to hear it (`backMs`) included. */
  ask<Q extends Contract, A extends Contract>(
    question: Question<Q>,
    answers: A,
    timeoutMs: number,
  ): Promise<Result<{ readonly body: Body<A>; readonly party: KnownParty }, AskFailure>> {
    return new Promise((resolve) => {
      const hear: Hearing<A> = {
        onAnswer: (body, party) => {
          resolve(ok({ body, party }));
          return 'done';
        },
        onFailure: (failure) => {
          resolve(err(failure));
        },
      };
      this.#converse(new Asking(this.#line(), question, answers, { timeoutMs, of: 'all', hear }));
    });
  }

  /** Asks for what has no answer but that it is done, and waits for that. */
  deliver<Q extends Contract>(question: Question<Q>, timeoutMs: number): Promise<Result<undefined, AskFailure>> {
    return new Promise((resolve) => {
      const hear: Waiting<Contract> = {
        onReceipt: () => {
          resolve(ok(undefined));
        },
        onFailure: (failure) => {
          resolve(err(failure));
        },
      };
      this.#converse(new Asking(this.#line(), question, undefined, { timeoutMs, of: 'all', hear }));
    });
  }

  /**
   * Asks and takes answers until one of them is the last, nobody has answered for `timeoutMs`, or the asking failed.
   *
   * @returns Ends the conversation early.
   */
  converse<Q extends Contract, A extends Contract>(
    question: Question<Q>,
    answers: A,
    timeoutMs: number,
    hear: Hearing<A>,
  ): () => void {
    return this.#converse(new Asking(this.#line(), question, answers, { timeoutMs, of: 'silence', hear }));
  }

  #converse<Q extends Contract, A extends Contract>(asking: Asking<Q, A>): () => void {
    this.#waiting.set(toHex(asking.messageId), asking);
    if (this.#isClosed) asking.letGo();
    try {
      asking.ask();
    } catch (error) {
      asking.end(); // it cannot be sealed: nobody was asked, and nobody answers
      throw error;
    }
    return () => {
      asking.end();
    };
  }

  /** Sends one body to many; the broker's word tells at once who is not there. @returns Stops listening for answers. */
  fanOut<C extends Contract, A extends Contract>(fan: Fan<C, A>, hear: FanHearing<A>): () => void {
    return this.readyFan(fan).send(hear);
  }

  /** What `fanOut` sends, for a sender that has to wait before it may send, and can seal some of it meanwhile. */
  readyFan<C extends Contract, A extends Contract>(fan: Fan<C, A>): ReadyFan<A> {
    const fanning = new Fanning(this.#line(), fan);
    return {
      sealSome: () => fanning.sealSome(),
      send: (hear) => {
        this.#waiting.set(toHex(fanning.messageId), fanning);
        fanning.send(hear);
        return () => {
          fanning.end();
        };
      },
    };
  }

  /** Seals an answer for a party that asked earlier and still waits on `reply`. */
  answerLater<A extends Contract>(to: KnownParty, reply: string, re: Uint8Array, contract: A, body: Body<A>): void {
    if (!isInbox(reply)) return;
    const framing = { messageId: randomBytes(16), re, introduce: true };
    this.transport.publish(reply, this.sealer.seal(contract, body, [to], framing));
  }

  /** Opens every message on `subject` of one of `contracts` and hands it on; others get one answer that says nothing. */
  serve(
    subject: string,
    queue: string | undefined,
    contracts: readonly Contract[],
    handler: (opened: Opened) => unknown,
  ): Listening {
    const byKind = new Map(contracts.map((contract) => [contract.kind, contract]));
    const expects = (re: Uint8Array | null) => re === null;
    const isOpen = isOpenToAll(byKind.keys());
    return this.transport.subscribe(
      subject,
      (heard) => {
        const message = isInbox(heard.reply) ? heard : unanswerable(heard);
        const opened = this.sealer.open(message.payload, { subject: message.subject, contracts: byKind, expects });
        if (opened.ok) {
          if (!isOpen) this.sealer.directory.hear(opened.value.party);
          this.#handle(opened.value, message, handler);
        } else this.#turnAway(opened.error, message);
      },
      queue,
    );
  }

  /**
   * Reads what a queue group is asked, whichever of its members handles it. A message that does not open is ignored, since that member
   * answers it. A message may be read more than once.
   *
   * @param wants Asked before it is opened, with the `fp` that its subject names.
   */
  overhear<C extends Contract>(
    subject: string,
    contract: C,
    wants: (fp: string | undefined) => boolean,
    read: (heard: { readonly body: Body<C>; readonly party: KnownParty }) => void,
  ): Listening {
    const contracts = new Map([[contract.kind, contract]]);
    return this.transport.subscribe(subject, (message) => {
      if (!wants(fpIn(message.subject))) return;
      const opening = { subject: message.subject, contracts, expects: (re: Uint8Array | null) => re === null };
      const opened = this.sealer.peek(message.payload, opening);
      if (opened.ok) read({ body: opened.value.body as Body<C>, party: opened.value.party });
    });
  }

  /** The handler learns nothing of the trace that a message came with, so that nothing can depend on it. */
  #handle(opened: OpenedMessage, message: Incoming, handler: (opened: Opened) => unknown): void {
    const work = () => handler(asOpened(opened, message, this.sealer));
    if (!this.tracing.isOn) work();
    else {
      const { kind, messageId, private: part } = opened;
      this.tracing.receive({ kind, subject: message.subject, messageId }, traceIn(part), work);
    }
  }

  #line(): Line {
    const messageId = randomBytes(16);
    const token = toHex(messageId);
    return {
      transport: this.transport,
      sealer: this.sealer,
      tracing: this.tracing,
      messageId,
      replyTo: (index) => `${this.sealer.own.inbox}.${token}.${String(index)}`,
      knowsUs: (party) => this.#knowUs.has(namesOf(party).keyId),
      hangUp: () => this.#waiting.delete(token),
    };
  }

  #hear(message: Incoming): void {
    const [token, index] = message.subject.slice(this.sealer.own.inbox.length + 1).split('.');
    const conversation = token === undefined ? undefined : this.#waiting.get(token);
    if (conversation === undefined) return;
    const place = Number(index);
    if (message.noResponders) {
      conversation.onNoResponders(place);
      return;
    }
    if (message.payload.length === 0) {
      conversation.onTurnedAway(place);
      return;
    }
    const receipt = readReceipt(message.payload);
    const stale = receipt === undefined ? readStaleKey(message.payload) : undefined;
    if (receipt !== undefined) this.#hearReceipt(conversation, receipt, message.subject);
    else if (stale === undefined) this.#hearAnswer(conversation, message, place);
    else {
      const party = this.sealer.read(stale);
      if (!party.ok) return;
      this.sealer.directory.hear(party.value);
      conversation.onStaleKey(party.value, place);
    }
  }

  #hearReceipt(conversation: Conversation, receipt: Uint8Array, subject: string): void {
    const to = conversation.onReceipt(receipt);
    if (to === undefined) this.onOpenFailure('receipt', subject);
    // A question to several: the receipt does not tell which of them has opened it.
    else if (to.length === 1) for (const party of to) this.#isKnownTo(party);
  }

  #hearAnswer(conversation: Conversation, message: Incoming, place: number): void {
    const opened = this.sealer.open(message.payload, {
      subject: message.subject,
      contracts: conversation.contracts,
      expects: (re, party) => re !== null && equalBytes(re, conversation.messageId) && conversation.expects(party),
    });
    if (!opened.ok) {
      this.onOpenFailure(opened.error, message.subject);
      return;
    }
    this.sealer.directory.hear(opened.value.party);
    this.#isKnownTo(opened.value.party);
    conversation.onAnswer(opened.value, place);
  }

  #isKnownTo(party: KnownParty): void {
    if (this.#knowUs.size >= SEEN.senders) this.#knowUs.clear(); // costs each an announcement again
    this.#knowUs.add(namesOf(party).keyId);
  }

  /** One counter, one outward answer, no side effect. */
  #turnAway(reason: string, message: Incoming): void {
    const stale = reason === 'stale_key' || reason === 'unknown_sender';
    const isMended = stale && message.reply !== undefined && (reason === 'stale_key' || namesKeyOnly(message.payload));
    this.onOpenFailure(reason, message.subject, isMended);
    if (message.reply === undefined) return;
    message.respond(stale ? encodeStaleKey(this.sealer.own.announced) : NOTHING);
  }
}

/** The same message without a way to answer: its sender names a place that is no inbox. */
function unanswerable(message: Incoming): Incoming {
  return { ...message, reply: undefined, respond: () => undefined };
}
