/**
 * Sealing: a message is encrypted once; each recipient costs one small wrap of its content key.
 *
 * To one party or the replicas of a role, `sealMessage` puts all wraps into one message. For a fan-out, `sealParts`
 * keeps what all have in common, and each recipient's bytes hold his own wrap only. The same parts may be wrapped again
 * for another recipient, which is what `stale_key` asks for.
 *
 * Spec: spec/envelope.md#message; vectors: spec/vectors/messages.json.
 */
import { NONCE_BYTES, TAG_BYTES } from './aead.js';
import { concat, equalBytes } from './bytes.js';
import { joinLists } from './encoding.js';
import type { EpochKey, PairKeys } from './epoch.js';
import { bodyKeys, CONTENT_KEY_BYTES, messageHash, sealBody, sealWrap } from './message-body.js';
import { encodeCommon, encodeHeader, wrapAfter } from './message-layout.js';
import { randomBytes } from './random.js';
import { receiptOf } from './receipt.js';
import type { Signed } from './signing.js';

export interface MessageHead {
  /** 1 to 32 characters. */
  readonly kind: string;
  /** 16 random bytes; made when absent. */
  readonly messageId?: Uint8Array;
  /** The sender's key id, or the whole announcement in the first message to a party. */
  readonly from: Uint8Array | Signed;
  /** The message id of the question that this answers. */
  readonly re: Uint8Array | null;
  /** ms since 1970. */
  readonly issued: number;
  /** ms. */
  readonly lifetime: number;
}

/** The sender's own epoch key and its id: an `EpochKeyring`, for instance. */
export interface Sender {
  readonly current: EpochKey;
  readonly currentKeyId: Uint8Array;
}

export interface Recipient {
  readonly keyId: Uint8Array;
  readonly epochKey: Uint8Array;
  /** What only this recipient may read: for a job its leaf index and proof. */
  readonly private?: Uint8Array;
}

export interface SealedParts {
  readonly messageId: Uint8Array;
  /** The beginning of every recipient's bytes; his encoded wrap follows. */
  readonly common: Uint8Array;
  /** What follows `common` in this recipient's bytes. @throws {PairRefused} As `wrapFor`. */
  ownPart(recipient: Recipient): Uint8Array;
  /** The whole message for this recipient. @throws {PairRefused} When his epoch key makes no pair with the sender's. */
  wrapFor(recipient: Recipient): Uint8Array;
  /** One message with a wrap for each of these. @throws {PairRefused} As `wrapFor`. */
  messageFor(recipients: readonly Recipient[]): Uint8Array;
  /** What a recipient answers to say that it is done. */
  readonly receipt: Uint8Array;
}

/** @throws {PairRefused} When a recipient's epoch key makes no pair with the sender's. */
export function sealMessage(
  head: MessageHead,
  plaintext: Uint8Array,
  sender: Sender,
  recipients: readonly Recipient[],
  pairs: PairKeys,
): Uint8Array {
  return new Sealing(head, plaintext, sender, pairs).messageFor(recipients);
}

export function sealParts(head: MessageHead, plaintext: Uint8Array, sender: Sender, pairs: PairKeys): SealedParts {
  return new Sealing(head, plaintext, sender, pairs);
}

class Sealing implements SealedParts {
  readonly messageId: Uint8Array;
  readonly common: Uint8Array;
  readonly #contentKey = randomBytes(CONTENT_KEY_BYTES);
  readonly #hash: Uint8Array;
  readonly #epoch: EpochKey;
  readonly #sender: Uint8Array;

  constructor(
    head: MessageHead,
    plaintext: Uint8Array,
    sender: Sender,
    private readonly pairs: PairKeys,
  ) {
    this.#epoch = sender.current;
    this.#sender = sender.currentKeyId;
    if (head.from instanceof Uint8Array && !equalBytes(head.from, this.#sender))
      throw new RangeError('`from` is not the sender');
    const { key, commitment } = bodyKeys(this.#contentKey);
    this.messageId = head.messageId ?? randomBytes(16);
    const { kind, from, re, issued, lifetime } = head;
    const header = encodeHeader({ kind, messageId: this.messageId, from, re, issued, lifetime, commitment });
    const body = sealBody(key, header, plaintext);
    this.#hash = messageHash(header, body);
    this.common = encodeCommon(header, body);
  }

  get receipt(): Uint8Array {
    return receiptOf(this.#contentKey);
  }

  messageFor(recipients: readonly Recipient[]): Uint8Array {
    const [only] = recipients;
    if (only !== undefined && recipients.length === 1) return this.wrapFor(only);
    // The common part ends in the head of a list of one, which the whole list replaces.
    const head = this.common.subarray(-1);
    const wraps = recipients.map((recipient) => this.#wrapBehind(head, recipient));
    return concat(this.common.subarray(0, -1), joinLists(wraps));
  }

  wrapFor(recipient: Recipient): Uint8Array {
    return this.#wrapBehind(this.common, recipient);
  }

  ownPart(recipient: Recipient): Uint8Array {
    return this.#wrapBehind(NOTHING, recipient);
  }

  #wrapBehind(before: Uint8Array, { keyId, epochKey, private: own }: Recipient): Uint8Array {
    const pairKey = this.pairs.txTo(this.#epoch, epochKey);
    const plaintext = own === undefined ? this.#contentKey : concat(this.#contentKey, own);
    const nonce = randomBytes(NONCE_BYTES);
    const { bytes, sealed } = wrapAfter(before, keyId, nonce, plaintext.length + TAG_BYTES);
    sealWrap(pairKey, { sender: this.#sender, recipient: keyId, hash: this.#hash }, plaintext, nonce, sealed);
    return bytes;
  }
}

const NOTHING = new Uint8Array(0);
