/**
 * Whether a target means the minion that is asked about it, for `match.*`: the same parser and matcher as of a request, and a sentence
 * where the target cannot be used.
 *
 * Spec: spec/targeting.md#asked-of-a-minion.
 */
import { err, ok, type Result, type Target } from '@natrium/model';
import { parseCompoundWord, splitWords } from './compound-words.js';
import type { MinionData } from './inventory.js';
import { matchesSelf } from './resolve.js';
import { parseTarget } from './target.js';

export interface Self {
  readonly id: string;
  readonly data: MinionData;
  /** Whether who asks may match pillar by pattern. */
  readonly mayGuess: boolean;
}

/** @returns Otherwise why the target cannot be used. */
export function meansSelf(target: Target, { id, data, mayGuess }: Self): Result<boolean, string> {
  const group = nodeGroupIn(target);
  if (group !== undefined)
    return err(`node groups are the master's, and no minion knows them: '${group.slice(0, 80)}'`);
  const parsed = parseTarget(target, { nodegroups: new Map() });
  if (!parsed.ok) return err(parsed.error.reason);
  const { problems, guessesPillar } = parsed.value;
  if (guessesPillar && !mayGuess)
    return err('pillar is not matched by pattern for who asks, only exact values are possible');
  // A mild one leaves a meaning: without a delimiter a term means nobody.
  const problem = problems.find(({ isMild }) => isMild !== true);
  return problem === undefined ? ok(matchesSelf(parsed.value, id, data)) : err(problem.reason);
}

/** A group that is unknown leaves no word behind, so that `N@web db1` would mean `db1`. */
function nodeGroupIn({ tgt, tgtType }: Target): string | undefined {
  if (tgtType === 'nodegroup') return String(tgt);
  if (tgtType !== 'compound') return undefined;
  const words = typeof tgt === 'string' ? splitWords(tgt) : tgt;
  return words.find((word) => parseCompoundWord(word).engine === 'N');
}
