/**
 * What an account without root reads of the configuration: the master file where it may, else the part of it that
 * `natriumctl accounts sync` keeps in `DIR/client`. The master file may hold passwords, so nobody has to open it for others.
 *
 * Spec: docs/accounts.md.
 */
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigProblem, type LoadedConfig, loadMasterConfig, type MasterConfig } from '@natrium/config';
import { codeOf, type Result } from '@natrium/model';

const CLIENT = 'client';

export function clientFolder(configDir: string): string {
  return join(configDir, CLIENT);
}

export function loadClientConfig(configDir: string): Result<LoadedConfig<MasterConfig>, readonly ConfigProblem[]> {
  const own = clientFolder(configDir);
  if (!existsSync(join(own, 'master'))) return loadMasterConfig(configDir);
  if (['master', 'master.d'].some((name) => isForbidden(join(configDir, name)))) return loadMasterConfig(own);
  const whole = loadMasterConfig(configDir);
  // What it includes may be for the services alone.
  return whole.ok || process.geteuid?.() === 0 ? whole : loadMasterConfig(own);
}

/** The keys that reach the master and its bus, and those that say how commands wait and what they show, as the text of a master file. */
export function clientConfigText(config: MasterConfig): string {
  const { user, nats, cluster, pki_dir, sock_dir, clock_skew, broker_auth, broker_ca, broker_cert, broker_key } =
    config;
  const reach = { user, nats, cluster, pki_dir, sock_dir, clock_skew, broker_auth, broker_ca, broker_cert, broker_key };
  const { timeout, runner_timeout, cli_summary, show_jid, show_timeout, batch_safe_limit, batch_safe_size } = config;
  const commands = { timeout, runner_timeout, cli_summary, show_jid, show_timeout, batch_safe_limit, batch_safe_size };
  const { trace_endpoint, trace_ratio } = config;
  const keys = { ...reach, ...commands, ...(trace_endpoint === '' ? {} : { trace_endpoint, trace_ratio }) };
  const lines = Object.entries(keys).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return ['# Written by natriumctl accounts sync, for accounts that may not read the master file.', ...lines, ''].join(
    '\n',
  );
}

function isForbidden(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return false;
  } catch (error) {
    return codeOf(error) === 'EACCES';
  }
}
