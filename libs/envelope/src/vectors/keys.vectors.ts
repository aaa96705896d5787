/** Vectors of keys, their names, pair keys, and signatures. */
import { fromHex, toHex, utf8 } from '../bytes.js';
import { epochKeyFrom, PairKeys } from '../epoch.js';
import { clusterOf, fingerprint, fp, keyId } from '../keys.js';
import { CLUSTER, identityOf, rootOf, seedOf } from '../parties.spec-support.js';
import { SIGNED_WHATS, type SignedWhat } from '../signing.js';
import type { Vectors } from './vector-file.js';

export interface IdentityCase {
  readonly name: string;
  readonly secret: string;
  readonly signingSeed: string;
  readonly publicKey: string;
  readonly nkeySeed: string;
  readonly nkeyPublic: string;
  readonly fingerprint: string;
  readonly fp: string;
  readonly epochKey: string;
  readonly keyId: string;
}

export function identityVectors(): Vectors<IdentityCase> {
  const about =
    'crypto_kdf of `secret` (context natrium1): 1 gives `signingSeed`, 2 `nkeySeed`; names of `publicKey`; `keyId` of `epochKey` under this owner.';
  const owners = ['web1', 'web2', 'root'].map((name) => ({ name, epoch: name }));
  const cases = [...owners, { name: 'web2', epoch: 'web1' }].map(({ name, epoch }) => identityCase(name, epoch));
  return { about, cases };
}

function identityCase(name: string, epoch: string): IdentityCase {
  const { signing, publicKey, nkeySeed, nkeyPublic } = identityOf(name);
  const epochKey = epochKeyFrom(seedOf(`epoch ${epoch}`), 0, 1).publicKey;
  return {
    name: `identity ${name} with the epoch key of ${epoch}`,
    secret: toHex(seedOf(name)),
    signingSeed: toHex(signing.seed),
    publicKey: toHex(publicKey),
    nkeySeed: toHex(nkeySeed),
    nkeyPublic: toHex(nkeyPublic),
    fingerprint: fingerprint(publicKey),
    fp: fp(publicKey),
    epochKey: toHex(epochKey),
    keyId: toHex(keyId(publicKey, epochKey)),
  };
}

export interface PairCase {
  readonly name: string;
  readonly ownSeed: string;
  readonly ownPublic: string;
  readonly peerPublic: string;
  readonly expect: 'pair' | 'refused';
  readonly tx?: string;
  readonly rx?: string;
}

/** Every point of low order, with the forms that aren't reduced. */
const LOW_ORDER = [
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
  `00${'00'.repeat(30)}80`,
];

export function pairVectors(): Vectors<PairCase> {
  const about =
    'crypto_kx of the key pair from `ownSeed` (crypto_kx_seed_keypair) with `peerPublic`; the bytewise lower public key is the client.';
  const [a, b] = [seedOf('epoch a'), seedOf('epoch b')];
  const both = [pairCase('a to b', a, publicOf(b)), pairCase('b to a', b, publicOf(a))];
  const refused = [publicOf(a), ...LOW_ORDER].map((peerPublic, i) => ({
    name: i === 0 ? 'equal keys' : `low order ${String(i)}`,
    ownSeed: toHex(a),
    ownPublic: publicOf(a),
    peerPublic,
    expect: 'refused' as const,
  }));
  return { about, cases: [...both, ...refused] };
}

const publicOf = (seed: Uint8Array): string => toHex(epochKeyFrom(seed, 0, 1).publicKey);

function pairCase(name: string, seed: Uint8Array, peerPublic: string): PairCase {
  const own = epochKeyFrom(seed, 0, 1);
  const pairs = new PairKeys();
  const keys = { tx: toHex(pairs.txTo(own, fromHex(peerPublic))), rx: toHex(pairs.rxFrom(own, fromHex(peerPublic))) };
  return { name, ownSeed: toHex(seed), ownPublic: publicOf(seed), peerPublic, expect: 'pair', ...keys };
}

export interface SignatureCase {
  readonly name: string;
  readonly what: SignedWhat;
  readonly cluster: string;
  readonly publicKey: string;
  readonly bytes: string;
  readonly signature: string;
  readonly expect: boolean;
}

export function signatureVectors(): Vectors<SignatureCase> {
  const about = "Whether `signature` is the key's over `natrium/1/<what>`, zero, `cluster` and `bytes`.";
  const asEach = SIGNED_WHATS.flatMap((signedAs) => SIGNED_WHATS.map((what) => signatureCase(signedAs, what)));
  const good = signatureCase('request', 'request');
  const otherCluster = {
    ...good,
    name: 'in another cluster',
    cluster: toHex(clusterOf(rootOf('other').publicKey)),
    expect: false,
  };
  const otherKey = {
    ...good,
    name: 'under another key',
    publicKey: toHex(identityOf('web2').publicKey),
    expect: false,
  };
  const otherBytes = { ...good, name: 'over other bytes', bytes: toHex(utf8('what is Signed')), expect: false };
  const cut = { ...good, name: 'cut by a byte', signature: good.signature.slice(2), expect: false };
  const more = {
    ...good,
    name: 'with the group order added to S',
    signature: plusOrder(good.signature),
    expect: false,
  };
  const lowOrder = {
    ...good,
    name: 'under a key of low order',
    publicKey: `01${'00'.repeat(31)}`,
    signature: `01${'00'.repeat(63)}`,
    expect: false,
  };
  return { about, cases: [...asEach, otherCluster, otherKey, otherBytes, cut, more, lowOrder] };
}

function signatureCase(signedAs: SignedWhat, what: SignedWhat): SignatureCase {
  const { signing, publicKey } = identityOf('web1');
  const bytes = utf8('what is signed');
  return {
    name: `signed as ${signedAs}, verified as ${what}`,
    what,
    cluster: toHex(CLUSTER()),
    publicKey: toHex(publicKey),
    bytes: toHex(bytes),
    signature: toHex(signing.sign(signedAs, CLUSTER(), bytes)),
    expect: signedAs === what,
  };
}

const ORDER = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;

/** The same signature in a second form, which a lax verifier takes for good. */
function plusOrder(signature: string): string {
  const s = Buffer.from(signature.slice(64), 'hex').reverse().toString('hex');
  const more = (BigInt(`0x${s}`) + ORDER).toString(16).padStart(64, '0');
  return signature.slice(0, 64) + Buffer.from(more, 'hex').reverse().toString('hex');
}
