/** The target of a runner that reads: which accepted minions it is about. */
import { isList, pyStr, type Value } from '@natrium/model';
import type { InventoryTarget } from './runner-context.js';

export const TARGET_PARAMS = [
  { name: 'tgt', type: 'any', default: '*', doc: 'Only these minions: a target, or a list of ids.' },
  { name: 'tgt_type', type: 'str', default: 'glob', doc: 'How to read the target.' },
] as const;

export interface TargetArguments {
  readonly tgt: Value;
  readonly tgt_type: string;
}

/** Nothing said means everyone; a list is one of ids. */
export function targetOf({ tgt, tgt_type: tgtType }: TargetArguments): InventoryTarget {
  if (tgt === null) return { tgt: '*', tgtType };
  return { tgt: isList(tgt) ? tgt.map(pyStr) : pyStr(tgt), tgtType };
}
