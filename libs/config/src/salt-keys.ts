/**
 * The configuration keys that Salt has, as data. Those that Natrium does not use are accepted and reported, so that an
 * existing file can be dropped in.
 */
import { isList, type Value } from '@natrium/model';
import type { Fault } from './problem.js';

/** Keys with a default in Salt 3006. */
const WITH_DEFAULTS = `
  acceptance_wait_time acceptance_wait_time_max add_proxymodule_to_opts allow_minion_key_revoke
  always_verify_signature append_minionid_config_dirs archive_jobs auth_events auth_mode auth_safemode auth_timeout
  auth_tries auto_accept autoload_dynamic_modules autosign_timeout azurefs_update_interval backup_mode
  beacons_before_connect bootstrap_delay cache cache_jobs cache_sreqs cachedir clean_dynamic_modules cli_summary
  client_acl_verify cluster_mode cmd_safe con_cache conf_file cython_enable decrypt_pillar decrypt_pillar_default
  decrypt_pillar_delimiter decrypt_pillar_renderers default_include default_top detect_remote_minions disable_modules
  disable_returners disabled_requisites discovery django_auth_path django_auth_settings drop_messages_signature_fail
  dummy_pub eauth_acl_module eauth_tokens enable_fqdns_grains enable_gpu_grains enable_legacy_startup_events
  enable_lspci enable_ssh_minions enable_zip_modules enforce_mine_cache engines env_order event_match_type
  event_publisher_niceness event_return event_return_blacklist event_return_niceness event_return_queue
  event_return_queue_max_seconds event_return_whitelist ext_job_cache ext_pillar extension_modules external_auth
  extmod_blacklist extmod_whitelist failhard features file_buffer_size file_client file_ignore_glob file_ignore_regex
  file_recv file_recv_max_size file_roots fileserver_backend fileserver_followsymlinks fileserver_ignoresymlinks
  fileserver_interval fileserver_update_niceness fileserver_verify_config fips_mode gather_job_timeout git_pillar_base
  git_pillar_branch git_pillar_env git_pillar_fallback git_pillar_global_lock git_pillar_includes
  git_pillar_insecure_auth git_pillar_passphrase git_pillar_password git_pillar_privkey git_pillar_pubkey
  git_pillar_refspecs git_pillar_root git_pillar_ssl_verify git_pillar_update_interval git_pillar_user
  git_pillar_verify_config gitfs_base gitfs_disable_saltenv_mapping gitfs_fallback gitfs_global_lock
  gitfs_insecure_auth gitfs_mountpoint gitfs_passphrase gitfs_password gitfs_privkey gitfs_pubkey gitfs_ref_types
  gitfs_refspecs gitfs_remotes gitfs_root gitfs_saltenv gitfs_saltenv_blacklist gitfs_saltenv_whitelist
  gitfs_ssl_verify gitfs_update_interval gitfs_user global_state_conditions gpg_cache gpg_cache_backend gpg_cache_ttl
  gpg_decrypt_must_succeed grains grains_blacklist grains_cache grains_cache_expiration grains_deep_merge grains_dirs
  grains_refresh_every grains_refresh_pre_exec hash_type hgfs_base hgfs_branch_method hgfs_mountpoint hgfs_remotes
  hgfs_root hgfs_saltenv_blacklist hgfs_saltenv_whitelist hgfs_update_interval http_connect_timeout http_max_body
  http_request_timeout id id_function interface ipc_mode ipc_write_buffer ipv6 jinja_env jinja_lstrip_blocks
  jinja_sls_env jinja_trim_blocks job_cache job_cache_store_endtime keep_acl_in_token keep_jobs keep_jobs_seconds
  key_cache key_logfile key_pass keysize local lock_saltenv log_datefmt log_datefmt_logfile log_file log_fmt_console
  log_fmt_jid log_fmt_logfile log_granular_levels log_level log_level_logfile log_rotate_backup_count
  log_rotate_max_bytes loop_interval maintenance_interval maintenance_niceness master master_alive_interval
  master_failback master_failback_interval master_finger master_job_cache master_port master_pubkey_signature
  master_roots master_shuffle master_sign_key_name master_sign_pubkey master_stats master_stats_event_iter master_tops
  master_tops_first master_tries master_type master_uri_format master_use_pubkey_signature max_event_size max_minions
  max_open_files memcache_debug memcache_expire_seconds memcache_full_cleanup memcache_max_items min_extra_mods
  mine_enabled mine_interval mine_return_job minion_data_cache minion_data_cache_events minion_id_caching
  minion_id_lowercase minion_id_remove_domain minion_jid_queue_hwm minion_restart_command minion_sign_messages
  minionfs_blacklist minionfs_env minionfs_mountpoint minionfs_update_interval minionfs_whitelist module_dirs
  modules_max_memory multifunc_ordered multiprocessing mworker_niceness mworker_queue_niceness netapi_allow_raw_shell
  netapi_enable_clients no_proxy nodegroups on_demand_ext_pillar open_mode optimization_order order_masters
  outputter_dirs pass_dir pass_gnupghome pass_strict_fetch pass_to_ext_pillars pass_variable_prefix password peer
  permissive_acl permissive_pki_access pidfile pillar_cache pillar_cache_backend pillar_cache_ttl
  pillar_includes_override_sls pillar_merge_lists pillar_opts pillar_roots pillar_safe_render_error
  pillar_source_merging_strategy pillar_version pillarenv pillarenv_from_saltenv ping_interval ping_on_rotate pki_dir
  preserve_minion_cache process_count_max providers proxy_always_alive proxy_deep_merge_pillar_in_opts proxy_host
  proxy_keep_alive proxy_keep_alive_interval proxy_merge_grains_in_module proxy_merge_pillar_in_opts
  proxy_merge_pillar_in_opts_strategy proxy_mines_pillar proxy_password proxy_port proxy_username pub_hwm pub_ret
  pub_server_niceness publish_port publish_session publisher_acl publisher_acl_blacklist queue_dirs random_master
  random_reauth_delay random_startup_delay range_server reactor reactor_niceness reactor_refresh_interval
  reactor_worker_hwm reactor_worker_threads recon_default recon_max recon_randomize regen_thin rejected_retry
  remote_minions_port render_dirs renderer renderer_blacklist renderer_whitelist req_server_niceness
  require_minion_sign_messages resolve_dns_fallback rest_timeout restart_on_error ret_port retry_dns retry_dns_count
  return return_retry_timer return_retry_timer_max return_retry_tries returner_dirs root_dir roots_update_interval
  rotate_aes_key runner_dirs runner_returns s3fs_update_interval salt_cp_chunk_size saltenv schedule
  scheduler_before_connect search serial server_id_use_crc show_jid show_timeout sign_pub_messages signing_key_pass
  sls_list snapper_states snapper_states_config sock_dir sock_pool_size source_address source_interface_name
  source_publish_port source_ret_port sqlite_queue_dir ssh_config_file ssh_identities_only ssh_keepalive
  ssh_keepalive_count_max ssh_keepalive_interval ssh_list_nodegroups ssh_log_file ssh_merge_pillar ssh_passwd ssh_port
  ssh_priv_passwd ssh_run_pre_flight ssh_scan_ports ssh_scan_timeout ssh_sudo ssh_sudo_user ssh_timeout
  ssh_use_home_key ssh_user ssl start_event_grains startup_states state_aggregate state_auto_order state_compress_ids
  state_events state_output state_output_diff state_output_pct state_output_profile state_queue state_top
  state_top_saltenv state_verbose states_dirs sudo_acl sudo_user svnfs_branches svnfs_mountpoint svnfs_remotes
  svnfs_root svnfs_saltenv_blacklist svnfs_saltenv_whitelist svnfs_tags svnfs_trunk svnfs_update_interval
  syndic_event_forward_timeout syndic_failover syndic_finger syndic_forward_all_events syndic_jid_forward_cache_hwm
  syndic_log_file syndic_master syndic_pidfile syndic_wait tcp_authentication_retries tcp_keepalive tcp_keepalive_cnt
  tcp_keepalive_idle tcp_keepalive_intvl tcp_master_pub_port tcp_master_publish_pull tcp_master_pull_port
  tcp_master_workers tcp_pub_port tcp_pull_port tcp_reconnect_backoff test thin_extra_mods thorium_interval
  thorium_roots thorium_top thoriumenv timeout token_expire token_expire_user_override top_file
  top_file_merging_strategy transport unique_jid update_restart_services update_url use_master_when_local user
  username utils_dirs verify_env verify_master_pubkey_sign whitelist_modules winrepo_branch winrepo_cache_expire_max
  winrepo_cache_expire_min winrepo_cachefile winrepo_dir winrepo_dir_ng winrepo_fallback winrepo_insecure_auth
  winrepo_passphrase winrepo_password winrepo_privkey winrepo_pubkey winrepo_refspecs winrepo_remotes
  winrepo_remotes_ng winrepo_source_dir winrepo_ssl_verify winrepo_user worker_threads zmq_backlog zmq_filtering
  zmq_monitor
`;

/** Documented keys without one, and those of Salt's optional parts. */
const WITHOUT_DEFAULTS = `
  api_logfile api_pidfile append_domain color_theme dns_check environment fibre_channel_grains fileserver_events
  gitfs_env_blacklist gitfs_env_whitelist gpg_keydir hgfs_env_blacklist hgfs_env_whitelist iscsi_grains
  minion_pillar_cache nvme_grains pillar_gitfs_ssl_verify request_channel_timeout request_channel_tries skip_grains
  ssh_ext_alternatives ssh_update_roster ssh_wipe svnfs_env_blacklist svnfs_env_whitelist syndic_master_port
  transport_opts userdata_template vault win_gitrepos win_repo win_repo_mastercachefile winrepo_mastercachefile yaml_utf8
  autosign_grains batch_safe_limit batch_safe_size beacons cachedir_mode cloud cluster_id cluster_key_pass cluster_peers cluster_pki_dir
  cluster_pool_port cluster_secret color custom_sls encryption_algorithm event_listen_queue event_listen_queue_max_seconds
  ext_pillar_first fileserver_limit_traversal fileserver_list_cache_time fluent_handler git_pillar_provider
  gitfs_provider halite hubblestack include log4mongo_handler log_fmt log_levels logstash_udp_handler
  logstash_zmq_handler master_id metadata_server_grains mine_functions output output_file output_indent parallel_fileserver_limit pillar
  pillar_raise_on_missing pki_cachedir proxy proxy_id pub_server_threads publish_signing_algorithm pyobjects raet_port
  rest_cherrypy rest_tornado roster roster_defaults roster_file rosters salt_transport saltversion sentry_handler
  shell signing_algorithm smtp ssh_log_level ssh_minion_opts ssh_options ssh_roster state_output_exclude state_output_file
  state_output_terse state_tabular strip_colors subproxies
  syndic_dir syndic_user thorium token_dir token_file verify_master virt winrepo_provider worker_pools
  azurefs event_publisher_pub_hwm external_nodes reclass salt_event_pub_hwm use_superseded win_repo_cachefile x509_signing_policies
  backend ca_bundle minimum_auth_version request_server_ttl verify_ssl
  module_executors mysql postgres rest_wsgi splaytime sqlcipher sqlite3
`;

/** What Salt's loader loads from folders of one's own, each named by `<this>_dirs`; the others have a default, or a use here. */
const LOADED = `
  auth beacons cache cloud engines executors fileserver log_handlers matchers metaproxy netapi pillar pkgdb pkgfiles proxy roster sdb
  serializers thorium tokens top tops wheel wrapper
`;

/** Keys that Salt itself renamed; the old name is an error that names the new one. */
export const RENAMED: ReadonlyMap<string, string> = new Map([
  ['client_acl', 'publisher_acl'],
  ['client_acl_blacklist', 'publisher_acl_blacklist'],
  ['master_finger_print', 'master_finger'],
  ['peer_runner', 'peer_run'],
]);

interface Needed extends Fault {
  /** Where Salt heeds it; not said: in both files. */
  readonly file?: 'master' | 'minion';
  /** Values without which nothing would be else. */
  readonly isIdle?: (value: Value) => boolean;
}

/**
 * Keys of Salt that have no use here and cannot be set aside: what they keep from somebody would be left open, or what another key says
 * would mean something else.
 */
export const NEEDED: ReadonlyMap<string, Needed> = new Map<string, Needed>([
  [
    'mine_get',
    {
      reason: 'in Salt this restricts who reads the mine, and here it would not',
      mend: 'give each item of mine_functions that not all may read its allow_tgt, and remove this key',
    },
  ],
  [
    'sudo_user',
    {
      reason: 'in Salt this restricts jobs to what that account may do, and here it would not',
      mend: 'have the unit start the agent as that account (User=), set user to it, and remove this key',
      file: 'minion',
      isIdle: (value) => value === '' || value === 'root' || value === false,
    },
  ],
  [
    'module_executors',
    {
      reason:
        'in Salt jobs run through these executors, as in a container or as another account, and here they would not',
      mend: 'start the agent where, and as the account, that they name, and remove this key',
      file: 'minion',
      isIdle: (value) => (isList(value) ? value : [value]).every((name) => name === 'direct_call' || name === 'splay'),
    },
  ],
  [
    'master_type',
    {
      reason: 'in Salt master names a function then that says the hosts, and here it names a host',
      mend: 'write the hosts, and remove this key',
      file: 'minion',
      isIdle: (value) => value !== 'func',
    },
  ],
]);

/** Made when it is asked for: seldom, and an agent would hold some hundred strings for it. */
export function saltKeys(): readonly string[] {
  return [...words(`${WITH_DEFAULTS} ${WITHOUT_DEFAULTS}`), ...words(LOADED).map((what) => `${what}_dirs`)];
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** What SaltGUI keeps in the master's file and reads by `config.values`; it shows all of it to whoever logs in. */
export const GUI_PREFIX = 'saltgui_';

/** What the plugin of Aria Automation Config (once SaltStack Enterprise) reads. */
const ENTERPRISE = /^sseapi_/;

export function isSaltKey(key: string): boolean {
  return saltKeys().includes(key) || isGuiKey(key) || isDotted(key) || ENTERPRISE.test(key);
}

/** Salt's optional modules read dotted keys of their own (`auth.ldap.server`, `mysql.host`). */
export function isDotted(key: string): boolean {
  return /^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+$/.test(key);
}

export function isGuiKey(key: string): boolean {
  return key.startsWith(GUI_PREFIX);
}
