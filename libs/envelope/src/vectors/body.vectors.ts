/** Vectors of padding, of a body's keys, of its receipt, and of wraps. */
import { sealWith } from '../aead.js';
import { concat, toHex, utf8 } from '../bytes.js';
import { bodyKeys, messageHash, sealWrap } from '../message-body.js';
import { pad, padme } from '../padding.js';
import { seedOf } from '../parties.spec-support.js';
import { encodeReceipt, receiptOf } from '../receipt.js';
import type { Vectors } from './vector-file.js';

export interface PaddingCase {
  readonly name: string;
  /** The padded bytes without the zeros at their end, and their size. */
  readonly begin: string;
  readonly size: number;
  /** The last byte, where it isn't zero. */
  readonly last?: number;
  readonly plaintext: string | null;
}

const SIZES = [0, 1, 507, 508, 509, 540, 541, 1020, 1021];

export function paddingVectors(): Vectors<PaddingCase> {
  const about =
    '`plaintext` of the padded bytes: `begin`, zeros up to `size`, and `last` in place of the last of them; null when refused.';
  const valid = SIZES.map((size) => paddingCase(`${String(size)} bytes`, new Uint8Array(size).fill(0xa5)));
  const good = paddingCase('', utf8('plaintext'));
  const no = (name: string, change: Partial<PaddingCase>): PaddingCase => ({
    ...good,
    ...change,
    name,
    plaintext: null,
  });
  const refused = [
    no('a last byte that is not zero', { last: 1 }),
    no('a size below 512', { size: 511 }),
    no('a size between two steps', { size: 513 }),
    no('a step too many', { size: 544 }),
    no('a length beyond the padded bytes', { begin: `000001fd${good.begin.slice(8)}` }),
    no('a length whose zeros are the plaintext', { begin: `00000005${good.begin.slice(8)}` }),
    no('nothing', { begin: '', size: 0 }),
  ];
  return { about, cases: [...valid, ...refused] };
}

function paddingCase(name: string, plaintext: Uint8Array): PaddingCase {
  const begin = toHex(pad(plaintext).subarray(0, 4 + plaintext.length));
  return { name, begin, size: padme(Math.max(512, 4 + plaintext.length)), plaintext: toHex(plaintext) };
}

export interface BodyCase {
  readonly name: string;
  readonly contentKey: string;
  readonly key: string;
  readonly commitment: string;
  readonly header: string;
  readonly plaintext: string;
  readonly body: string;
  /** The whole answer. */
  readonly receipt: string;
}

export function bodyVectors(): Vectors<BodyCase> {
  const about =
    '`key` and `commitment` from `contentKey`; `body` is `plaintext`, padded, sealed under `key` with `header` as associated data; `receipt` answers it.';
  return { about, cases: ['first', 'second'].map(bodyCase) };
}

function bodyCase(name: string): BodyCase {
  const contentKey = seedOf(`content ${name}`);
  const { key, commitment } = bodyKeys(contentKey);
  const [header, plaintext] = [utf8(`header ${name}`), utf8(`plaintext ${name}`)];
  const body = sealWith(key, new Uint8Array(24), header, pad(plaintext));
  const [hexKey, hexCommitment] = [toHex(key), toHex(commitment)];
  return {
    name,
    contentKey: toHex(contentKey),
    key: hexKey,
    commitment: hexCommitment,
    header: toHex(header),
    plaintext: toHex(plaintext),
    body: toHex(body),
    receipt: toHex(encodeReceipt(receiptOf(contentKey))),
  };
}

export interface WrapCase {
  readonly name: string;
  readonly pairKey: string;
  readonly sender: string;
  readonly recipient: string;
  readonly header: string;
  readonly body: string;
  readonly nonce: string;
  readonly sealed: string;
  readonly contentKey: string | null;
  readonly private?: string;
}

export function wrapVectors(): Vectors<WrapCase> {
  const about =
    '`contentKey` and `private` that the wrap `sealed` holds for this sender, recipient, header and body; null when it is refused.';
  const plain = wrapCase('without a private part', new Uint8Array(0));
  const job = wrapCase('with a private part', utf8('index and proof'));
  const no = (name: string, change: Partial<WrapCase>): WrapCase => {
    const { private: _private, ...rest } = { ...job, ...change, name, contentKey: null };
    return rest;
  };
  const moved = { header: plain.header.slice(0, -2), body: plain.header.slice(-2) + plain.body };
  const refused = [
    no('a byte moved from header to body', moved),
    no('a byte moved from body to header', { header: job.header + job.body.slice(0, 2), body: job.body.slice(2) }),
    no('another sender', { sender: toHex(seedOf('another')) }),
    no('another recipient', { recipient: toHex(seedOf('another')) }),
    no('sender and recipient exchanged', { sender: job.recipient, recipient: job.sender }),
    no('another body', { body: `${job.body}00` }),
    no('another header', { header: `00${job.header.slice(2)}` }),
    no('another pair key', { pairKey: toHex(seedOf('another')) }),
    no('another nonce', { nonce: '00'.repeat(24) }),
    no('a byte changed', { sealed: `${job.sealed.slice(0, -2)}${job.sealed.endsWith('00') ? '01' : '00'}` }),
  ];
  return { about, cases: [plain, job, ...refused] };
}

function wrapCase(name: string, privatePart: Uint8Array): WrapCase {
  const [pairKey, sender, recipient, contentKey] = ['pair', 'sender', 'recipient', 'content'].map((word) =>
    seedOf(`wrap ${word}`),
  );
  if (!pairKey || !sender || !recipient || !contentKey) throw new Error('four seeds were made');
  const [header, body, nonce] = [utf8('header'), utf8('body'), seedOf('wrap nonce').slice(0, 24)];
  const wrap = sealWrap(
    pairKey,
    { sender, recipient, hash: messageHash(header, body) },
    concat(contentKey, privatePart),
    nonce,
  );
  return {
    name,
    pairKey: toHex(pairKey),
    sender: toHex(sender),
    recipient: toHex(recipient),
    header: toHex(header),
    body: toHex(body),
    nonce: toHex(nonce),
    sealed: toHex(wrap.sealed),
    contentKey: toHex(contentKey),
    private: toHex(privatePart),
  };
}
