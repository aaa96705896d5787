import { concat, equalBytes } from './bytes.js';
import { decode, encode, type Wire } from './encoding.js';
import { openMessage, type OpenContext, type OpenReason } from './open.js';
import { bodyKeys, messageHash, openWrap, sealBody, sealWrap } from './message-body.js';
import { encodeHeader, type MessageParts, readHeader, splitMessage } from './message-layout.js';
import {
  aContext,
  aGateway,
  aMinion,
  HOUR,
  NOW,
  type Party,
  sealTo,
  seedOf,
  SKEW,
  wrapToWire,
} from './parties.spec-support.js';
import { SeenSets } from './seen-sets.js';
import type { MessageHead } from './seal.js';
import { sealWith } from './aead.js';
import { sodiumReady } from './sodium.js';

await sodiumReady();

const sender = aGateway('g1');
const receiver = aMinion('web1');
const plaintext = encode({ fun: 'test.ping' });
const message = (head: Partial<MessageHead> = {}): Uint8Array => sealTo([receiver], sender, plaintext, head);

function reasonOf(bytes: Uint8Array, change: Partial<OpenContext> = {}): OpenReason | 'opened' {
  const opened = openMessage(bytes, aContext(receiver, [sender], change));
  return opened.ok ? 'opened' : opened.error;
}

/** The parts of a message, for changing one of them. */
function partsOf(bytes: Uint8Array): MessageParts {
  const split = splitMessage(bytes);
  if (!split.ok) throw new Error('the message of a test is not split');
  return split.value;
}

const joined = ({ header, body, wraps }: MessageParts): Uint8Array => encode([1, header, body, wraps.map(wrapToWire)]);

describe('opening', () => {
  it('refuses a message that is larger than may come here', () => {
    const bytes = message();
    expect(reasonOf(bytes, { maxSize: bytes.length })).toBe('opened');
    expect(reasonOf(bytes, { maxSize: bytes.length - 1 })).toBe('size');
  });

  it.each<[OpenReason | 'opened', string, (wire: readonly Wire[]) => Wire]>([
    ['opened', 'version 1', (wire) => wire],
    ['version', 'version 2', (wire) => wire.with(0, 2)],
    ['version', 'version 2 of another shape', () => [2, 'whatever']],
    ['version', 'version 0', (wire) => wire.with(0, 0)],
    ['shape', 'a version that is a text', (wire) => wire.with(0, '1')],
    ['shape', 'a part too many', (wire) => [...wire, null]],
    ['shape', 'a part too few', (wire) => wire.slice(0, 3)],
    ['shape', 'no list', () => 1],
    ['shape', 'an empty body', (wire) => wire.with(2, new Uint8Array(0))],
    [
      'shape',
      'a wrap too short for any key',
      (wire) => wire.with(3, [[seedOf('a'), new Uint8Array(24), new Uint8Array(47)]]),
    ],
    [
      'stale_key',
      '1,024 wraps for others',
      (wire) => wire.with(3, Array<Wire>(1024).fill([seedOf('a'), new Uint8Array(24), new Uint8Array(48)])),
    ],
    [
      'shape',
      '1,025 wraps',
      (wire) => wire.with(3, Array<Wire>(1025).fill([seedOf('a'), new Uint8Array(24), new Uint8Array(48)])),
    ],
  ])('gives %s for %s', (reason, _name, change) => {
    const wire = decode(message());
    expect(reasonOf(encode(change(Array.isArray(wire) ? wire : [])))).toBe(reason);
  });

  it.each<[OpenReason | 'opened', number]>([
    ['opened', 8192],
    ['shape', 8193],
  ])('gives %s for a private part of %i bytes', (reason, size) => {
    const to = { ...receiver, recipient: () => receiver.recipient(new Uint8Array(size)) };
    expect(reasonOf(sealTo([to], sender, plaintext))).toBe(reason);
  });

  it('refuses bytes that are not the one encoding', () => {
    expect(reasonOf(concat(message(), Uint8Array.of(0)))).toBe('shape');
    expect(reasonOf(message().subarray(0, -1))).toBe('shape');
    expect(reasonOf(new Uint8Array(0))).toBe('shape');
  });

  it.each<[string, (header: readonly Wire[]) => Wire]>([
    ['a part too many', (header) => [...header, 0]],
    ['no kind', (header) => header.with(0, '')],
    ['a kind of 33 characters', (header) => header.with(0, 'x'.repeat(33))],
    ['a short message id', (header) => header.with(1, new Uint8Array(15))],
    ['a short key id', (header) => header.with(2, new Uint8Array(31))],
    ['a `re` that is no message id', (header) => header.with(3, 'id')],
    ['a broken time', (header) => header.with(4, 0.5)],
    ['no life', (header) => header.with(5, 0)],
    ['a short commitment', (header) => header.with(6, new Uint8Array(31))],
  ])('refuses a header with %s', (_name, change) => {
    const parts = partsOf(message());
    const header = decode(parts.header);
    expect(reasonOf(joined({ ...parts, header: encode(change(Array.isArray(header) ? header : [])) }))).toBe('shape');
  });

  it('tells of a sender that it does not know', () => {
    expect(openMessage(message(), aContext(receiver, []))).toEqual({ ok: false, error: 'unknown_sender' });
  });

  it('does not know a sender any more whose announcement has ended', () => {
    const end = sender.known().notAfter;
    const late = message({ issued: end });
    expect(reasonOf(late, { now: end })).toBe('opened');
    expect(reasonOf(late, { now: end + 1 })).toBe('unknown_sender');
  });

  it('does not know a sender whose whole announcement is refused', () => {
    const bytes = message({ from: { ...sender.announced(), signature: new Uint8Array(64) } });
    expect(openMessage(bytes, aContext(receiver, []))).toMatchObject({ error: 'unknown_sender' });
    expect(reasonOf(message({ from: sender.announced() }))).toBe('opened');
  });

  it('asks whether this kind may come from this party, before any secret is used', () => {
    const allows: OpenContext['allows'] = (kind, party) => kind === 'job' && party.owner.type === 'role';
    expect(reasonOf(message({ kind: 'job' }), { allows })).toBe('opened');
    expect(reasonOf(message({ kind: 'ret' }), { allows })).toBe('kind');
    const minion = aMinion('web2');
    const fromMinion = sealTo([receiver], minion, plaintext, { kind: 'job' });
    expect(openMessage(fromMinion, aContext(receiver, [minion], { allows }))).toMatchObject({
      error: 'kind',
    });
    expect(reasonOf(withBrokenWrap(message({ kind: 'ret' })), { allows })).toBe('kind');
  });

  it('refuses two wraps for one key, and asks for another key when there is none', () => {
    expect(reasonOf(sealTo([aMinion('web2'), receiver], sender, plaintext))).toBe('opened');
    expect(reasonOf(sealTo([receiver, receiver], sender, plaintext))).toBe('duplicate_wrap');
    expect(reasonOf(sealTo([aMinion('web2')], sender, plaintext))).toBe('stale_key');
  });

  it('refuses a wrap for the current and one for the previous key in one message', () => {
    const rotating = aMinion('web3');
    const before = rotating.recipient();
    rotating.keyring.rotate(NOW, HOUR, HOUR);
    const both = [before, rotating.recipient()];
    const open = (count: number): unknown => {
      const bytes = sealTo(
        both.slice(0, count).map((to) => ({ ...rotating, recipient: () => to })),
        sender,
        plaintext,
      );
      return openMessage(bytes, aContext(rotating, [sender]));
    };
    expect(open(1)).toMatchObject({ ok: true });
    expect(open(2)).toMatchObject({ error: 'duplicate_wrap' });
  });

  it('refuses a wrap that does not open', () => {
    expect(reasonOf(withBrokenWrap(message()))).toBe('wrap');
  });

  it('refuses a wrap of another party under the name of this one', () => {
    const thief = aMinion('web2');
    const bytes = sealTo([receiver], thief, plaintext);
    const change = { partyOf: () => ({ ...sender.known(), keyId: thief.keyring.currentKeyId }) };
    expect(reasonOf(bytes, change)).toBe('wrap');
    expect(openMessage(bytes, aContext(receiver, [thief]))).toMatchObject({ ok: true });
  });

  it('refuses a sender whose epoch key makes no pair', () => {
    expect(reasonOf(message(), { partyOf: () => ({ ...sender.known(), epochKey: new Uint8Array(32) }) })).toBe('wrap');
  });

  it('refuses a wrap of this message under the header or the body of another', () => {
    const [one, two] = [partsOf(message()), partsOf(message({ kind: 'other' }))];
    expect(reasonOf(joined({ ...one, header: two.header }))).toBe('wrap');
    expect(reasonOf(joined({ ...one, body: two.body }))).toBe('wrap');
    expect(reasonOf(joined(one))).toBe('opened');
  });

  it('refuses a byte that moved across from header to body', () => {
    const { header, body } = partsOf(message());
    const moved = [header.subarray(0, -1), concat(header.subarray(-1), body)] as const;
    expect(equalBytes(concat(...moved), concat(header, body))).toBe(true);
    expect(messageHash(...moved)).not.toEqual(messageHash(header, body));
  });

  it('refuses a header that commits to another content key', () => {
    expect(reasonOf(crafted())).toBe('opened');
    expect(reasonOf(crafted({ commitment: seedOf('another') }))).toBe('commitment');
  });

  it('promise 10: opens one ciphertext under one content key only, whatever its wraps hand out', () => {
    const twoKeys = (second: string): Uint8Array => {
      const one = partsOf(crafted());
      const other = wrapFrom(sender, messageHash(one.header, one.body), seedOf(second));
      return joined({ ...one, wraps: [other] });
    };
    expect(reasonOf(twoKeys('content'))).toBe('opened');
    // `commitment`, not `body`: it is refused before anybody asks whether the ciphertext was made to open twice.
    expect(reasonOf(twoKeys('another'))).toBe('commitment');
  });

  it('refuses a body that was sealed under another header', () => {
    expect(reasonOf(crafted({ bodyHeader: encode('another') }))).toBe('body');
  });

  it('refuses padding that is not zero', () => {
    const padded = new Uint8Array(512);
    padded.set([0, 0, 0, plaintext.length, ...plaintext]);
    expect(reasonOf(crafted({ padded }))).toBe('opened');
    expect(reasonOf(crafted({ padded: padded.with(511, 1) }))).toBe('padding');
  });

  it('refuses what the schema of the kind refuses, and what is not the one encoding', () => {
    const parse: OpenContext['parse'] = (kind, wire) => {
      if (kind !== 'test') throw new TypeError('no such kind');
      return wire;
    };
    expect(reasonOf(message(), { parse })).toBe('opened');
    expect(reasonOf(message({ kind: 'other' }), { parse })).toBe('schema');
    expect(reasonOf(sealTo([receiver], sender, Uint8Array.of(0xcc, 1)))).toBe('schema');
  });

  it('refuses a body of more values than its kind may hold, before it makes them', () => {
    const lists = encode([[1, 2], { a: [] }]);
    expect(reasonOf(sealTo([receiver], sender, lists), { maxValues: () => 5 })).toBe('opened');
    expect(reasonOf(sealTo([receiver], sender, lists), { maxValues: () => 4 })).toBe('schema');
  });

  it('refuses a message of more values than one has with all its wraps, before it looks what they are', () => {
    const withValues = (length: number) => encode([2, ...Array.from({ length }, () => ({}))]);
    expect(reasonOf(withValues(4099))).toBe('version');
    expect(reasonOf(withValues(4100))).toBe('shape');
  });

  it('gives what the schema made of it', () => {
    expect(openMessage(message(), aContext(receiver, [sender], { parse: () => 42 }))).toMatchObject({
      value: { body: 42 },
    });
  });

  it('gives bytes that the next message leaves as they are, whatever the sizes', () => {
    const context = aContext(receiver, [sender], { parse: (_kind, body) => body });
    const sizes = [3, 300, 15_000, 20_000];
    const opened = sizes.map((size) =>
      openMessage(sealTo([receiver], sender, encode([new Uint8Array(size).fill(size)])), context),
    );
    const expected = sizes.map((size) => [new Uint8Array(size).fill(size)]);
    expect(opened.map((one) => one.ok && one.value.body)).toEqual(expected);
  });

  it.each<[OpenReason | 'opened', number]>([
    ['opened', NOW + 30_000],
    ['stale', NOW + 30_001],
    ['opened', NOW - SKEW],
    ['future', NOW - SKEW - 1],
  ])('gives %s at %i', (reason, now) => {
    expect(reasonOf(message(), { now })).toBe(reason);
  });

  it('refuses a life that is longer than the kind may have', () => {
    expect(reasonOf(message(), { maxLifetime: () => 30_000 })).toBe('opened');
    expect(reasonOf(message(), { maxLifetime: () => 29_999 })).toBe('stale');
  });

  it('opens a message once', () => {
    const seen = new SeenSets({ perSender: 10, senders: 10 });
    const bytes = message();
    expect([reasonOf(bytes, { seen }), reasonOf(bytes, { seen }), reasonOf(message(), { seen })]).toEqual([
      'opened',
      'replayed',
      'opened',
    ]);
  });

  it('opens a replay neither at the last moment of its life nor after the clock was set back', () => {
    const seen = new SeenSets({ perSender: 1, senders: 1 });
    const bytes = message();
    expect(reasonOf(bytes, { seen })).toBe('opened');
    expect(reasonOf(message({ issued: NOW + 30_001 }), { seen, now: NOW + 30_001 })).toBe('slow_down');
    expect(reasonOf(bytes, { seen, now: NOW + 30_000 })).toBe('replayed');
  });

  it('tells a sender whose set is full to slow down, also under the next of its keys, and takes what another one sends', () => {
    const seen = new SeenSets({ perSender: 1, senders: 2 });
    const [rotating, other] = [aGateway('g2'), aGateway('g3')];
    const open = (from: Party) => {
      const opened = openMessage(sealTo([receiver], from, plaintext), aContext(receiver, [from], { seen }));
      return opened.ok ? 'opened' : opened.error;
    };
    expect([open(rotating), open(rotating)]).toEqual(['opened', 'slow_down']);
    rotating.keyring.rotate(NOW, HOUR, HOUR);
    expect([open(rotating), open(other)]).toEqual(['slow_down', 'opened']);
  });

  it('remembers nothing of a message that was refused before', () => {
    const seen = new SeenSets({ perSender: 1, senders: 1 });
    expect(reasonOf(message(), { seen, now: NOW + HOUR })).toBe('stale');
    expect(reasonOf(withBrokenWrap(message()), { seen })).toBe('wrap');
    expect(reasonOf(message(), { seen })).toBe('opened');
  });

  it('takes an answer only to an outstanding question to that party', () => {
    const question = seedOf('question').slice(0, 16);
    const asked: OpenContext['expects'] = (re, party, kind) =>
      re !== null && equalBytes(re, question) && party.owner.type === 'role' && kind === 'answer';
    const answer = message({ kind: 'answer', re: question });
    expect(reasonOf(answer, { expects: asked })).toBe('opened');
    expect(reasonOf(message({ kind: 'answer', re: seedOf('x').slice(0, 16) }), { expects: asked })).toBe('re');
    expect(reasonOf(message({ kind: 'answer' }), { expects: asked })).toBe('re');
    const minion = aMinion('web2');
    const fromMinion = sealTo([receiver], minion, plaintext, { kind: 'answer', re: question });
    expect(openMessage(fromMinion, aContext(receiver, [minion], { expects: asked }))).toMatchObject({
      error: 're',
    });
  });

  it('opens with the key before the current one while it is kept', () => {
    const rotating = aMinion('web4');
    const bytes = sealTo([rotating], sender, plaintext);
    const before = rotating.keyring.currentKeyId;
    rotating.keyring.rotate(NOW, HOUR, HOUR);
    // `recipient` tells that the sender doesn't know the current key yet.
    expect(openMessage(bytes, aContext(rotating, [sender]))).toMatchObject({ ok: true, value: { recipient: before } });
    rotating.keyring.expire(NOW + HOUR);
    expect(openMessage(bytes, aContext(rotating, [sender]))).toMatchObject({ error: 'stale_key' });
  });
});

describe('a wrap', () => {
  const place = { sender: seedOf('s'), recipient: seedOf('r'), hash: seedOf('h') };
  const wrap = sealWrap(seedOf('pair'), place, concat(seedOf('content'), seedOf('private')));

  it('opens at its place with content key and private part', () => {
    expect(openWrap(seedOf('pair'), place, wrap)).toEqual({
      contentKey: seedOf('content'),
      private: seedOf('private'),
    });
  });

  it.each(['sender', 'recipient', 'hash'])('does not open with another %s', (part) => {
    expect(openWrap(seedOf('pair'), { ...place, [part]: seedOf('another') }, wrap)).toBeUndefined();
  });

  it('does not open with less than a content key in it', () => {
    expect(openWrap(seedOf('pair'), place, sealWrap(seedOf('pair'), place, new Uint8Array(31)))).toBeUndefined();
  });
});

function withBrokenWrap(bytes: Uint8Array): Uint8Array {
  return bytes.with(-1, (bytes.at(-1) ?? 0) ^ 1);
}

/** A message as a sender would make it who breaks one rule inside of a good wrap. */
function crafted(change: { commitment?: Uint8Array; bodyHeader?: Uint8Array; padded?: Uint8Array } = {}): Uint8Array {
  const contentKey = seedOf('content');
  const { key, commitment } = bodyKeys(contentKey);
  const read = readHeader(partsOf(message()).header);
  if (read === undefined) throw new Error('the header of a test is not read');
  const header = encodeHeader({ ...read, commitment: change.commitment ?? commitment });
  const aad = change.bodyHeader ?? header;
  const body = change.padded ? sealWith(key, new Uint8Array(24), aad, change.padded) : sealBody(key, aad, plaintext);
  return joined({ header, body, wraps: [wrapFrom(sender, messageHash(header, body), contentKey)] });
}

function wrapFrom(party: Party, hash: Uint8Array, contentKey: Uint8Array): MessageParts['wraps'][number] {
  const place = { sender: party.keyring.currentKeyId, recipient: receiver.keyring.currentKeyId, hash };
  return sealWrap(party.pairs.txTo(party.keyring.current, receiver.keyring.current.publicKey), place, contentKey);
}
