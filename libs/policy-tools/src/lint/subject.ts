/** A pattern that lint looks at, and how it may have been meant. */
import type { RulePath } from '@natrium/acl';

export interface Subject {
  readonly path: RulePath;
  readonly source: string;
  readonly test: (text: string) => boolean;
}

/** One way to read what somebody meant: the witnesses to try, and what to write instead. */
export interface Reading {
  readonly tries: readonly string[];
  /** undefined: what is meant cannot be told. */
  readonly mend: string | undefined;
}
