import { encode, type Wire } from './encoding.js';
import { aMinion, sealTo } from './parties.spec-support.js';
import { sodiumReady } from './sodium.js';
import { splitMessage } from './message-layout.js';
import { encodeStaleKey, readStaleKey } from './stale-key.js';
import { signedToWire } from './signing.js';

await sodiumReady();

const announced = aMinion('web1').announced();

describe('stale_key', () => {
  it('carries nothing but the signed announcement', () => {
    expect(encodeStaleKey(announced)).toEqual(encode([1, 'stale_key', signedToWire(announced)]));
    expect(readStaleKey(encodeStaleKey(announced))).toEqual(announced);
  });

  it('is never read from a message, nor a message from it', () => {
    const sender = aMinion('web2');
    expect(readStaleKey(sealTo([aMinion('web1')], sender, encode(1)))).toBeUndefined();
    expect(splitMessage(encodeStaleKey(announced))).toEqual({ ok: false, error: 'shape' });
  });

  it.each<[string, Wire]>([
    ['another version', [2, 'stale_key', signedToWire(announced)]],
    ['another word', [1, 'stale', signedToWire(announced)]],
    ['a fourth part', [1, 'stale_key', signedToWire(announced), 0]],
    ['no announcement', [1, 'stale_key', null]],
  ])('is not read from %s', (_name, wire) => {
    expect(readStaleKey(encode(wire))).toBeUndefined();
  });

  it('is not read from nothing', () => {
    expect(readStaleKey(new Uint8Array(0))).toBeUndefined();
  });
});
