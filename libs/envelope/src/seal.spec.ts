import { concat } from './bytes.js';
import { encode } from './encoding.js';
import { PairRefused } from './epoch.js';
import { openMessage } from './open.js';
import { aContext, aHead, aMinion, NOW, sealTo, seedOf } from './parties.spec-support.js';
import { sealMessage, sealParts } from './seal.js';
import { sodiumReady } from './sodium.js';

await sodiumReady();

const plaintext = encode({ fun: 'test.ping' });

describe('a sealed message', () => {
  it('opens for each of its recipients, with what it said', () => {
    const [sender, first, second] = [aMinion('web1'), aMinion('web2'), aMinion('web3')];
    const bytes = sealTo([first, second], sender, plaintext, { messageId: seedOf('id').slice(0, 16) });
    for (const receiver of [first, second]) {
      expect(openMessage(bytes, aContext(receiver, [sender]))).toEqual({
        ok: true,
        value: {
          kind: 'test',
          messageId: seedOf('id').slice(0, 16),
          party: sender.known(),
          body: { fun: 'test.ping' },
          private: new Uint8Array(0),
          recipient: receiver.keyring.currentKeyId,
          receipt: expect.any(Function) as unknown,
        },
      });
    }
  });

  it('opens for a stranger by the whole announcement in it', () => {
    const [sender, receiver] = [aMinion('web1'), aMinion('web2')];
    const bytes = sealTo([receiver], sender, plaintext, { from: sender.announced() });
    expect(openMessage(bytes, aContext(receiver, []))).toMatchObject({ ok: true, value: { party: sender.known() } });
  });

  it('has an id of its own when none is given', () => {
    const [sender, receiver] = [aMinion('web1'), aMinion('web2')];
    const ids = [1, 2].map(() => {
      const opened = openMessage(sealTo([receiver], sender, plaintext), aContext(receiver, [sender]));
      return opened.ok ? opened.value.messageId : undefined;
    });
    expect(ids[0]).toHaveLength(16);
    expect(ids[0]).not.toEqual(ids[1]);
  });

  it('is not made for an epoch key that makes no pair, nor in the name of another', () => {
    const sender = aMinion('web1');
    const bad = { keyId: seedOf('x'), epochKey: new Uint8Array(32) };
    expect(() => sealMessage(aHead(sender), plaintext, sender.keyring, [bad], sender.pairs)).toThrow(PairRefused);
    expect(() => sealTo([], sender, plaintext, { from: seedOf('another') })).toThrow(RangeError);
    expect(() => sealTo([], sender, plaintext, { kind: 'x'.repeat(33) })).toThrow(RangeError);
    expect(() => sealTo([], sender, plaintext, { lifetime: 0 })).toThrow(RangeError);
  });
});

describe('a fan-out', () => {
  const sender = aMinion('gateway');
  const [first, second] = [aMinion('web1'), aMinion('web2')];
  const parts = sealParts(aHead(sender), plaintext, sender.keyring, sender.pairs);

  it('gives each recipient his own private part, and one body to all', () => {
    for (const receiver of [first, second]) {
      const privatePart = receiver.identity.publicKey;
      const opened = openMessage(parts.wrapFor(receiver.recipient(privatePart)), aContext(receiver, [sender]));
      expect(opened).toMatchObject({ ok: true, value: { private: privatePart, messageId: parts.messageId } });
    }
  });

  it.each([0, 1, 207, 208, 8192])('gives a private part of %i bytes as it is', (size) => {
    const privatePart = new Uint8Array(size).fill(7);
    const bytes = concat(parts.common, parts.ownPart(first.recipient(privatePart)));
    expect(openMessage(bytes, aContext(first, [sender]))).toMatchObject({ ok: true, value: { private: privatePart } });
  });

  it('wraps no private part that is too large for a wrap', () => {
    expect(() => parts.wrapFor(first.recipient(new Uint8Array(0x10000)))).toThrow(RangeError);
  });

  it("holds only the recipient's own wrap behind the common beginning", () => {
    const bytes = parts.wrapFor(first.recipient());
    expect(bytes.subarray(0, parts.common.length)).toEqual(parts.common);
    expect(openMessage(bytes, aContext(second, [sender]))).toMatchObject({ ok: false, error: 'stale_key' });
  });

  it('is wrapped again for a new epoch key with the same message id', () => {
    first.keyring.rotate(NOW + 1, 1000, 1000);
    const opened = openMessage(parts.wrapFor(first.recipient()), aContext(first, [sender]));
    expect(opened).toMatchObject({ ok: true, value: { messageId: parts.messageId } });
  });
});
