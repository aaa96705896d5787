/** What the compiler needs of the files; who reads them also keeps them inside of their roots. */
import type { Result } from '@natrium/model';

/** Why a file, or a part of one, gives nothing. */
export interface PillarProblem {
  readonly file: string;
  readonly line?: number;
  readonly reason: string;
}

export interface PillarText {
  readonly file: string;
  readonly text: string;
}

export interface PillarFiles {
  /** In the order of `pillar_roots`, in which their top files are read; they are merged in the order in which those first name them. */
  readonly environments: readonly string[];
  /**
   * @param path Below a root, like `web/init.sls`; made of `SLS_WORD`s only. The first root that has it counts.
   * @returns undefined when no root of the environment has it.
   */
  read(environment: string, path: string): Result<PillarText, PillarProblem> | undefined;
}
