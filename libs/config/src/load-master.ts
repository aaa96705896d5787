/** The configuration of a master, from `DIR/master` and `DIR/master.d/*.conf`. */
import type { LoadedYaml, Path } from '@natrium/args';
import { err, isMap, ok, type Result, type Value } from '@natrium/model';
import { brokerUrl, LOCAL_BROKER } from './addresses.js';
import { apiProblems, restProblems } from './api-settings.js';
import { check, DEFAULT_DIR, defaultInclude, type Given, readGiven, unquotedRules } from './check.js';
import { readConfigFiles } from './config-files.js';
import { sinkProblems, withSinkPaths } from './event-sinks.js';
import type { WatchedFolder } from './folder-watch.js';
import { deepFreeze } from './freeze.js';
import { MasterConfig } from './master-config.js';
import { MinionConfig } from './minion-config.js';
import type { ConfigProblem } from './problem.js';
import { GUI_PREFIX } from './salt-keys.js';
import type { FilePlace } from './sourced.js';
import { type Kind, unknownKeys } from './unknown-keys.js';

export interface LoadedConfig<T> {
  readonly config: T;
  /** Where a path of the configuration stands; for problems that are found later, such as those of the access lists. */
  readonly locate: (path: Path) => FilePlace;
  /** Those that were read, the main one first. */
  readonly files: readonly string[];
  /** Where its files are, and further ones would be: a change there is a reason to load again. */
  readonly folders: readonly WatchedFolder[];
  /** Sentences for the log: keys that have no effect, files that are replaced. */
  readonly reports: readonly string[];
  /** Keys of Salt that the files have and that have no use here. */
  readonly unused: readonly string[];
}

const MASTER: Kind<typeof MasterConfig> = {
  name: 'master',
  schema: MasterConfig,
  isOther: (key) => Object.hasOwn(MinionConfig.shape, key),
};

/** Keys of one file that stop the start wherever they stand, and settings of `rest_cherrypy` that do unless a later file has that key too; what other values are worth, all files together say. */
export function masterKeyProblems(yaml: LoadedYaml): readonly ConfigProblem[] {
  const { file, value, locate } = yaml;
  const given = isMap(value) ? value : {};
  const place = (path: Path): FilePlace => ({ file, line: locate(path).line });
  return [
    ...unknownKeys(Object.entries(given), MASTER, place),
    ...restProblems(given['rest_cherrypy'] ?? {}).map((problem) => ({ ...place(problem.path), ...problem })),
    ...unquotedRules(yaml),
  ];
}

/** The files that a master file which stands somewhere else includes there, `master.d` too. */
export function filesBeside(file: string): Result<readonly string[], readonly ConfigProblem[]> {
  const read = readConfigFiles(file, defaultInclude(MASTER.name));
  return read.ok ? ok(read.value.files.map((one) => one.file).filter((one) => one !== file)) : read;
}

/** @param dir The folder of `-c`. */
export function loadMasterConfig(dir = DEFAULT_DIR): Result<LoadedConfig<MasterConfig>, readonly ConfigProblem[]> {
  const checked = check(dir, MASTER);
  if (!checked.ok) return checked;
  const { values, given, locate, files, folders, reports, unused } = checked.value;
  const urls = (values.nats.length > 0 ? values.nats : [LOCAL_BROKER]).map((address) =>
    brokerUrl(address, values.nats_port),
  );
  const problems: ConfigProblem[] = urls.flatMap((url, index) =>
    url.ok ? [] : [{ ...locate(['nats', index]), path: ['nats', index], ...url.error }],
  );
  const unfit = sinkProblems(values.event_sinks, values.root_dir);
  problems.push(...unfit.map((problem) => ({ ...locate(problem.path), ...problem })));
  problems.push(...apiProblems(values).map((problem) => ({ ...locate(problem.path), ...problem })));
  problems.push(...openDoor(values).map((problem) => ({ ...locate(problem.path), ...problem })));
  if (problems.length > 0) return err(problems);
  const config = deepFreeze<MasterConfig>({
    ...values,
    nats: urls.flatMap((url) => (url.ok ? [url.value] : [])),
    keep_jobs_seconds: values.keep_jobs_seconds ?? values.keep_jobs * 3600,
    event_sinks: withSinkPaths(values.event_sinks, values.root_dir),
    auth_ldap: settingsUnder('auth.ldap.', given),
    auth_pam: settingsUnder('auth.pam.', given),
    saltgui: settingsUnder(GUI_PREFIX, given),
  });
  return ok({ config, locate, files, folders, reports: [...reports, ...withoutEffect(config, locate)], unused });
}

/** What the files of a master say; whoever looks at some keys alone need not have all of them sound. */
export function readMaster(dir: string): Result<Given, readonly ConfigProblem[]> {
  return readGiven(dir, MASTER.name);
}

function settingsUnder(prefix: string, given: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  const entries = Object.entries(given).filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(entries.map(([key, value]) => [key.slice(prefix.length), value]));
}

/** Salt's development back end lets everybody in: it takes a second word that is meant so. */
function openDoor(
  config: Pick<MasterConfig, 'external_auth' | 'eauth_auto_for_development'>,
): readonly Omit<ConfigProblem, 'file'>[] {
  if (!isMap(config.external_auth) || !Object.hasOwn(config.external_auth, 'auto') || config.eauth_auto_for_development)
    return [];
  const reason = 'the back end auto lets everyone in under any name, without a password';
  const mend = 'remove it; on a master for development set eauth_auto_for_development: true as well';
  return [{ path: ['external_auth', 'auto'], reason, mend }];
}

function withoutEffect(config: MasterConfig, locate: (path: Path) => FilePlace): readonly string[] {
  const say = (key: string, why: string) => `${locate([key]).file}:${String(locate([key]).line)}: ${key} ${why}`;
  return [
    ...(config.minion_data_cache
      ? []
      : [say('minion_data_cache', 'has no effect: data is used as if the cache were on')]),
    ...(config.eauth_acl_module === ''
      ? []
      : [say('eauth_acl_module', 'has no effect: the lists of external_auth always count')]),
    ...(config.auto_accept ? [say('auto_accept', 'accepts every minion that asks; not for production')] : []),
  ];
}
