import { fromHex, toHex } from '../bytes.js';
import { epochKeyFrom, isUsableEpochKey, PairKeys, PairRefused } from '../epoch.js';
import { fingerprint, fp, identityFrom, keyId } from '../keys.js';
import { verify } from '../signing.js';
import { sodiumReady } from '../sodium.js';
import { identityVectors, pairVectors, signatureVectors } from './keys.vectors.js';
import { committed } from './vector-file.js';

await sodiumReady();

const made = { keys: identityVectors(), kx: pairVectors(), signing: signatureVectors() };
const files = {
  keys: committed('keys', made.keys),
  kx: committed('kx', made.kx),
  signing: committed('signing', made.signing),
};

it('the committed vectors of keys are what the generator makes', () => {
  expect(files).toEqual(made);
});

it.each(files.keys.cases)('keys: $name', (one) => {
  const identity = identityFrom(fromHex(one.secret));
  expect(toHex(identity.signing.seed)).toBe(one.signingSeed);
  expect(toHex(identity.publicKey)).toBe(one.publicKey);
  expect(toHex(identity.nkeySeed)).toBe(one.nkeySeed);
  expect(toHex(identity.nkeyPublic)).toBe(one.nkeyPublic);
  expect(fingerprint(identity.publicKey)).toBe(one.fingerprint);
  expect(fp(identity.publicKey)).toBe(one.fp);
  expect(toHex(keyId(identity.publicKey, fromHex(one.epochKey)))).toBe(one.keyId);
});

it.each(files.kx.cases)('kx: $name gives $expect', (one) => {
  const own = epochKeyFrom(fromHex(one.ownSeed), 0, 1);
  const peer = fromHex(one.peerPublic);
  expect(toHex(own.publicKey)).toBe(one.ownPublic);
  if (one.expect === 'refused') {
    expect(() => new PairKeys().txTo(own, peer)).toThrow(PairRefused);
    expect(isUsableEpochKey(peer)).toBe(one.name === 'equal keys');
    return;
  }
  expect(toHex(new PairKeys().txTo(own, peer))).toBe(one.tx);
  expect(toHex(new PairKeys().rxFrom(own, peer))).toBe(one.rx);
});

it.each(files.signing.cases)(
  'signing: $name is $expect',
  ({ what, cluster, publicKey, bytes, signature, expect: expected }) => {
    expect(verify(what, fromHex(cluster), fromHex(publicKey), fromHex(bytes), fromHex(signature))).toBe(expected);
  },
);
