/**
 * One body to many minions: encrypted once, each with its own wrap on its own subject; only the one asked may answer in its place.
 *
 * A sender that has to wait before it may send can seal some of them meanwhile. The rest is sealed while it is sent, so that the broker
 * hands on the first messages while the last are still being sealed.
 */
import {
  concat,
  type KnownParty,
  type OpenedMessage,
  PairRefused,
  privatePart,
  type SealedParts,
  type Wire,
} from '@natrium/envelope';
import type { Body, Contract } from '@natrium/wire';
import type { Line } from './asking.js';
import { type Conversation, sameKey } from './conversation.js';
import type { Sending } from './tracing.js';

const AT_ONCE_BYTES = 16 << 20;
/** How many are sealed at a time: some hundred microseconds of work, which keeps nobody else from a turn of the event loop. */
const SOME = 32;

export interface FanTarget {
  readonly party: KnownParty;
  readonly subject: string;
  /** What only this recipient may read; asked for when it is sealed. */
  readonly private?: readonly Wire[];
}

/** Sealed in part or not at all, and not sent. */
export interface ReadyFan<A extends Contract> {
  /** Seals some more. @returns Whether any are left. */
  sealSome(): boolean;
  /** Sends it, once. @returns Stops listening for answers. */
  send(hear: FanHearing<A>): () => void;
}

export interface Fan<C extends Contract, A extends Contract> {
  readonly contract: C;
  readonly body: Body<C>;
  readonly targets: readonly FanTarget[];
  readonly answers?: A;
  readonly timeoutMs: number;
}

export interface FanHearing<A extends Contract> {
  onAnswer?(index: number, body: Body<A>): void;
  onNoResponders(index: number): void;
}

export class Fanning<C extends Contract, A extends Contract> implements Conversation {
  readonly contracts: ReadonlyMap<string, Contract>;
  readonly #retried = new Set<number>();
  readonly #parts: SealedParts;
  /** Of the messages that are sealed already, what is different in each: to hold the common part ten thousand times would be too much. */
  #ownParts: (Uint8Array | undefined)[] = [];
  #hear: FanHearing<A> = { onNoResponders: () => undefined };
  #timer: NodeJS.Timeout | undefined;
  readonly #sending: Sending | undefined;

  constructor(
    private readonly line: Line,
    private readonly fan: Fan<C, A>,
  ) {
    this.contracts = new Map(fan.answers === undefined ? [] : [[fan.answers.kind, fan.answers]]);
    this.#parts = line.sealer.parts(fan.contract, fan.body, { messageId: line.messageId, re: null, introduce: false });
    this.#sending = this.#told();
  }

  sealSome(): boolean {
    const { targets } = this.fan;
    const first = this.#ownParts.length;
    for (const target of targets.slice(first, first + SOME)) this.#ownParts.push(this.#wrapped(target, 'ownPart'));
    return this.#ownParts.length < targets.length;
  }

  #whole(own: Uint8Array | undefined): Uint8Array | undefined {
    return own === undefined ? undefined : concat(this.#parts.common, own);
  }

  /** @returns undefined for one that nothing can be sealed to: the others hear it all the same. */
  #wrapped(target: FanTarget, what: 'wrapFor' | 'ownPart'): Uint8Array | undefined {
    const { keyId, epochKey } = target.party;
    const place = privatePart(target.private, this.#sending?.trace);
    try {
      return this.#parts[what](place === undefined ? { keyId, epochKey } : { keyId, epochKey, private: place });
    } catch (error) {
      if (error instanceof PairRefused) return undefined;
      throw error;
    }
  }

  /** One step of the trace for all of them. */
  #told(): Sending | undefined {
    const [first] = this.fan.targets;
    if (first === undefined) return undefined;
    return this.line.tracing.send({
      kind: this.fan.contract.kind,
      subject: first.subject,
      messageId: this.line.messageId,
    });
  }

  get messageId(): Uint8Array {
    return this.line.messageId;
  }

  send(hear: FanHearing<A>): void {
    this.#hear = hear;
    this.#timer = setTimeout(() => {
      this.line.hangUp();
    }, this.fan.timeoutMs).unref();
    const sealed = this.#ownParts;
    this.#ownParts = [];
    this.#sendFrom(sealed, 0);
  }

  /** So many bytes at once; the rest when the broker has taken these. */
  #sendFrom(sealed: readonly (Uint8Array | undefined)[], first: number): void {
    let bytes = 0;
    const { targets } = this.fan;
    for (const [offset, target] of targets.slice(first).entries()) {
      const index = first + offset;
      if (bytes > AT_ONCE_BYTES) {
        const goOn = () => {
          this.#sendFrom(sealed, index);
        };
        // A connection that is lost meanwhile takes the rest when it is back, as it would have taken all of it.
        this.line.transport.flush().then(goOn, goOn);
        return;
      }
      const message = index < sealed.length ? this.#whole(sealed[index]) : this.#wrapped(target, 'wrapFor');
      if (message === undefined) this.#cannotReach(index);
      else {
        bytes += message.length;
        this.line.transport.publish(target.subject, message, this.line.replyTo(index));
      }
    }
    this.#sending?.end();
  }

  /** Not at once: whoever sends does not know yet how to stop it. */
  #cannotReach(index: number): void {
    queueMicrotask(() => {
      this.#hear.onNoResponders(index);
    });
  }

  end(): void {
    clearTimeout(this.#timer);
    this.line.hangUp();
  }

  letGo(): void {
    // It never keeps one alive.
  }

  expects(party: KnownParty): boolean {
    return party.owner.type === 'identity';
  }

  onAnswer(opened: OpenedMessage, index: number): void {
    if (this.#target(opened.party, index) !== undefined) this.#hear.onAnswer?.(index, opened.body as Body<A>);
  }

  onReceipt(): undefined {
    // A minion gives none: it returns, or it answers.
  }

  onNoResponders(index: number): void {
    this.#hear.onNoResponders(index);
  }

  onTurnedAway(): void {
    // A minion that opens nothing says nothing more than a silent one.
  }

  onStaleKey(party: KnownParty, index: number): void {
    const target = this.#target(party, index);
    if (target === undefined || this.#retried.has(index)) return;
    this.#retried.add(index);
    const framing = { messageId: this.messageId, re: null, introduce: true };
    const place = privatePart(target.private, this.#sending?.trace);
    const bytes = this.line.sealer.seal(this.fan.contract, this.fan.body, [party], framing, place);
    this.line.transport.publish(target.subject, bytes, this.line.replyTo(index));
  }

  #target(party: KnownParty, index: number): FanTarget | undefined {
    const target = this.fan.targets[index];
    return target !== undefined && sameKey(party, target.party) ? target : undefined;
  }
}
