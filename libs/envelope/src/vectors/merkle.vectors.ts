/** Vectors of Merkle trees and proofs; leaves are derived by rule, so ten thousand of them take no room. */
import { compareBytes, concat, toHex } from '../bytes.js';
import { leafOf, MerkleTree } from '../merkle.js';
import { identityOf } from '../parties.spec-support.js';
import { blake2b } from '../sodium.js';
import type { Vectors } from './vector-file.js';

export interface MerkleCase {
  readonly name: string;
  readonly identity: string;
  readonly id: string;
  /** The leaf, where it isn't that of identity and id. */
  readonly leaf?: string;
  readonly root: string;
  readonly count: number;
  readonly index: number;
  readonly proof: readonly string[];
  readonly expect: boolean;
}

const COUNTS = [1, 2, 3, 7, 8, 10_000];

export function merkleVectors(): Vectors<MerkleCase> {
  const about =
    'Whether `proof` shows the leaf of `identity` and `id` (or `leaf`) as number `index` of `count` under `root`. A tree of n has the leaves of this identity with the ids m0 to m<n-1>.';
  return { about, cases: [...COUNTS.flatMap(valid), ...refused()] };
}

const identity = (): Uint8Array => identityOf('web1').publicKey;

export function treeOf(count: number): MerkleTree {
  return MerkleTree.of(Array.from({ length: count }, (_, i) => leafOf(identity(), `m${String(i)}`)));
}

function valid(count: number): MerkleCase[] {
  const tree = treeOf(count);
  const numbers = [...new Set([0, count >>> 1, count - 1])];
  return numbers.map((number) => proofCase(tree, `m${String(number)}`));
}

function proofCase(tree: MerkleTree, id: string): MerkleCase {
  const index = tree.indexOf(leafOf(identity(), id));
  return {
    name: `${id} of ${String(tree.count)}`,
    identity: toHex(identity()),
    id,
    root: toHex(tree.root),
    count: tree.count,
    index,
    proof: tree.proof(index).map(toHex),
    expect: true,
  };
}

function refused(): MerkleCase[] {
  const good = proofCase(treeOf(7), 'm3');
  const no = (name: string, change: Partial<MerkleCase>): MerkleCase => ({ ...good, ...change, name, expect: false });
  const [lowest = ''] = good.proof;
  return [
    no('an index that equals the count', { index: 7 }),
    no('an index beyond the count', { index: 8 }),
    no('a negative index', { index: -1 }),
    no('another index', { index: good.index ^ 1 }),
    no('count zero', { count: 0 }),
    no('a count too small for the proof', { count: 1, index: 0 }),
    no('a proof one too short', { proof: good.proof.slice(0, -1) }),
    no('a proof one too long', { proof: [...good.proof, lowest] }),
    no('no proof', { proof: [] }),
    no('a proof in another order', { proof: [...good.proof].reverse() }),
    no('a proof with a node too long', { proof: [`${lowest}00`, ...good.proof.slice(1)] }),
    no('another identity under the same id', { identity: toHex(identityOf('web2').publicKey) }),
    no('another id under the same identity', { id: 'm4' }),
    no('another root', { root: lowest }),
    innerNodeAsLeaf(),
    no('the root as a leaf, without a proof', { leaf: good.root, index: 0, proof: [] }),
    no('an index beyond a single leaf', { ...proofCase(treeOf(1), 'm0'), index: 1 }),
    no('a tree of two, passed off as a tree of one', { ...lastOfTwo(), count: 1, index: 0 }),
  ];
}

function lastOfTwo(): MerkleCase {
  const tree = treeOf(2);
  return ['m0', 'm1'].map((id) => proofCase(tree, id)).find(({ index }) => index === 1) ?? proofCase(tree, 'm1');
}

/** In a tree of 8 an inner node over the first two leaves, passed off as the first leaf of a tree of 4. */
function innerNodeAsLeaf(): MerkleCase {
  const tree = treeOf(8);
  const leaves = Array.from({ length: 8 }, (_, i) => leafOf(identity(), `m${String(i)}`)).sort(compareBytes);
  const [first, second] = leaves.map(toHex);
  const honest = { name: 'an inner node as a leaf', identity: toHex(identity()), id: 'm0', root: toHex(tree.root) };
  const proof = tree.proof(0).slice(1).map(toHex);
  // The hashes do fit: it is refused because nobody's leaf has this value, and the grant says that there are 8.
  return { ...honest, leaf: toHex(innerOf(first ?? '', second ?? '')), count: 8, index: 0, proof, expect: false };
}

function innerOf(left: string, right: string): Uint8Array {
  return blake2b(32, null, concat(Uint8Array.of(1), Buffer.from(left, 'hex'), Buffer.from(right, 'hex')));
}
