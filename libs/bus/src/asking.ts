/** One question to a role or a party: sent, sent again for a stale key at most once for each replica, and its answers heard. */
import { equalBytes, type KnownParty, namesOf, type OpenedMessage, privatePart } from '@natrium/envelope';
import type { Body, Contract } from '@natrium/wire';
import { type AskFailure, type Conversation, renewed, sameSide } from './conversation.js';
import { recipients, type Sealer } from './sealer.js';
import type { Sending, Tracing } from './tracing.js';
import type { Transport } from './transport.js';

/** A question: what, to whom (looked up again when a key was stale), and on which subject. */
export interface Question<Q extends Contract> {
  readonly contract: Q;
  readonly body: Body<Q>;
  readonly subject: string;
  readonly to: () => readonly KnownParty[];
}

export interface Hearing<A extends Contract> {
  /** `done` ends the conversation. */
  onAnswer(body: Body<A>, party: KnownParty): 'more' | 'done';
  onFailure(failure: AskFailure): void;
}

/** Whoever waits for a receipt hears no answers, and the other way round. */
export interface Waiting<A extends Contract>
  extends Partial<Pick<Hearing<A>, 'onAnswer'>>, Pick<Hearing<A>, 'onFailure'> {
  onReceipt?(): void;
}

interface Sent {
  readonly to: readonly KnownParty[];
  readonly receipt: Uint8Array;
}

/** What a conversation needs of the bus that holds it. */
export interface Line {
  readonly transport: Transport;
  readonly sealer: Sealer;
  readonly tracing: Tracing;
  readonly messageId: Uint8Array;
  /** Where answer number `index` is heard. */
  replyTo(index: number): string;
  /** Stops waiting: answers are no longer heard. */
  hangUp(): void;
}

export class Asking<Q extends Contract, A extends Contract> implements Conversation {
  readonly contracts: ReadonlyMap<string, Contract>;
  readonly #retried = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  readonly #sending: Sending | undefined;
  /** What a receipt of each time that it was sealed looks like; none where answers are waited for. */
  readonly #sent: Sent[] = [];

  constructor(
    private readonly line: Line,
    private readonly question: Question<Q>,
    /** One of the parties asked: answers come from its side only. */
    private readonly asked: KnownParty,
    answers: A | undefined,
    private readonly how: { readonly timeoutMs: number; readonly hear: Waiting<A> },
  ) {
    this.contracts = new Map(answers === undefined ? [] : [[answers.kind, answers]]);
    const { contract, subject } = question;
    this.#sending = line.tracing.send({ kind: contract.kind, subject, messageId: line.messageId });
    this.#timer = setTimeout(() => {
      this.#fail('timeout');
    }, how.timeoutMs);
  }

  get messageId(): Uint8Array {
    return this.line.messageId;
  }

  send(to: readonly KnownParty[], introduce: boolean): void {
    const { contract, body, subject } = this.question;
    const framing = { messageId: this.messageId, re: null, introduce };
    const trace = privatePart(undefined, this.#sending?.trace);
    const parts = this.line.sealer.parts(contract, body, framing);
    if (this.how.hear.onReceipt !== undefined) this.#sent.push({ to, receipt: parts.receipt });
    this.line.transport.publish(subject, parts.messageFor(recipients(to, trace)), this.line.replyTo(0));
  }

  end(failure?: AskFailure): void {
    clearTimeout(this.#timer);
    this.line.hangUp();
    this.#sending?.end(failure);
  }

  letGo(): void {
    this.#timer.unref();
  }

  expects(party: KnownParty): boolean {
    return sameSide(party, this.asked);
  }

  onAnswer(opened: OpenedMessage): void {
    if (this.how.hear.onAnswer?.(opened.body as Body<A>, opened.party) === 'done') this.end();
    else this.#timer.refresh();
  }

  onReceipt(receipt: Uint8Array): readonly KnownParty[] | undefined {
    const sent = this.#sent.find((one) => equalBytes(one.receipt, receipt));
    if (sent === undefined) return undefined;
    this.end();
    this.how.hear.onReceipt?.();
    return sent.to;
  }

  onNoResponders(): void {
    this.#fail('no_responders');
  }

  onTurnedAway(): void {
    this.#fail('turned_away');
  }

  onStaleKey(party: KnownParty): void {
    // By its owner and not by its key: a replica that shows another key each time would be sent the question for ever.
    const replica = namesOf(party).owner;
    if (!this.expects(party) || this.#retried.has(replica)) return;
    this.#retried.add(replica);
    this.send(renewed(this.question.to(), party), true);
  }

  #fail(failure: AskFailure): void {
    this.end(failure);
    this.how.hear.onFailure(failure);
  }
}
