import { encode, type Wire } from './encoding.js';
import { splitMessage } from './message-layout.js';
import { openMessage } from './open.js';
import { aContext, aHead, aMinion, type Party, sealTo, seedOf } from './parties.spec-support.js';
import { encodeReceipt, readReceipt } from './receipt.js';
import { sealParts } from './seal.js';
import { sodiumReady } from './sodium.js';
import { encodeStaleKey, readStaleKey } from './stale-key.js';

await sodiumReady();

const [sender, first, second] = [aMinion('web1'), aMinion('gw1'), aMinion('gw2')];

function sealed(to: readonly Party[]) {
  const parts = sealParts(aHead(sender), encode('a return'), sender.keyring, sender.pairs);
  return { receipt: parts.receipt, bytes: parts.messageFor(to.map((party) => party.recipient())) };
}

function receiptBy(receiver: Party, bytes: Uint8Array): Uint8Array {
  const opened = openMessage(bytes, aContext(receiver, [sender]));
  if (!opened.ok) throw new Error(opened.error);
  return opened.value.receipt();
}

describe('a receipt', () => {
  it('is the same for the sender and each of his recipients, and another for what is sealed again', () => {
    const { receipt, bytes } = sealed([first, second]);
    expect(receipt).toHaveLength(32);
    for (const receiver of [first, second]) expect(receiptBy(receiver, bytes)).toEqual(receipt);
    expect(receiptBy(first, sealed([first]).bytes)).not.toEqual(receipt);
  });

  it('is nothing that the message shows', () => {
    const { receipt, bytes } = sealed([first]);
    expect(Buffer.from(bytes).includes(Buffer.from(receipt))).toBe(false);
  });

  it('has one form', () => {
    const receipt = seedOf('receipt');
    expect(encodeReceipt(receipt)).toEqual(encode([1, 'receipt', receipt]));
    expect(readReceipt(encodeReceipt(receipt))).toEqual(receipt);
  });

  it('is never read from another thing that comes to an inbox, nor that from it', () => {
    const bytes = encodeReceipt(seedOf('receipt'));
    expect(splitMessage(bytes)).toEqual({ ok: false, error: 'shape' });
    expect(readStaleKey(bytes)).toBeUndefined();
    expect(readReceipt(sealTo([first], sender, encode(1)))).toBeUndefined();
    expect(readReceipt(encodeStaleKey(sender.announced()))).toBeUndefined();
  });

  it.each<[string, Wire]>([
    ['another version', [2, 'receipt', seedOf('receipt')]],
    ['another word', [1, 'receive', seedOf('receipt')]],
    ['a fourth part', [1, 'receipt', seedOf('receipt'), 0]],
    ['a byte less', [1, 'receipt', seedOf('receipt').slice(1)]],
    ['a text', [1, 'receipt', 'x'.repeat(32)]],
  ])('is not read from %s', (_name, wire) => {
    expect(readReceipt(encode(wire))).toBeUndefined();
  });

  it('is not read from nothing', () => {
    expect(readReceipt(new Uint8Array(0))).toBeUndefined();
  });
});
