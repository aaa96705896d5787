/**
 * Entries in which target and functions have changed places, `- test.ping: ['web*']`: what was meant, for whoever tells. Nothing is
 * decided by it.
 */
import { isList, type Value } from '@natrium/model';

/** What access lists name most, of Salt's functions; whoever calls a minion so calls it by one of these. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  apache: 'fullversion modules servermods status version vhosts',
  cmd: 'exec_code has_exec powershell retcode run run_all run_bg run_stderr run_stdout script script_retcode shell',
  config: 'get option values',
  cp: 'get_dir get_file get_url push push_dir',
  disk: 'inodeusage percent usage',
  docker: 'build exec images ps restart run start stop',
  event: 'fire fire_master send',
  file: 'append chown copy file_exists find managed mkdir read remove replace stats touch write',
  grains: 'append delval get item items ls remove setval setvals',
  group: 'add adduser delete getent info',
  hosts: 'add_host list_hosts rm_host set_host',
  kmod: 'available is_loaded list load lsmod mod_list remove',
  mine: 'delete flush get send update',
  network: 'dig get_hostname interface interfaces ip_addrs ipaddrs netstat ping subnets',
  pillar: 'get item items ls raw',
  pkg: 'available_version info_installed install latest_version list_pkgs list_upgrades purge refresh_db remove upgrade version',
  ps: 'cpu_percent kill_pid pgrep pkill proc_info top virtual_memory',
  publish: 'full_data publish runner',
  saltutil:
    'find_job kill_job refresh_grains refresh_modules refresh_pillar running signal_job sync_all sync_modules term_job',
  schedule: 'add delete disable enable list run_job',
  service: 'available disable enable enabled get_all reload restart running start status stop',
  state: 'apply high highstate show_highstate show_sls single sls template test',
  status: 'all_status cpuinfo diskusage loadavg meminfo uptime w',
  sys: 'doc list_functions list_modules',
  system: 'halt poweroff reboot shutdown',
  test: 'arg collatz cross_test echo false fib kwarg ping rand_sleep retcode sleep true version versions versions_report',
  user: 'add delete getent info list_users present',
};

/** Tells whether a text is a function that everybody knows, or all of such a module: `test.ping`, `test.*`. */
export function readsAsFunction(text: string): boolean {
  const [, module = '', fun = ''] = /^\^?(\w+)\\?\.(\w+|\.?\*)\$?$/.exec(text) ?? [];
  const known = Object.hasOwn(FUNCTIONS, module) ? FUNCTIONS[module] : undefined;
  return known !== undefined && (fun.endsWith('*') || known.split(' ').includes(fun));
}

/** What to write for an entry whose key is a function, and whose functions are none. undefined: it says what it means. */
export function exchangedMend(key: string, raw: Value): string | undefined {
  if (!readsAsFunction(key)) return undefined;
  const items = isList(raw) ? raw : [raw];
  // `test.*` names hosts, too, on which any function may be meant.
  const isTarget = key.endsWith('*') ? isPlainlyTarget : isNoFunction;
  const targets = items.filter((item) => typeof item === 'string').filter(isTarget);
  if (targets.length === 0 || targets.length < items.length) return undefined;
  return `write ${targets.map((target) => `- ${quoted(asTarget(target))}: [${key}]`).join(' and ')}`;
}

function asTarget(text: string): string {
  if (text === '.*') return '*';
  const ids = text.split(',').map((id) => id.trim());
  return ids.length > 1 && ids.every((id) => /^[\w.-]+$/.test(id)) ? `L@${ids.join(',')}` : text;
}

function isNoFunction(text: string): boolean {
  const [, module = ''] = /^\^?(\w+)(?![\w-])/.exec(text) ?? [];
  return !text.startsWith('@') && text !== '' && !Object.hasOwn(FUNCTIONS, module);
}

function isPlainlyTarget(text: string): boolean {
  return isNoFunction(text) && /^[A-Z]@|\w\*/.test(text);
}

/** As a key of a YAML mapping. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
