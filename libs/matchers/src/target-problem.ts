/** Why a target cannot be resolved, as the second half of a sentence; never more of the text than the caller wrote. */
export interface TargetProblem {
  readonly reason: string;
  /** The term is no defect: it means those whom it can mean, nobody as a rule, and the expression means what its other terms say. */
  readonly isMild?: true;
}
