/** What a module knows of targets: whether one means this minion. How they are read is in `libs/matchers`, which no agent loads before it is asked. */
import type { Result, Target, ValueMap } from '@natrium/model';

/** @returns Otherwise why the target cannot be used. */
export type MeansSelf = (
  target: Target,
  self: {
    readonly id: string;
    readonly data: { readonly grains: ValueMap; readonly pillar: ValueMap };
    /** Whether who asks may match pillar by pattern. */
    readonly mayGuess: boolean;
  },
) => Result<boolean, string>;
