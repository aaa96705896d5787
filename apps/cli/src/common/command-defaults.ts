import type { MasterConfig } from '@natrium/config';

/** What the configuration says where the command line says nothing. */
export interface CommandDefaults {
  /** Seconds until silent minions are asked whether they are at work. */
  readonly timeout: number;
  /** Seconds that a runner may take. */
  readonly runnerTimeout: number;
  readonly summary: boolean;
  readonly showJid: boolean;
  readonly showTimeout: boolean;
  /** From how many minions on a job is a batch that nobody asked for; below 2 none is. */
  readonly batchSafeLimit: number;
  /** How many at a time then, as `--batch` takes it. */
  readonly batchSafeSize: string;
}

export function commandDefaults(config: MasterConfig): CommandDefaults {
  const { timeout, runner_timeout: runnerTimeout, cli_summary: summary, show_jid: showJid } = config;
  const { show_timeout: showTimeout, batch_safe_limit: batchSafeLimit, batch_safe_size: batchSafeSize } = config;
  return { timeout, runnerTimeout, summary, showJid, showTimeout, batchSafeLimit, batchSafeSize };
}
