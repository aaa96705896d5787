/** One body to many minions: encrypted once, each with its own wrap on its own subject; only the one asked may answer in its place. */
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

export interface FanTarget {
  readonly party: KnownParty;
  readonly subject: string;
  /** What only this recipient may read. */
  readonly private?: readonly Wire[];
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
  readonly #common: Uint8Array;
  /** What each message has of its own: the same words ten thousand times would be too much to hold. */
  #ownParts: readonly (Uint8Array | undefined)[];
  #hear: FanHearing<A> = { onNoResponders: () => undefined };
  #timer: NodeJS.Timeout | undefined;
  readonly #sending: Sending | undefined;

  /** Seals a message for each target; none of them is sent yet. */
  constructor(
    private readonly line: Line,
    private readonly fan: Fan<C, A>,
  ) {
    this.contracts = new Map(fan.answers === undefined ? [] : [[fan.answers.kind, fan.answers]]);
    const parts = line.sealer.parts(fan.contract, fan.body, line.messageId);
    this.#sending = this.#told();
    this.#common = parts.common;
    this.#ownParts = fan.targets.map((target) => this.#ownPart(parts, target));
  }

  /** @returns undefined for one that nothing can be sealed to: the others hear it all the same. */
  #ownPart(parts: SealedParts, { party: { keyId, epochKey }, private: own }: FanTarget): Uint8Array | undefined {
    const place = privatePart(own, this.#sending?.trace);
    try {
      return parts.ownPart(place === undefined ? { keyId, epochKey } : { keyId, epochKey, private: place });
    } catch (error) {
      if (error instanceof PairRefused) return undefined;
      throw error;
    }
  }

  /** One step for all of them. */
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
    const ownParts = this.#ownParts;
    this.#ownParts = [];
    // Not at once: whoever sends does not know yet how to stop it.
    ownParts.forEach((own, index) => {
      if (own !== undefined) return;
      queueMicrotask(() => {
        this.#hear.onNoResponders(index);
      });
    });
    this.#sendFrom(ownParts, 0);
  }

  /** So many bytes at once; the rest when the broker has taken these. */
  #sendFrom(ownParts: readonly (Uint8Array | undefined)[], first: number): void {
    let bytes = 0;
    for (let index = first; index < ownParts.length; index += 1) {
      if (bytes > AT_ONCE_BYTES) {
        const next = index;
        const goOn = () => {
          this.#sendFrom(ownParts, next);
        };
        // A connection that is lost meanwhile takes the rest when it is back, as it would have taken all of it.
        this.line.transport.flush().then(goOn, goOn);
        return;
      }
      const own = ownParts[index];
      if (own === undefined) continue;
      const message = concat(this.#common, own);
      bytes += message.length;
      this.line.transport.publish(this.fan.targets[index]?.subject ?? '', message, this.line.replyTo(index));
    }
    this.#sending?.end();
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
