/**
 * A returner takes what a minion returned somewhere else: it runs on the minion, after the return is on its way to the
 * master, and nothing that it does reaches the job.
 *
 * How to write one: docs/modules.md#returners.
 */
import type { ValueMap } from '@natrium/model';
import type { BaseContext } from '../loader/registry.js';

/** One return as a returner gets it, with Salt's names. */
export interface ReturnFacts {
  readonly id: string;
  readonly jid: string;
  /** One function, or several in one job. */
  readonly fun: string | readonly string[];
  readonly fun_args: ValueMap[string];
  readonly return: ValueMap[string];
  readonly retcode: number;
  readonly success: boolean;
  readonly out: string | null;
  readonly tgt: string | readonly string[];
  readonly tgt_type: string;
  /** Name of who asked. */
  readonly user: string;
}

export interface ReturnerContext extends BaseContext {
  readonly id: string;
  readonly jid: string;
  /** The minion's configuration, without secrets. */
  readonly config: ValueMap;
  /** What the job says for its returner (`returner_options`). */
  readonly options: ValueMap;
}

export interface Returner {
  readonly name: string;
  /** @throws {Error} Whatever is wrong: it is logged and counted, and that is all. */
  take(ret: ReturnFacts, context: ReturnerContext): Promise<void>;
}
