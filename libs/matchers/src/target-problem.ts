/** Why a target cannot be resolved, as the second half of a sentence; never more of the text than the caller wrote. */
export interface TargetProblem {
  readonly reason: string;
}
