/**
 * The programs that a test cluster is made of. They are handed in, since a library may not reach for an app.
 *
 * `hear` is called with each line that the program logs.
 */
import type { Link } from '@natrium/client';
import type { MinionConfig } from '@natrium/config';
import type { OpenService, RoleOptions, ServiceConfig } from '@natrium/edge';

export interface RunningAgent {
  readonly link: Link;
  /** Resolves when the broker no longer knows this minion. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

export interface Apps {
  readonly logTo: (hear: (line: string) => void) => RoleOptions['log'];
  readonly openAcl: (config: ServiceConfig, hear: (line: string) => void) => Promise<OpenService>;
  readonly startAgent: (
    config: MinionConfig,
    hear: (line: string) => void,
    signal: AbortSignal,
  ) => Promise<RunningAgent>;
}
