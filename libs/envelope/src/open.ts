/**
 * Opening a message: the one order in which it is checked, each step with its reason to refuse and no side effect.
 *
 * size, version, header, sender, kind, the one wrap, wrap opens, commitment, body, padding, schema, fresh, not seen,
 * `re`. The sender is looked up before the kind, because a role decides which kinds it may send. The seen-set is the
 * only thing that changes, and only for a message that passed all before it.
 *
 * Spec: spec/envelope.md#opening; vectors: spec/vectors/messages.json.
 */
import { err, ok, type Result } from '@natrium/model';

import type { KnownParty } from './announcement.js';
import { concat, equalBytes } from './bytes.js';
import type { Wire } from './encoding.js';
import { type EpochKey, type EpochKeyring, type PairKeys, PairRefused } from './epoch.js';
import { bodyKeys, messageHash, openBody, openWrap, readBody, type Unwrapped, type Wrap } from './message-body.js';
import { type Header, type MessageParts, readHeader, splitMessage } from './message-layout.js';
import { unpad } from './padding.js';
import { namesOf } from './party-names.js';
import { receiptOf } from './receipt.js';
import type { SeenSets } from './seen-sets.js';
import type { Signed } from './signing.js';

export const OPEN_REASONS = [
  'size',
  'version',
  'shape',
  'unknown_sender',
  'kind',
  'duplicate_wrap',
  'stale_key',
  'wrap',
  'commitment',
  'body',
  'padding',
  'schema',
  'stale',
  'future',
  'replayed',
  'slow_down',
  're',
] as const;
export type OpenReason = (typeof OPEN_REASONS)[number];

export interface OpenedMessage {
  readonly kind: string;
  readonly messageId: Uint8Array;
  readonly party: KnownParty;
  /** What `parse` made of the plaintext. */
  readonly body: unknown;
  readonly private: Uint8Array;
  /** Which of my key ids it was sealed to: the sender knows that one. */
  readonly recipient: Uint8Array;
  /** What says to the sender that it is done. */
  receipt(): Uint8Array;
}

export interface OpenContext {
  /** Bytes of a whole message. */
  readonly maxSize: number;
  readonly keyring: EpochKeyring;
  readonly pairs: PairKeys;
  partyOf(keyId: Uint8Array): KnownParty | undefined;
  /** For a whole announcement in `from`. */
  readAnnouncement(signed: Signed): Result<KnownParty, unknown>;
  /** Whether this kind may come here from this party. */
  allows(kind: string, party: KnownParty): boolean;
  /** How many values the plaintext of this kind may hold: more is not read. */
  maxValues(kind: string): number;
  /** @throws When the plaintext doesn't fit the kind's schema. */
  parse(kind: string, plaintext: Wire): unknown;
  /** ms since 1970. */
  readonly now: number;
  readonly skewMs: number;
  maxLifetime(kind: string): number;
  readonly seen: Pick<SeenSets, 'admit'>;
  /** Whether `re` is right: an outstanding question to this party for an answer, null otherwise. */
  expects(re: Uint8Array | null, party: KnownParty, kind: string): boolean;
}

/** Opens a message, or tells the first reason why not; never throws for anything in `bytes`. */
export function openMessage(bytes: Uint8Array, ctx: OpenContext): Result<OpenedMessage, OpenReason> {
  if (bytes.length > ctx.maxSize) return err('size');
  const split = splitMessage(bytes);
  if (!split.ok) return split;
  const header = readHeader(split.value.header);
  if (header === undefined) return err('shape');
  const party = senderOf(header, ctx);
  return party === undefined ? err('unknown_sender') : openFrom(party, header, split.value, ctx);
}

/** Whether a message names its sender by a key id alone: whoever does not know him may, once he brings his announcement. */
export function namesKeyOnly(message: Uint8Array): boolean {
  const split = splitMessage(message);
  return split.ok && readHeader(split.value.header)?.from instanceof Uint8Array;
}

function openFrom(
  party: KnownParty,
  header: Header,
  parts: MessageParts,
  ctx: OpenContext,
): Result<OpenedMessage, OpenReason> {
  if (!ctx.allows(header.kind, party)) return err('kind');
  const unwrapped = unwrap(party, parts, ctx);
  if (!unwrapped.ok) return unwrapped;
  const body = bodyOf(unwrapped.value, header, parts, ctx);
  if (!body.ok) return body;
  const reason = whyNotNow(party, header, ctx);
  if (reason !== undefined) return err(reason);
  const { kind, messageId } = header;
  const { contentKey, private: privatePart, recipient } = unwrapped.value;
  const receipt = () => receiptOf(contentKey);
  return ok({ kind, messageId, party, body: body.value, private: privatePart, recipient, receipt });
}

/** The sender, unless unknown or past the end of what he announced. */
function senderOf({ from }: Header, ctx: OpenContext): KnownParty | undefined {
  if (!(from instanceof Uint8Array)) {
    const read = ctx.readAnnouncement(from);
    return read.ok ? read.value : undefined;
  }
  const party = ctx.partyOf(from);
  return party !== undefined && ctx.now <= party.notAfter ? party : undefined;
}

interface MyWrap {
  readonly epoch: EpochKey;
  readonly wrap: Wrap;
}

interface Received extends Unwrapped {
  readonly recipient: Uint8Array;
}

function unwrap(party: KnownParty, parts: MessageParts, ctx: OpenContext): Result<Received, OpenReason> {
  const mine = myWrap(parts.wraps, ctx.keyring);
  if (!mine.ok) return mine;
  const { epoch, wrap } = mine.value;
  const pairKey = pairKeyFrom(epoch, party.epochKey, ctx.pairs);
  if (pairKey === undefined) return err('wrap');
  const place = { sender: party.keyId, recipient: wrap.recipient, hash: messageHash(parts.header, parts.body) };
  const unwrapped = openWrap(pairKey, place, wrap);
  if (unwrapped === undefined) return err('wrap');
  const { contentKey, private: privatePart } = unwrapped;
  return ok({ contentKey, private: privatePart, recipient: concat(wrap.recipient) });
}

/** Exactly one wrap is for a key of mine: with two, which one counts would be the sender's choice. */
function myWrap(wraps: readonly Wrap[], keyring: EpochKeyring): Result<MyWrap, OpenReason> {
  let mine: MyWrap | undefined;
  for (const wrap of wraps) {
    const epoch = keyring.byKeyId(wrap.recipient);
    if (epoch === undefined) continue;
    if (mine !== undefined) return err('duplicate_wrap');
    mine = { epoch, wrap };
  }
  return mine === undefined ? err('stale_key') : ok(mine);
}

function pairKeyFrom(own: EpochKey, peer: Uint8Array, pairs: PairKeys): Uint8Array | undefined {
  try {
    return pairs.rxFrom(own, peer);
  } catch (error) {
    if (error instanceof PairRefused) return undefined;
    throw error;
  }
}

function bodyOf(
  { contentKey }: Unwrapped,
  header: Header,
  parts: MessageParts,
  ctx: OpenContext,
): Result<unknown, OpenReason> {
  const { key, commitment } = bodyKeys(contentKey);
  if (!equalBytes(commitment, header.commitment)) return err('commitment');
  const padded = openBody(key, parts.header, parts.body);
  if (padded === undefined) return err('body');
  const plaintext = unpad(padded);
  if (plaintext === undefined) return err('padding');
  try {
    return ok(ctx.parse(header.kind, readBody(plaintext, ctx.maxValues(header.kind))));
  } catch {
    return err('schema'); // whatever the schema throws, the message doesn't fit it
  }
}

function whyNotNow(party: KnownParty, header: Header, ctx: OpenContext): OpenReason | undefined {
  const { issued, lifetime, kind, messageId } = header;
  const end = issued + lifetime;
  if (issued > ctx.now + ctx.skewMs) return 'future';
  if (ctx.now > end || lifetime > ctx.maxLifetime(kind)) return 'stale';
  // A clock may be set back by as much as is tolerated, so the id is kept that much longer than the message is fresh.
  const seen = ctx.seen.admit(namesOf(party).owner, messageId, end + ctx.skewMs + 1, ctx.now);
  if (seen !== 'new') return seen;
  return ctx.expects(header.re, party, kind) ? undefined : 're';
}
