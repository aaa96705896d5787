import { compareBytes, concat } from './bytes.js';
import { leafOf, MerkleTree, verifyProof } from './merkle.js';
import { identityOf, seedOf } from './parties.spec-support.js';
import { blake2b, sodiumReady } from './sodium.js';

await sodiumReady();

const identity = identityOf('web1').publicKey;
const leavesOf = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => leafOf(identity, `m${String(i)}`));

/** RFC 9162, 2.1.1, in its own words: split at the largest power of two below n. */
function rfcRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves;
  if (only !== undefined && leaves.length === 1) return only;
  const split = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return blake2b(32, null, Uint8Array.of(1), rfcRoot(leaves.slice(0, split)), rfcRoot(leaves.slice(split)));
}

describe('a Merkle tree', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 33, 100])(
    'over %i leaves has the root of RFC 9162, and proves each leaf',
    (count) => {
      const leaves = leavesOf(count).sort(compareBytes);
      const tree = MerkleTree.of(leaves);
      expect(tree.root).toEqual(rfcRoot(leaves));
      leaves.forEach((leaf, index) => {
        expect(tree.indexOf(leaf)).toBe(index);
        expect(verifyProof(tree.root, count, index, leaf, tree.proof(index))).toBe(true);
      });
    },
  );

  it('is the same for any order of the leaves, and counts a leaf once', () => {
    const leaves = leavesOf(5);
    const tree = MerkleTree.of([...leaves].reverse().concat(leaves));
    expect(tree.root).toEqual(MerkleTree.of(leaves).root);
    expect(tree.count).toBe(5);
  });

  it('has at least one leaf, and leaves of 32 bytes', () => {
    expect(() => MerkleTree.of([])).toThrow(RangeError);
    expect(() => MerkleTree.of([seedOf('a'), new Uint8Array(33)])).toThrow(RangeError);
  });

  it('has no proof of what it does not hold', () => {
    const tree = MerkleTree.of(leavesOf(3));
    expect(tree.indexOf(seedOf('stranger'))).toBe(-1);
    for (const index of [-1, 3, 0.5]) expect(() => tree.proof(index)).toThrow(RangeError);
  });
});

describe('a leaf', () => {
  it('binds the identity key and the id', () => {
    const other = identityOf('web2').publicKey;
    expect(leafOf(identity, 'web1')).toEqual(
      blake2b(32, null, concat(Uint8Array.of(0), identity, Buffer.from('web1'))),
    );
    expect(leafOf(other, 'web1')).not.toEqual(leafOf(identity, 'web1'));
    expect(leafOf(identity, 'web2')).not.toEqual(leafOf(identity, 'web1'));
  });
});

describe('a proof', () => {
  const leaves = leavesOf(7).sort(compareBytes);
  const tree = MerkleTree.of(leaves);
  const leaf = leaves[2] ?? identity;
  const proof = tree.proof(2);
  const [lowest = leaf] = proof;
  const pair = MerkleTree.of(leaves.slice(0, 2));
  const second = leaves[1] ?? leaf;

  it('holds as it is', () => {
    expect(verifyProof(tree.root, 7, 2, leaf, proof)).toBe(true);
    expect(verifyProof(pair.root, 2, 1, second, pair.proof(1))).toBe(true);
    expect(verifyProof(leaf, 1, 0, leaf, [])).toBe(true);
  });

  it.each<[string, boolean]>([
    ['too short', verifyProof(tree.root, 7, 2, leaf, proof.slice(0, -1))],
    ['too long', verifyProof(tree.root, 7, 2, leaf, [...proof, lowest])],
    ['of another leaf', verifyProof(tree.root, 7, 2, leaves[3] ?? leaf, proof)],
    ['for another index', verifyProof(tree.root, 7, 3, leaf, proof)],
    ['for another count', verifyProof(tree.root, 4, 2, leaf, proof)],
    ['with index = count', verifyProof(tree.root, 7, 7, leaf, proof)],
    ['with a negative index', verifyProof(tree.root, 7, -1, leaf, proof)],
    ['with a broken index', verifyProof(tree.root, 7, 2.5, leaf, proof)],
    ['with count 0', verifyProof(leaf, 0, 0, leaf, [])],
    ['under another root', verifyProof(seedOf('root'), 7, 2, leaf, proof)],
    [
      'with an inner node as a leaf',
      verifyProof(tree.root, 4, 1, blake2b(32, null, Uint8Array.of(1), lowest, leaf), proof.slice(1)),
    ],
    ['with an index beyond a single leaf', verifyProof(leaf, 1, 1, leaf, [])],
    ['absent, with the root as a leaf', verifyProof(tree.root, 7, 0, tree.root, [])],
    ['one for a larger tree than is said', verifyProof(pair.root, 1, 0, second, pair.proof(1))],
    ['with a node of another size', verifyProof(tree.root, 7, 2, leaf, [concat(lowest, lowest), ...proof.slice(1)])],
  ])('is refused when it is %s', (_name, holds) => {
    expect(holds).toBe(false);
  });
});
