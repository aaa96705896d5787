/** The access lists of a master's configuration as they stand in the file: raw values, nothing checked yet. */
import type { Value } from '@natrium/model';

export interface PolicyConfig {
  readonly peer?: Value;
  readonly peer_run?: Value;
  readonly publisher_acl?: Value;
  readonly publisher_acl_blacklist?: Value;
  readonly external_auth?: Value;
  readonly nodegroups?: Value;
  /** Runner function (prefix regular expression) to a list in the syntax of `peer`: what its jobs may do. New here. */
  readonly runner_grants?: Value;
  /** Name of a reactor's rule (prefix regular expression) to such a list. New here. */
  readonly reactor_grants?: Value;
  readonly sudo_acl?: Value;
  readonly client_acl_verify?: Value;
  readonly permissive_acl?: Value;
  readonly keep_acl_in_token?: Value;
  readonly order_masters?: Value;
  /** The master's own account, `root` unless set. */
  readonly user?: Value;
}
