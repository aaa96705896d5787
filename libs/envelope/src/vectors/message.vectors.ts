/** Vectors of whole messages: what opens, and the one reason why another does not. */
import { sealWith } from '../aead.js';
import { concat, toHex } from '../bytes.js';
import { encode, type Wire } from '../encoding.js';
import { type EpochKey, EpochKeyring, PairKeys } from '../epoch.js';
import { bodyKeys, messageHash, sealWrap, type Wrap } from '../message-body.js';
import { encodeHeader, type Header } from '../message-layout.js';
import type { OpenReason } from '../open.js';
import { pad } from '../padding.js';
import { announce } from '../announcement.js';
import { CLUSTER, HOUR, identityOf, NOW, seedOf, wrapToWire } from '../parties.spec-support.js';
import type { Signed } from '../signing.js';
import type { Vectors } from './vector-file.js';

export interface MessageCase {
  readonly name: string;
  readonly message: string;
  readonly now: number;
  readonly expect: 'opened' | OpenReason;
  readonly plaintext?: string;
  readonly private?: string;
}

export interface MessageVectors extends Vectors<MessageCase> {
  /** Seeds of crypto_kx key pairs; owners are the identities `sender` and `receiver` of keys.json's kind. */
  readonly receiverOwner: string;
  readonly receiverEpochSeed: string;
  readonly senderOwner: string;
  readonly senderEpochKey: string;
  readonly cluster: string;
}

export function keyringOf(name: string): EpochKeyring {
  const keyring = new EpochKeyring(identityOf(name).publicKey);
  keyring.rotate(NOW, 24 * HOUR, HOUR, seedOf(`epoch ${name}`));
  return keyring;
}

export function announcedOf(name: string): Signed {
  const { signing, publicKey } = identityOf(name);
  const { publicKey: epochKey, notBefore, notAfter } = keyringOf(name).current;
  const owner = { type: 'identity', key: publicKey } as const;
  return announce(signing, CLUSTER(), { owner, use: 'jobs', epochKey, notBefore, notAfter, rolesSerial: 1 });
}

const PLAINTEXT = encode({ fun: 'test.ping' });

export function messageVectors(): MessageVectors {
  return {
    about:
      'How `receiver` opens `message` at `now`: size at most 4,096, skew 30,000 ms, lifetime at most 60,000 ms; kinds test and answer may come, an answer only with `re` 16 times 0x07; each message opens once.',
    cluster: toHex(CLUSTER()),
    senderOwner: toHex(identityOf('sender').publicKey),
    senderEpochKey: toHex(keyringOf('sender').current.publicKey),
    receiverOwner: toHex(identityOf('receiver').publicKey),
    receiverEpochSeed: toHex(seedOf('epoch receiver')),
    cases: [...opened(), ...ofShape(), ...ofContent(), ...ofTime()],
  };
}

interface Change {
  readonly header?: Partial<Header>;
  readonly aad?: Uint8Array;
  readonly padded?: Uint8Array;
  readonly private?: Uint8Array;
  wraps?(wrap: Wrap): readonly Wrap[];
  bytes?(message: readonly Wire[]): Wire;
}

const make = (name: string, expect: 'opened' | OpenReason, change: Change = {}, now = NOW): MessageCase => ({
  name,
  message: toHex(sealed(change)),
  now,
  expect,
  ...(expect === 'opened' && { plaintext: toHex(PLAINTEXT), private: toHex(change.private ?? new Uint8Array(0)) }),
});

function opened(): MessageCase[] {
  const re = new Uint8Array(16).fill(7);
  return [
    make('a message', 'opened'),
    make('with a private part', 'opened', { private: seedOf('private') }),
    make('with the whole announcement', 'opened', { header: { from: announcedOf('sender') } }),
    make('with a wrap for another party beside', 'opened', {
      wraps: (wrap) => [{ ...wrap, recipient: seedOf('other') }, wrap],
    }),
    make('an answer to the question', 'opened', { header: { kind: 'answer', re } }),
    make('an answer to no question', 're', { header: { kind: 'answer' } }),
    make('an answer to another question', 're', { header: { kind: 'answer', re: re.slice().fill(8) } }),
    make('a kind that may not come', 'kind', { header: { kind: 'job' } }),
    make('a sender that is not known', 'unknown_sender', { header: { from: seedOf('nobody') } }),
  ];
}

function ofShape(): MessageCase[] {
  const long = make('larger than may come', 'size', { padded: pad(new Uint8Array(4200)) });
  const good = make('', 'opened').message;
  return [
    long,
    make('version 2', 'version', { bytes: (message) => message.with(0, 2) }),
    make('a fifth part', 'shape', { bytes: (message) => [...message, null] }),
    make('a header that is a list', 'shape', { bytes: (message) => message.with(1, []) }),
    { ...make('a byte behind', 'shape'), message: `${good}00` },
    { ...make('cut by a byte', 'shape'), message: good.slice(0, -2) },
    make('two wraps for one key id', 'duplicate_wrap', { wraps: (wrap) => [wrap, wrap] }),
    make('no wrap', 'stale_key', { wraps: () => [] }),
    make('a wrap for another key id', 'stale_key', { wraps: (wrap) => [{ ...wrap, recipient: seedOf('other') }] }),
  ];
}

function ofContent(): MessageCase[] {
  const padded = pad(PLAINTEXT);
  return [
    make('a byte of the body changed', 'wrap', { bytes: (message) => message.with(2, flipped(message[2])) }),
    make('a byte of the wrap changed', 'wrap', { wraps: (wrap) => [{ ...wrap, sealed: flipped(wrap.sealed) }] }),
    make('a header that commits to another key', 'commitment', { header: { commitment: seedOf('other') } }),
    make('a body sealed for another header', 'body', { aad: seedOf('other') }),
    make('padding that is not zero', 'padding', { padded: padded.with(-1, 1) }),
    make('a step of padding too much', 'padding', { padded: concat(padded, new Uint8Array(32)) }),
    make('a plaintext that is not the one encoding', 'schema', { padded: pad(Uint8Array.of(0xcc, 1)) }),
  ];
}

function ofTime(): MessageCase[] {
  return [
    make('at the end of its life', 'opened', {}, NOW + 30_000),
    make('after its life', 'stale', {}, NOW + 30_001),
    make('with a life beyond the most', 'stale', { header: { lifetime: 60_001 } }),
    make('from the future within the skew', 'opened', { header: { issued: NOW + 30_000 } }),
    make('from the future beyond the skew', 'future', { header: { issued: NOW + 30_001 } }),
    make(
      "after the end of the sender's announcement",
      'unknown_sender',
      { header: { issued: NOW + 26 * HOUR } },
      NOW + 26 * HOUR,
    ),
  ];
}

function sealed(change: Change): Uint8Array {
  const [sender, receiver] = [keyringOf('sender'), keyringOf('receiver')];
  const contentKey = seedOf('message content');
  const { key, commitment } = bodyKeys(contentKey);
  const header = encodeHeader({
    kind: 'test',
    messageId: seedOf('message id').slice(0, 16),
    from: sender.currentKeyId,
    re: null,
    issued: NOW,
    lifetime: 30_000,
    commitment,
    ...change.header,
  });
  const body = sealWith(key, new Uint8Array(24), change.aad ?? header, change.padded ?? pad(PLAINTEXT));
  const place = { sender: sender.currentKeyId, recipient: receiver.currentKeyId, hash: messageHash(header, body) };
  const nonce = seedOf('message nonce').slice(0, 24);
  const wrap = sealWrap(
    pairKey(sender.current, receiver.current),
    place,
    concat(contentKey, change.private ?? new Uint8Array(0)),
    nonce,
  );
  const wraps = change.wraps === undefined ? [wrap] : change.wraps(wrap);
  const message: readonly Wire[] = [1, header, body, wraps.map(wrapToWire)];
  return encode(change.bytes === undefined ? message : change.bytes(message));
}

const pairKey = (own: EpochKey, peer: EpochKey): Uint8Array => new PairKeys().txTo(own, peer.publicKey);

function flipped(wire: Wire | undefined): Uint8Array {
  const bytes = wire instanceof Uint8Array ? wire : new Uint8Array(1);
  return bytes.with(0, (bytes[0] ?? 0) ^ 1);
}
