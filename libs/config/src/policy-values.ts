/** What of a master's configuration decides: acl-services with the same values decide alike, and whoever has the files can compare. */
import { type Plain, toPlain } from '@natrium/model';
import type { MasterConfig } from './master-config.js';

export const POLICY_KEYS = [
  'peer', 'peer_run', 'publisher_acl', 'publisher_acl_blacklist', 'external_auth', 'nodegroups', 'runner_grants',
  'reactor_grants', 'sudo_acl', 'client_acl_verify', 'permissive_acl', 'keep_acl_in_token', 'order_masters',
  'minion_data_cache', 'token_expire', 'token_expire_user_override', 'user',
] as const; // prettier-ignore

export function policyValues(
  config: Pick<MasterConfig, (typeof POLICY_KEYS)[number]>,
): readonly (readonly [key: string, value: Plain])[] {
  return POLICY_KEYS.map((key) => [key, toPlain(config[key])]);
}
