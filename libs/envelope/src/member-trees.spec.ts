import { leafOf, MerkleTree, verifyProof } from './merkle.js';
import { MemberTrees, type TreeMember } from './member-trees.js';
import { randomBytes } from './random.js';
import { sodiumReady } from './sodium.js';

beforeAll(sodiumReady);

function fleet(count: number): readonly TreeMember[] {
  return Array.from({ length: count }, (_, at) => ({ id: `m${String(at)}`, key: randomBytes(32) }));
}

/** As a message brings them: other objects, the same words. */
function again(members: readonly TreeMember[]): readonly TreeMember[] {
  return members.map(({ id, key }) => ({ id, key: new Uint8Array(key) }));
}

it.each([1, 3, 64, 200])('gives each of %i minions its place under the root', (count) => {
  const members = fleet(count);
  const trees = new MemberTrees();
  const { root } = MerkleTree.of(members.map(({ id, key }) => leafOf(key, id)));
  for (const tree of [trees.of(members), trees.of(again(members))]) {
    expect(tree.root).toEqual(root);
    members.forEach(({ id, key }, at) => {
      const [index, proof] = tree.placeOf(at);
      expect(verifyProof(root, tree.count, index, leafOf(key, id), proof)).toBe(true);
    });
  }
});

it('a large set that is asked again is not hashed again', () => {
  const members = fleet(64);
  const trees = new MemberTrees();
  expect(trees.of(again(members))).toBe(trees.of(members));
});

it.each<readonly [string, (members: readonly TreeMember[]) => readonly TreeMember[]]>([
  ['another key under one of the ids', (all) => [...all.slice(0, -1), { ...all.at(-1)!, key: randomBytes(32) }]],
  ['another id for one of the keys', (all) => [...all.slice(0, -1), { ...all.at(-1)!, id: 'other' }]],
  ['one less', (all) => all.slice(0, -1)],
  ['one more', (all) => [...all, ...fleet(1)]],
  ['another order', (all) => [...all].reverse()],
])('a set with %s has a tree of its own', (_, change) => {
  const members = fleet(70);
  const changed = change(members);
  const trees = new MemberTrees();
  const first = trees.of(members);
  const second = trees.of(changed);
  expect(second).not.toBe(first);
  expect(second.root).toEqual(MerkleTree.of(changed.map(({ id, key }) => leafOf(key, id))).root);
});

it('remembers the last four, and fewer of very many minions', () => {
  const trees = new MemberTrees();
  const [first, ...others] = Array.from({ length: 5 }, () => fleet(64));
  const was = trees.of(first!);
  for (const other of others.slice(0, 3)) trees.of(other);
  expect(trees.of(first!)).toBe(was);
  for (const other of others) trees.of(other);
  expect(trees.of(first!)).not.toBe(was);

  const [large, huge] = [trees.of(fleet(64)), trees.of(fleet(50_000))];
  expect(trees.of(huge.members)).toBe(huge);
  expect(trees.of(large.members)).not.toBe(large);
});

it('who is not on the list has no place', () => {
  expect(() => new MemberTrees().of(fleet(3)).placeOf(3)).toThrow(RangeError);
});

it('a small set is not remembered, so that it pushes out no large one', () => {
  const trees = new MemberTrees();
  const large = fleet(64);
  const was = trees.of(large);
  for (let n = 0; n < 10; n += 1) trees.of(fleet(63));
  expect(trees.of(large)).toBe(was);
});
