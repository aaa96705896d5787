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
}

export function commandDefaults(config: MasterConfig): CommandDefaults {
  const { timeout, runner_timeout: runnerTimeout, cli_summary: summary, show_jid: showJid } = config;
  return { timeout, runnerTimeout, summary, showJid, showTimeout: config.show_timeout };
}
