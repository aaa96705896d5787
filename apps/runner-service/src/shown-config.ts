/**
 * The master's settings that a runner may show. A list of what is shown, not of what is hidden: a setting that comes new, an
 * access list, an address with a password in it or the settings of a login backend are not told by mistake. SaltGUI's own keys
 * are in the file for no other purpose.
 */
import { GUI_PREFIX, type MasterConfig } from '@natrium/config';
import { fromPlain, isMap, type Plain, type ValueMap } from '@natrium/model';

const SHOWN = [
  'auto_accept', 'cluster', 'clock_skew', 'epoch_hours', 'gather_job_timeout', 'grant_timeout', 'http_port', 'keep_events',
  'keep_jobs', 'keep_jobs_seconds', 'log_level', 'max_event_size', 'max_minions', 'netapi_enable_clients', 'nodegroups',
  'order_masters', 'pillar_roots', 'presence_events', 'publish_timeout', 'reactor', 'runner_dirs', 'runner_timeout',
  'timeout', 'token_expire', 'user',
] as const satisfies readonly (keyof MasterConfig)[]; // prettier-ignore

export function shownConfig(config: MasterConfig): ValueMap {
  const shown = fromPlain(Object.fromEntries(SHOWN.map((key) => [key, config[key] ?? null])) as Plain);
  const gui = Object.entries(config.saltgui).map(([key, value]) => [`${GUI_PREFIX}${key}`, value] as const);
  return { ...(isMap(shown) ? shown : {}), ...Object.fromEntries(gui) };
}
