/**
 * Sealing and opening for one process: the bytes are libs/envelope's, the rules that need a subject or a contract are here.
 *
 * Spec: spec/envelope.md#opening.
 */
import {
  encode,
  type EpochKeyring,
  equalBytes,
  type KnownParty,
  namesOf,
  type OpenContext,
  type OpenedMessage,
  openMessage,
  type OpenReason,
  PairKeys,
  type Recipient,
  type SealedParts,
  sealParts,
  type SeenLimits,
  SeenSets,
  type Signed,
  type Wire,
} from '@natrium/envelope';
import { err, type Result } from '@natrium/model';
import { type Body, type Contract, fpIn, OPEN_TO_ALL, readAs, writeAs } from '@natrium/wire';
import type { Clock } from '../parties/clock.js';
import type { Directory } from '../parties/directory.js';
import type { OwnParty } from '../parties/own-party.js';
import type { Roles } from '../parties/roles.js';

const MAX_MESSAGE = 8 << 20;
/** How many messages are remembered of senders that a role or the roster vouches for. */
export const SEEN: SeenLimits = {
  /**
   * Remembered while they could be replayed (a job for a minute and the skew): more than a gateway can send or be sent in that time, and
   * some 40 MB in the worst case. A sender of more is turned away, so the limit is high: a minion gets the jobs of all callers from one
   * gateway.
   */
  perSender: 500_000,
  /** More than there can be minions: all of them may send something within the same minute. */
  senders: 120_000,
};
/** For messages that may be read twice. */
const NOT_COUNTED: Pick<SeenSets, 'admit'> = { admit: () => 'new' };

/** Whether strangers may send what is expected: then nothing is kept of who does. */
export function isOpenToAll(kinds: Iterable<string>): boolean {
  return [...kinds].every((kind) => OPEN_TO_ALL.has(kind));
}

/** How a message names its sender and what it answers. `introduce`: with the whole announcement, not only the key id. */
export interface Framing {
  readonly messageId: Uint8Array;
  readonly re: Uint8Array | null;
  readonly introduce: boolean;
}

export interface Opening {
  readonly subject: string;
  readonly contracts: ReadonlyMap<string, Contract>;
  expects(re: Uint8Array | null, party: KnownParty): boolean;
}

export class Sealer {
  readonly #pairs = new PairKeys();
  readonly #seen: SeenSets;
  /** The same of kinds that anybody may send, apart, so that strangers use up nobody else's room. */
  readonly #seenOfStrangers: SeenSets;

  /** @param strangers How many are remembered at once. */
  constructor(
    readonly own: OwnParty,
    readonly directory: Directory,
    readonly roles: Roles,
    readonly clock: Clock,
    strangers = 20_000,
  ) {
    this.#seen = new SeenSets(SEEN);
    this.#seenOfStrangers = new SeenSets({ perSender: 1000, senders: strangers });
    roles.onNewer(() => {
      own.rolesSerial = roles.document.serial;
      directory.retain((party) => roles.names(party.owner));
    });
  }

  /** The party of an announcement. One with this process's own epoch key in it may be well signed, but no pair of keys comes of it. */
  read(announced: Signed): Result<KnownParty, string> {
    const { own, roles, clock } = this;
    const read = roles.read(announced, clock.now(), clock.skewMs);
    if (!read.ok || equalBytes(read.value.owner.key, own.owner.key)) return read;
    return equalBytes(read.value.epochKey, own.keyring.current.publicKey) ? err('epoch_key') : read;
  }

  seal<C extends Contract>(
    contract: C,
    body: Body<C>,
    to: readonly KnownParty[],
    framing: Framing,
    privatePart?: Uint8Array,
  ): Uint8Array {
    return this.parts(contract, body, framing).messageFor(recipients(to, privatePart));
  }

  /** Encrypted once, whoever it is then sealed to. */
  parts<C extends Contract>(contract: C, body: Body<C>, framing: Framing): SealedParts {
    const plaintext = encode(writeAs(contract.schema, body) as Wire, contract.maxValues);
    return sealParts(this.#head(contract, framing), plaintext, this.own.keyring, this.#pairs);
  }

  open(bytes: Uint8Array, opening: Opening): Result<OpenedMessage, OpenReason> {
    const seen = isOpenToAll(opening.contracts.keys()) ? this.#seenOfStrangers : this.#seen;
    return openMessage(bytes, new Opener(this, opening, this.#pairs, seen));
  }

  /** Opens as `open` does, a message that was read before as well, and remembers none: nothing may be done for what it says. */
  peek(bytes: Uint8Array, opening: Opening): Result<OpenedMessage, OpenReason> {
    return openMessage(bytes, new Opener(this, opening, this.#pairs, NOT_COUNTED));
  }

  /** Forgets opened messages that would be refused as too old by now, and parties that are gone. @returns How many messages are still remembered. */
  forgetEnded(): number {
    const now = this.clock.now();
    this.directory.forgetEnded();
    return this.#seen.forgetEnded(now) + this.#seenOfStrangers.forgetEnded(now);
  }

  #head(contract: Contract, framing: Framing) {
    return {
      kind: contract.kind,
      messageId: framing.messageId,
      from: framing.introduce ? this.own.announced : this.own.keyring.currentKeyId,
      re: framing.re,
      issued: this.clock.now(),
      lifetime: contract.lifetimeMs,
    };
  }
}

/** The rules for one message; a class, because as many closures for each message cost more than its body. */
class Opener implements OpenContext {
  readonly maxSize = MAX_MESSAGE;
  readonly keyring: EpochKeyring;
  readonly now: number;
  readonly skewMs: number;

  constructor(
    private readonly sealer: Sealer,
    private readonly opening: Opening,
    readonly pairs: PairKeys,
    readonly seen: Pick<SeenSets, 'admit'>,
  ) {
    this.keyring = sealer.own.keyring;
    this.now = sealer.clock.now();
    this.skewMs = sealer.clock.skewMs;
  }

  partyOf(keyId: Uint8Array): KnownParty | undefined {
    return this.sealer.directory.byKeyId(keyId);
  }

  readAnnouncement(announced: Signed): Result<KnownParty, unknown> {
    return this.sealer.roles.read(announced, this.now, this.skewMs);
  }

  /** This kind may come from this role, and on a party's own subject only from that party. */
  allows(kind: string, party: KnownParty): boolean {
    const contract = this.opening.contracts.get(kind);
    if (contract === undefined) return false;
    const role = party.owner.type === 'role' ? party.owner.role : 'identity';
    if (!contract.from.includes(role)) return false;
    if (role !== 'identity') return true;
    const named = fpIn(this.opening.subject);
    return named === undefined || named === namesOf(party).fp;
  }

  maxValues(kind: string): number {
    return this.opening.contracts.get(kind)?.maxValues ?? 0;
  }

  parse(kind: string, body: Wire): unknown {
    const contract = this.opening.contracts.get(kind);
    if (contract === undefined) throw new RangeError(`no contract for ${kind}`);
    return readAs(contract.schema, body);
  }

  maxLifetime(kind: string): number {
    return this.opening.contracts.get(kind)?.lifetimeMs ?? 0;
  }

  expects(re: Uint8Array | null, party: KnownParty): boolean {
    return this.opening.expects(re, party);
  }
}

/** Each with the same private part, or with none. */
export function recipients(to: readonly KnownParty[], privatePart: Uint8Array | undefined): Recipient[] {
  return to.map(({ keyId, epochKey }) =>
    privatePart === undefined ? { keyId, epochKey } : { keyId, epochKey, private: privatePart },
  );
}
