/**
 * One question to a role or a party: sent, sent again for a stale key at most once for each replica, and its answers heard.
 *
 * While nobody hears it, as when the only replica of a service is restarted, it is sent again. That is safe, since the broker says that
 * nobody has heard it: nothing is done twice, and no password is tried twice. To wait for a replica's announcement would be no better,
 * since a replica announces itself before it listens.
 *
 * Spec: spec/envelope.md#durability.
 */
import { equalBytes, type KnownParty, namesOf, type OpenedMessage, privatePart } from '@natrium/envelope';
import type { Body, Contract } from '@natrium/wire';
import type { Transport } from '../ports/transport.js';
import { recipients, type Sealer } from '../sealing/sealer.js';
import { type AskFailure, type Conversation, renewed, sameSide } from './conversation.js';
import type { Sending, Tracing } from './tracing.js';

/** A question: what, to whom (looked up again when a key was stale), and on which subject. */
export interface Question<Q extends Contract> {
  readonly contract: Q;
  readonly body: Body<Q>;
  readonly subject: string;
  readonly to: () => readonly KnownParty[];
  /** For how long nobody need be there to hear it, in milliseconds, within the time of the question; 0 when it is left out. */
  readonly backMs?: number;
  /** What only says that somebody is at work on it: nobody is told of that, and the time begins anew. */
  readonly alive?: Contract;
  /** Each of them hears it, not one of them: what one turns away another may answer. */
  readonly isForAll?: boolean;
}

/** How long a replica may take to come back, in milliseconds. */
export const BACK_MS = 2000;
/** The first pause before a question that nobody heard is sent again, and the longest. */
const AGAIN_MS = 25;
const MOST_AGAIN_MS = 200;

export interface Hearing<A extends Contract> {
  /** `done` ends the conversation. */
  onAnswer(body: Body<A>, party: KnownParty): 'more' | 'done';
  onFailure(failure: AskFailure): void;
  /** It is sent again, since nobody had heard it. The silence of whoever may hear it begins now. */
  onSentAgain?(): void;
}

/** Who hears of a question: with `onReceipt` a receipt is waited for, and no answers. */
export interface Waiting<A extends Contract>
  extends Partial<Pick<Hearing<A>, 'onAnswer'>>, Omit<Hearing<A>, 'onAnswer'> {
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
  /** It has shown that it knows our announcement. */
  knowsUs(party: KnownParty): boolean;
  /** Stops waiting: answers are no longer heard. */
  hangUp(): void;
}

interface How<A extends Contract> {
  readonly timeoutMs: number;
  /** `all`: the time is that of the whole question. `silence`: it begins anew with each answer, and when it is sent again as nobody had heard it. */
  readonly of: 'all' | 'silence';
  readonly hear: Waiting<A>;
}

export class Asking<Q extends Contract, A extends Contract> implements Conversation {
  readonly contracts: ReadonlyMap<string, Contract>;
  readonly #retried = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  readonly #sending: Sending | undefined;
  /** Each time that the question was sealed, with the receipt to expect; empty where answers are waited for. */
  readonly #sent: Sent[] = [];
  /** One of the parties asked: answers come from its side only. */
  #asked: KnownParty | undefined;
  /** To so many it was sealed, and so many have turned it away. */
  #hearers = 0;
  #turnedAway = 0;
  /** Why nobody has heard it, while that is so. */
  #unheard: AskFailure | undefined;
  readonly #begun = performance.now();
  /** Until when nobody need be there to hear it, counted from the beginning. */
  #backMs: number;
  #againMs = AGAIN_MS;
  #again: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(
    private readonly line: Line,
    private readonly question: Question<Q>,
    answers: A | undefined,
    private readonly how: How<A>,
  ) {
    const { contract, subject, backMs = 0, alive } = question;
    this.contracts = new Map([answers, alive].flatMap((one) => (one === undefined ? [] : [[one.kind, one] as const])));
    this.#backMs = Math.min(backMs, how.timeoutMs);
    this.#sending = line.tracing.send({ kind: contract.kind, subject, messageId: line.messageId });
    this.#timer = setTimeout(() => {
      this.#fail(this.#unheard ?? 'timeout');
    }, how.timeoutMs);
  }

  get messageId(): Uint8Array {
    return this.line.messageId;
  }

  /** Sends it to whoever is known by now. */
  ask(): void {
    const to = this.question.to();
    [this.#asked] = to;
    this.#retried.clear(); // who knew us may have gone meanwhile
    if (to.length > 0) this.#send(to, !to.some((party) => this.line.knowsUs(party)));
    else
      queueMicrotask(() => {
        this.#nobodyHeard('nobody_known');
      });
  }

  end(failure?: AskFailure): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#again);
    this.line.hangUp();
    this.#sending?.end(failure);
  }

  letGo(): void {
    this.#timer.unref();
    this.#backMs = 0;
    clearTimeout(this.#again);
  }

  expects(party: KnownParty): boolean {
    return this.#asked !== undefined && sameSide(party, this.#asked);
  }

  onAnswer(opened: OpenedMessage): void {
    this.#backMs = 0;
    if (opened.kind === this.question.alive?.kind) this.#timer.refresh();
    else if (this.how.hear.onAnswer?.(opened.body as Body<A>, opened.party) === 'done') this.end();
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
    this.#nobodyHeard('no_responders');
  }

  onTurnedAway(): void {
    this.#turnedAway += 1;
    const isByAll = this.question.isForAll !== true || this.#turnedAway >= this.#hearers;
    if (isByAll) this.#fail('turned_away');
  }

  onStaleKey(party: KnownParty): void {
    // Noted by the owner, not by the key: a replica that shows another key each time would be sent the question for ever.
    const replica = namesOf(party).owner;
    if (!this.expects(party) || this.#retried.has(replica)) return;
    this.#retried.add(replica);
    this.#send(renewed(this.question.to(), party), true);
  }

  #send(to: readonly KnownParty[], introduce: boolean): void {
    this.#unheard = undefined;
    this.#hearers = to.length;
    const { contract, body, subject } = this.question;
    const framing = { messageId: this.messageId, re: null, introduce };
    const trace = privatePart(undefined, this.#sending?.trace);
    const parts = this.line.sealer.parts(contract, body, framing);
    if (this.how.hear.onReceipt !== undefined) this.#sent.push({ to, receipt: parts.receipt });
    this.line.transport.publish(subject, parts.messageFor(recipients(to, trace)), this.line.replyTo(0));
  }

  #nobodyHeard(failure: AskFailure): void {
    clearTimeout(this.#again); // a broker may say it twice
    if (this.#isOver) return;
    this.#unheard = failure;
    if (this.#passed() + this.#againMs > this.#backMs) {
      this.#fail(failure);
      return;
    }
    this.#again = setTimeout(() => {
      // After a stall of this process no time may be left for an answer: then nothing more may come of the question.
      if (this.how.of === 'all' && this.#passed() >= this.how.timeoutMs) return;
      if (this.how.of === 'silence') this.#timer.refresh();
      this.how.hear.onSentAgain?.();
      this.#askAgain(failure);
    }, this.#againMs);
    this.#againMs = Math.min(2 * this.#againMs, MOST_AGAIN_MS);
  }

  /** Where nobody was known before, this seals it for the first time. A body that cannot be sealed ends the question, not the process. */
  #askAgain(failure: AskFailure): void {
    try {
      this.ask();
    } catch {
      this.#fail(failure);
    }
  }

  #passed(): number {
    return performance.now() - this.#begun;
  }

  #fail(failure: AskFailure): void {
    this.end(failure);
    this.how.hear.onFailure(failure);
  }
}
