import { fromHex, toHex } from '../bytes.js';
import { leafOf, verifyProof } from '../merkle.js';
import { sodiumReady } from '../sodium.js';
import { merkleVectors, treeOf } from './merkle.vectors.js';
import { committed } from './vector-file.js';

await sodiumReady();

const made = merkleVectors();
const file = committed('merkle', made);

it('the committed vectors of Merkle trees are what the generator makes', () => {
  expect(file).toEqual(made);
});

it.each(file.cases)('merkle: $name is $expect', (one) => {
  const leaf = one.leaf === undefined ? leafOf(fromHex(one.identity), one.id) : fromHex(one.leaf);
  expect(verifyProof(fromHex(one.root), one.count, one.index, leaf, one.proof.map(fromHex))).toBe(one.expect);
});

it.each(file.cases.filter((one) => one.expect))('merkle: the tree gives the root and the proof of $name', (one) => {
  const tree = treeOf(one.count);
  expect(toHex(tree.root)).toBe(one.root);
  expect(tree.indexOf(leafOf(fromHex(one.identity), one.id))).toBe(one.index);
  expect(tree.proof(one.index).map(toHex)).toEqual(one.proof);
});
