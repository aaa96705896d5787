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
  type OpenFailure,
  openMessage,
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
import { type Body, type Contract, fpIn, fromWire, toWire } from '@natrium/wire';
import type { Clock } from './clock.js';
import type { Directory } from './directory.js';
import type { OwnParty } from './own-party.js';
import type { Roles } from './roles.js';

const MAX_MESSAGE = 8 << 20;
/** Of whom a role or the roster knows. */
export const SEEN: SeenLimits = {
  /**
   * For as long as they could be replayed (a job for a minute and the skew): more than a gateway can send or be sent in that time, some
   * 40 MB when it comes to that. Whoever sends more is turned away, and the jobs of all callers come to a minion from one sender.
   */
  perSender: 500_000,
  /** More than there can be minions: all of them may send something within the same minute. */
  senders: 120_000,
};
/** For what changes nothing by being read twice. */
const NOT_COUNTED: Pick<SeenSets, 'admit'> = { admit: () => 'new' };
/** Kinds that open on subjects of their own, and on no other. */
const OPEN_TO_ALL: ReadonlySet<string> = new Set(['join', 'guest']);

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
  /** Of those kinds that anybody may send: strangers use up nobody else's room. */
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

  /** Whom an announcement tells of. What names another's own epoch key is signed all the same: here it would make no pair. */
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
    return sealParts(this.#head(contract, framing), plaintext(contract, body), this.own.keyring, this.#pairs);
  }

  open(bytes: Uint8Array, opening: Opening): Result<OpenedMessage, OpenFailure> {
    const seen = isOpenToAll(opening.contracts.keys()) ? this.#seenOfStrangers : this.#seen;
    return openMessage(bytes, new Opener(this, opening, this.#pairs, seen));
  }

  /** Opens as `open` does, a message that was read before as well, and remembers none: nothing may be done for what it says. */
  peek(bytes: Uint8Array, opening: Opening): Result<OpenedMessage, OpenFailure> {
    return openMessage(bytes, new Opener(this, opening, this.#pairs, NOT_COUNTED));
  }

  /** Forgets which messages were opened that would be refused as stale now, and who is gone. @returns How many messages are still remembered. */
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

  allows(kind: string, party: KnownParty): boolean {
    return allows(this.opening, kind, party);
  }

  parse(kind: string, body: Wire): unknown {
    return parse(this.opening, kind, body);
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

function plaintext<C extends Contract>(contract: C, body: Body<C>): Uint8Array {
  return encode(toWire(contract, body) as Wire);
}

/** This kind may come from this role, and on a party's own subject only from that party. */
function allows(opening: Opening, kind: string, party: KnownParty): boolean {
  const contract = opening.contracts.get(kind);
  if (contract === undefined) return false;
  const role = party.owner.type === 'role' ? party.owner.role : 'identity';
  if (!contract.from.includes(role)) return false;
  if (role !== 'identity') return true;
  const named = fpIn(opening.subject);
  return named === undefined || named === namesOf(party).fp;
}

function parse(opening: Opening, kind: string, body: Wire): unknown {
  const contract = opening.contracts.get(kind);
  if (contract === undefined) throw new RangeError(`no contract for ${kind}`);
  return fromWire(contract, body);
}
