/** Which policy it is, as one hash that is equal wherever the same keys say the same: at each acl-service, and for whoever compares. */
import type { MasterConfig } from '@natrium/config';
import { blake2b, encode, type Wire } from '@natrium/envelope';
import { toPlain } from '@natrium/model';

/** The keys of the configuration that decide. */
export const POLICY_KEYS = [
  'peer', 'peer_run', 'publisher_acl', 'publisher_acl_blacklist', 'external_auth', 'nodegroups', 'runner_grants',
  'reactor_grants', 'sudo_acl', 'client_acl_verify', 'permissive_acl', 'keep_acl_in_token', 'order_masters',
  'minion_data_cache', 'token_expire', 'token_expire_user_override', 'user',
] as const; // prettier-ignore

/** @returns 32 bytes. */
export function policyRevision(config: Pick<MasterConfig, (typeof POLICY_KEYS)[number]>): Uint8Array {
  return blake2b(32, null, encode(POLICY_KEYS.map((key) => [key, toPlain(config[key]) as Wire])));
}
