/** Why a target cannot be resolved, as the second half of a sentence; never more of the text than the caller wrote. */
export interface TargetProblem {
  readonly reason: string;
  /** The term means nobody of whom anything is known, and the expression means what its other terms say. */
  readonly isMild?: true;
}
