/**
 * Names of a master's keys, for whoever finds one in a minion's file. They are a list of their own beside the schema, so that no
 * agent holds all of that schema in memory for it; nor does it hold the list in pieces.
 */
const NAMES = `
  audit_archive_after auto_accept autoreject_file autosign_file autosign_grains_dir autosign_timeout batch_safe_limit
  batch_safe_size broker_auth broker_ca broker_cert broker_key broker_user_hours cachedir cli_summary client_acl_verify
  clock_skew cluster eauth_acl_module eauth_auto_for_development epoch_hours epoch_overlap event_acl event_sinks
  external_auth gather_job_timeout grant_timeout http_port http_proxies keep_acl_in_token keep_events keep_events_bytes
  keep_jobs keep_jobs_seconds log_level max_event_size max_minions max_pending minion_data_cache module_memory
  module_timeout nats nats_port netapi_enable_clients nodegroups open_mode order_masters peer peer_run permissive_acl
  pillar_roots pki_dir presence_events publish_timeout publisher_acl publisher_acl_blacklist reactor reactor_depth
  reactor_grants reactor_rate request_burst request_rate rest_cherrypy rest_timeout root_dir runner_dirs runner_grants
  runner_timeout sharedsecret show_jid show_timeout sock_dir sudo_acl timeout token_expire token_expire_user_override
  trace_endpoint trace_ratio user
`;

export function masterKeys(): readonly string[] {
  return NAMES.trim().split(/\s+/);
}
