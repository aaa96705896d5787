import { fromHex } from './bytes.js';
import { epochKeyFrom, EpochKeyring, isUsableEpochKey, PairKeys, PairRefused } from './epoch.js';
import { keyId } from './keys.js';
import { HOUR, identityOf, NOW, seedOf } from './parties.spec-support.js';
import { sodium, sodiumReady } from './sodium.js';

await sodiumReady();

const DAY = 24 * HOUR;
const owner = identityOf('web1').publicKey;
const first = epochKeyFrom(seedOf('epoch a'), NOW, NOW + DAY);
const second = epochKeyFrom(seedOf('epoch b'), NOW, NOW + DAY);

function aKeyring(): EpochKeyring {
  const keyring = new EpochKeyring(owner);
  keyring.rotate(NOW, DAY, HOUR);
  return keyring;
}

describe('a keyring', () => {
  it('has no key before its first epoch', () => {
    expect(() => new EpochKeyring(owner).current).toThrow('no epoch key yet');
  });

  it('finds its current key by its id, which names the owner', () => {
    const keyring = aKeyring();
    expect(keyring.currentKeyId).toEqual(keyId(owner, keyring.current.publicKey));
    expect(keyring.byKeyId(keyring.currentKeyId)).toBe(keyring.current);
    expect(keyring.byKeyId(seedOf('no key'))).toBeUndefined();
  });

  it("announces its key until the epoch's end and the overlap", () => {
    const { notBefore, notAfter } = aKeyring().current;
    expect([notBefore, notAfter]).toEqual([NOW, NOW + DAY + HOUR]);
  });

  it('keeps the one before for the overlap, then wipes it', () => {
    const keyring = aKeyring();
    const [before, id] = [keyring.current, keyring.currentKeyId];
    keyring.rotate(NOW + DAY, DAY, HOUR);
    keyring.expire(NOW + DAY + HOUR - 1);
    expect(keyring.byKeyId(id)).toBe(before);
    keyring.expire(NOW + DAY + HOUR);
    expect(keyring.byKeyId(id)).toBeUndefined();
    expect(before.secretKey.every((byte) => byte === 0)).toBe(true);
  });

  it('keeps one before, not two', () => {
    const keyring = aKeyring();
    const id = keyring.currentKeyId;
    keyring.rotate(NOW + 1, DAY, HOUR);
    keyring.rotate(NOW + 2, DAY, HOUR);
    expect(keyring.byKeyId(id)).toBeUndefined();
  });

  it('never overlaps longer than an epoch, nor keeps a key that had ended before the new one came', () => {
    const keyring = new EpochKeyring(owner);
    keyring.rotate(NOW, HOUR, DAY);
    expect(keyring.current.notAfter).toBe(NOW + 2 * HOUR);
    const id = keyring.currentKeyId;
    keyring.rotate(NOW + DAY, HOUR, HOUR);
    expect(keyring.byKeyId(id)).toBeUndefined();
  });

  it('announces a later beginning each time, though the clock goes back', () => {
    const keyring = aKeyring();
    keyring.rotate(NOW - DAY, DAY, HOUR);
    expect(keyring.current.notBefore).toBe(NOW + 1);
  });
});

describe('pair keys', () => {
  it('what one sends with is what the other receives with, in either order of their keys', () => {
    const [a, b] = [new PairKeys(), new PairKeys()];
    expect(a.txTo(first, second.publicKey)).toEqual(b.rxFrom(second, first.publicKey));
    expect(a.rxFrom(first, second.publicKey)).toEqual(b.txTo(second, first.publicKey));
    expect(a.txTo(first, second.publicKey)).not.toEqual(a.rxFrom(first, second.publicKey));
  });

  it('the bytewise lower public key is the client', () => {
    const [low, high] = Buffer.compare(first.publicKey, second.publicKey) < 0 ? [first, second] : [second, first];
    const client = sodium.crypto_kx_client_session_keys(low.publicKey, low.secretKey, high.publicKey);
    expect(new PairKeys().txTo(low, high.publicKey)).toEqual(client.sharedTx);
    expect(new PairKeys().rxFrom(high, low.publicKey)).toEqual(client.sharedTx);
  });

  it('are made once for each pair, and the oldest pair goes beyond the bound', () => {
    const pairs = new PairKeys(2);
    const peers = ['c', 'd', 'e'].map((name) => epochKeyFrom(seedOf(name), 0, 1).publicKey);
    const made = peers.map((peer) => pairs.txTo(first, peer));
    expect(pairs.txTo(first, peers[2] ?? owner)).toBe(made[2]);
    expect(pairs.txTo(first, peers[1] ?? owner)).toBe(made[1]);
    expect(pairs.txTo(first, peers[0] ?? owner)).not.toBe(made[0]);
  });

  it('lie together with those of the same own key, and with no others', () => {
    const pairs = new PairKeys();
    const [one, two] = ['c', 'd'].map((name) => pairs.txTo(first, epochKeyFrom(seedOf(name), 0, 1).publicKey).buffer);
    expect(two).toBe(one);
    expect(pairs.txTo(second, first.publicKey).buffer).not.toBe(one);
  });

  it('are refused for equal keys', () => {
    expect(() => new PairKeys().txTo(first, first.publicKey)).toThrow(PairRefused);
  });

  it('are not made of a key that was wiped: whoever knows the peer’s would know them', () => {
    const keyring = aKeyring();
    const before = keyring.current;
    const pairs = new PairKeys();
    const met = pairs.txTo(before, second.publicKey);
    keyring.rotate(NOW + 1, DAY, HOUR);
    keyring.rotate(NOW + 2, DAY, HOUR);
    expect(() => pairs.txTo(before, first.publicKey)).toThrow(PairRefused);
    expect(pairs.txTo(before, second.publicKey)).toBe(met);
  });

  it.each(['00'.repeat(32), `01${'00'.repeat(31)}`, '00'])('are refused for the peer key %s', (hex) => {
    expect(() => new PairKeys().rxFrom(first, fromHex(hex))).toThrow(PairRefused);
    expect(isUsableEpochKey(fromHex(hex))).toBe(false);
  });

  it('may be made with an ordinary key', () => {
    expect(isUsableEpochKey(first.publicKey)).toBe(true);
  });
});
