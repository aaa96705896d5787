/** What a lint finds, and how much it matters. */
import type { RulePath } from '@natrium/acl';

/** `problem` stops the start; `warning` opens more, or less, than it says; `note` is meant so here, but not in Salt. */
export type Severity = 'problem' | 'warning' | 'note';

export type FindingCode =
  | 'malformed'
  | 'covers-everything'
  | 'covers-more'
  | 'never-matches'
  | 'denies-less'
  | 'duplicate'
  | 'unreachable'
  | 'replaced'
  | 'empty-target'
  | 'forged-event'
  | 'differs-from-salt';

export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly path: RulePath;
  readonly message: string;
  /** Texts that the engine was asked about; each proves the message. */
  readonly witness?: readonly string[];
  readonly mend?: string;
  /** The row of compat/divergences.md. */
  readonly divergence?: string;
}
