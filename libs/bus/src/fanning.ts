/** One body to many minions: encrypted once, each with its own wrap on its own subject; only the one asked may answer in its place. */
import type { KnownParty, OpenedMessage } from '@natrium/envelope';
import type { Body, Contract } from '@natrium/wire';
import type { Line } from './asking.js';
import { type Conversation, sameKey } from './conversation.js';

export interface FanTarget {
  readonly party: KnownParty;
  readonly subject: string;
  /** What only this recipient may read. */
  readonly private?: Uint8Array;
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
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly line: Line,
    private readonly fan: Fan<C, A>,
    private readonly hear: FanHearing<A>,
  ) {
    this.contracts = new Map(fan.answers === undefined ? [] : [[fan.answers.kind, fan.answers]]);
    this.#timer = setTimeout(() => {
      line.hangUp();
    }, fan.timeoutMs).unref();
  }

  get messageId(): Uint8Array {
    return this.line.messageId;
  }

  send(): void {
    const { contract, body, targets } = this.fan;
    const parts = this.line.sealer.parts(contract, body, this.messageId);
    for (const [index, target] of targets.entries()) {
      const { keyId, epochKey } = target.party;
      const bytes = parts.wrapFor(
        target.private === undefined ? { keyId, epochKey } : { keyId, epochKey, private: target.private },
      );
      this.line.transport.publish(target.subject, bytes, this.line.replyTo(index));
    }
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
    if (this.#target(opened.party, index) !== undefined) this.hear.onAnswer?.(index, opened.body as Body<A>);
  }

  onNoResponders(index: number): void {
    this.hear.onNoResponders(index);
  }

  onTurnedAway(): void {
    // A minion that opens nothing says nothing more than a silent one.
  }

  onStaleKey(party: KnownParty, index: number): void {
    const target = this.#target(party, index);
    if (target === undefined || this.#retried.has(index)) return;
    this.#retried.add(index);
    const framing = { messageId: this.messageId, re: null, introduce: true };
    const bytes = this.line.sealer.seal(this.fan.contract, this.fan.body, [party], framing, target.private);
    this.line.transport.publish(target.subject, bytes, this.line.replyTo(index));
  }

  #target(party: KnownParty, index: number): FanTarget | undefined {
    const target = this.fan.targets[index];
    return target !== undefined && sameKey(party, target.party) ? target : undefined;
  }
}
