/**
 * The Merkle tree over the minions that a grant allows: each minion checks that it is one of them, and learns of no other.
 *
 * A leaf binds identity key and id; leaves and inner nodes are hashed apart, so none passes for the other. The form of
 * the tree and the check are RFC 9162's (2.1), with BLAKE2b-256.
 *
 * Spec: spec/envelope.md#merkle; vectors: spec/vectors/merkle.json.
 */
import { compareBytes, equalBytes, utf8 } from './bytes.js';
import { blake2b } from './sodium.js';

const LEAF = Uint8Array.of(0);
/** Leaves of a tree. */
export const MAX_COUNT = 0x7fffffff;

export function leafOf(identityKey: Uint8Array, id: string): Uint8Array {
  return blake2b(32, null, LEAF, identityKey, utf8(id));
}

export class MerkleTree {
  private constructor(private readonly levels: readonly (readonly Uint8Array[])[]) {}

  /** Builds the tree over the leaves, which it sorts and takes once each. @throws {RangeError} Without any leaf, or for one that isn't 32 bytes. */
  static of(leaves: readonly Uint8Array[]): MerkleTree {
    if (leaves.some((leaf) => leaf.length !== 32)) throw new RangeError('a leaf has 32 bytes');
    const sorted = [...leaves].sort(compareBytes);
    let level = sorted.filter((leaf, i) => i === 0 || compareBytes(leaf, sorted[i - 1] ?? leaf) !== 0);
    if (level.length === 0) throw new RangeError('a Merkle tree has at least one leaf');
    const levels = [level];
    while (level.length > 1) {
      level = above(level);
      levels.push(level);
    }
    return new MerkleTree(levels);
  }

  get root(): Uint8Array {
    return this.levels.at(-1)?.[0] ?? unreachable();
  }

  get count(): number {
    return this.#leaves().length;
  }

  /** @returns -1 when the leaf isn't in the tree. */
  indexOf(leaf: Uint8Array): number {
    const leaves = this.#leaves();
    let low = 0;
    let high = leaves.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = compareBytes(leaves[middle] ?? unreachable(), leaf);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** The hashes beside the way from the leaf to the root, lowest first. @throws {RangeError} When there is no such leaf. */
  proof(index: number): readonly Uint8Array[] {
    if (!Number.isInteger(index) || index < 0 || index >= this.count) throw new RangeError('no leaf has this index');
    const proof: Uint8Array[] = [];
    let at = index;
    for (const level of this.levels) {
      const beside = level[at ^ 1];
      if (beside !== undefined) proof.push(beside);
      at >>>= 1;
    }
    return proof;
  }

  #leaves(): readonly Uint8Array[] {
    return this.levels[0] ?? unreachable();
  }
}

/** Tells whether `leaf` is number `index` of the `count` leaves under `root`, as RFC 9162 2.1.3.2. */
export function verifyProof(
  root: Uint8Array,
  count: number,
  index: number,
  leaf: Uint8Array,
  proof: readonly Uint8Array[],
): boolean {
  if (!isCount(count) || !Number.isInteger(index) || index < 0 || index >= count || leaf.length !== 32) return false;
  let node = index;
  let last = count - 1;
  let hash = leaf;
  for (const beside of proof) {
    if (last === 0 || beside.length !== 32) return false;
    if ((node & 1) === 1 || node === last) {
      hash = innerOf(beside, hash);
      for (; (node & 1) === 0 && node !== 0; node >>>= 1) last >>>= 1;
    } else {
      hash = innerOf(hash, beside);
    }
    node >>>= 1;
    last >>>= 1;
  }
  return last === 0 && equalBytes(hash, root);
}

/** 1, left and right, put together in one place: a large tree has as many of these as leaves. */
const inner = new Uint8Array(65);
inner[0] = 1;

function innerOf(left: Uint8Array, right: Uint8Array): Uint8Array {
  inner.set(left, 1);
  inner.set(right, 33);
  return blake2b(32, null, inner);
}

function isCount(count: number): boolean {
  return Number.isInteger(count) && count >= 1 && count <= MAX_COUNT;
}

/** A last node without a neighbour goes up as it is, which gives RFC 9162's tree. */
function above(level: readonly Uint8Array[]): Uint8Array[] {
  const parents: Uint8Array[] = [];
  for (let i = 0; i < level.length; i += 2) {
    const left = level[i] ?? unreachable();
    const right = level[i + 1];
    parents.push(right === undefined ? left : innerOf(left, right));
  }
  return parents;
}

function unreachable(): never {
  throw new Error('a Merkle tree is never empty');
}
