/** Collects what is wrong with a configuration while it is compiled. */
import type { PolicyProblem, RulePath } from './policy.js';

export class ProblemList {
  readonly #found: PolicyProblem[] = [];

  get found(): readonly PolicyProblem[] {
    return this.#found;
  }

  add(path: RulePath, reason: string, mend: string): void {
    this.#found.push({ path, reason, mend });
  }
}
