/**
 * Which characters a match can begin with: most rules of a list are turned away by the first letter of a name, without an engine.
 */
import type { Node, SetItem } from './pattern-syntax.js';

/** undefined: anything, also nothing. Codes below 128; every other character is always possible. */
export function firstCodes(node: Node): ReadonlySet<number> | undefined {
  switch (node.kind) {
    case 'char':
      return node.fold ? undefined : new Set([node.code]);
    case 'set':
      return node.negated || node.fold ? undefined : codesOfSet(node.items);
    case 'sequence':
      return firstOfSequence(node.items);
    case 'choice':
      return union(node.items.map(firstCodes));
    case 'repeat':
      return node.min === 0 ? undefined : firstCodes(node.item);
    case 'any':
    case 'at':
    case 'boundary':
    case 'look':
      return undefined;
  }
}

function firstOfSequence(items: readonly Node[]): ReadonlySet<number> | undefined {
  const first = items.find((item) => !(item.kind === 'at' && item.at === 'start'));
  return first === undefined ? undefined : firstCodes(first);
}

function codesOfSet(items: readonly SetItem[]): ReadonlySet<number> | undefined {
  const codes = new Set<number>();
  for (const item of items) {
    if (item.kind === 'class') return undefined;
    for (let code = item.from; code <= Math.min(item.to, 127); code += 1) codes.add(code);
  }
  return codes;
}

function union(sets: readonly (ReadonlySet<number> | undefined)[]): ReadonlySet<number> | undefined {
  const all = new Set<number>();
  for (const set of sets) {
    if (set === undefined) return undefined;
    for (const code of set) all.add(code);
  }
  return all;
}
