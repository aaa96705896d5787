/**
 * The trees over the last large sets of minions: who asks all of a fleet asks the same ones again, and to compare a set with the
 * one before takes a hundredth of the time that it takes to hash it.
 *
 * Spec: spec/envelope.md#merkle.
 */
import { compareBytes } from './bytes.js';
import { leafOf, MerkleTree } from './merkle.js';

export interface TreeMember {
  readonly id: string;
  /** Its identity key. */
  readonly key: Uint8Array;
}

/** Members from which on a tree is remembered: a smaller one is hashed in less than a millisecond, and would push out a large one. */
const LARGE = 64;
const REMEMBERED = 4;
/** A tree takes some 300 bytes for each member. */
const MAX_MEMBERS = 50_000;

/** The tree over one list of minions, and each one's place in it. */
export class MemberTree {
  readonly #tree: MerkleTree;
  readonly #leaves: readonly Uint8Array[];
  #indexes: Int32Array | undefined;

  constructor(readonly members: readonly TreeMember[]) {
    this.#leaves = members.map(({ key, id }) => leafOf(key, id));
    this.#tree = MerkleTree.of(this.#leaves);
  }

  get root(): Uint8Array {
    return this.#tree.root;
  }

  get count(): number {
    return this.#tree.count;
  }

  /** The index of a member's leaf in the tree, and its proof. @param at Its place in the list. @throws {RangeError} When the list is shorter. */
  placeOf(at: number): readonly [index: number, proof: Uint8Array[]] {
    this.#indexes ??= Int32Array.from(this.#leaves, (leaf) => this.#tree.indexOf(leaf));
    const index = this.#indexes[at] ?? -1;
    return [index, [...this.#tree.proof(index)]];
  }
}

export class MemberTrees {
  /** The one that was asked for last comes first. */
  #last: readonly MemberTree[] = [];

  /** @throws {RangeError} Without any member. */
  of(members: readonly TreeMember[]): MemberTree {
    if (members.length < LARGE) return new MemberTree(members);
    const known = this.#last.find((tree) => isSame(tree.members, members));
    const tree = known ?? new MemberTree(members);
    this.#last = withinBounds([tree, ...this.#last.filter((other) => other !== known)]);
    return tree;
  }
}

/** In the same order: whoever resolves a target again resolves it alike. */
function isSame(some: readonly TreeMember[], others: readonly TreeMember[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ id, key }, at) => {
      const other = others[at];
      return other?.id === id && compareBytes(other.key, key) === 0;
    })
  );
}

/** The trees that are remembered: the first always, the others as long as they are few and not too large together. */
function withinBounds(trees: readonly MemberTree[]): readonly MemberTree[] {
  let members = 0;
  return trees.filter((tree, at) => {
    members += tree.members.length;
    return at === 0 || (at < REMEMBERED && members <= MAX_MEMBERS);
  });
}
