/** A policy from a master file alone, or from a folder as the services read it; each rule with its place. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadYaml } from '@natrium/args';
import {
  type ConfigProblem,
  type FilePlace,
  loadMasterConfig,
  masterKeyProblems,
  nearestKey,
  problemSentence,
  readMaster,
  type Replaced,
} from '@natrium/config';
import type { PolicyConfig, RulePath } from '@natrium/acl';
import { err, isMap, isTrue, ok, type Result, type Value } from '@natrium/model';
import { type KnownModules, type PolicyView, showPath, viewPolicy } from '@natrium/policy-tools';
import { builtinRunners, builtinWheel, keyWheel, withBuiltInGrants } from '@natrium/runners';
import { configDirOf } from '../common/common-options.js';
import type { Options } from '../common/options.js';
import { plural } from '../common/plural.js';
import { say } from '../common/refused.js';
import { textOf } from '../common/text-of.js';
import type { Io } from '../ports.js';

/** Every key of a master file that takes part in a decision. */
const KEYS = [
  'peer', 'peer_run', 'publisher_acl', 'publisher_acl_blacklist', 'external_auth', 'nodegroups', 'runner_grants',
  'reactor_grants', 'sudo_acl', 'client_acl_verify', 'permissive_acl', 'keep_acl_in_token', 'order_masters', 'user',
] as const; // prettier-ignore

/** Beside these, what `lint` looks at. */
const SECTIONS: ReadonlySet<string> = new Set([...KEYS, 'reactor', 'event_acl', 'rest_cherrypy']);

/** The sections that let others than minions fire events. */
export interface EventDoors {
  readonly event_acl: Value;
  readonly http_port: Value;
  readonly rest_cherrypy: Value;
}

type Sections = Readonly<Partial<Record<(typeof KEYS)[number] | 'reactor' | 'runner_dirs' | keyof EventDoors, Value>>>;

const BUILT_IN: KnownModules = {
  names: new Set([...builtinRunners, ...builtinWheel, keyWheel].map(({ name }) => name)),
  nearest: nearestKey,
};

export interface LoadedPolicy {
  readonly view: PolicyView;
  /** The `reactor` section. */
  readonly reactor: Value;
  readonly doors: EventDoors;
  /** `file:line`, or `built-in` for what no file says. */
  readonly place: (path: RulePath) => string;
  readonly locate: (path: RulePath) => FilePlace;
  /** Problems of the files, found before any rule is looked at. */
  readonly problems: readonly ConfigProblem[];
  /** Sections of which nothing counts that stands in one place. */
  readonly replaced: readonly Replaced[];
}

export interface PolicyOptions {
  /** Whether what the built-in runners may publish counts, as it does at the gate. */
  readonly builtIn: boolean;
  /** Of a folder: looks at its lists in spite of other problems of its files, with which it would not be in force. */
  readonly inSpite?: boolean;
}

/** @returns The problems when there is no policy to look at. */
export function loadPolicy(path: string, options: PolicyOptions): Result<LoadedPolicy, readonly ConfigProblem[]> {
  const { builtIn, inSpite = false } = options;
  const read = isFolder(path) ? readFolder(path, inSpite) : readFile(path);
  if (!read.ok) return read;
  const { config, reactor, doors, locate, problems, replaced, hasOwnRunners } = read.value;
  const view = viewPolicy(
    builtIn ? { ...config, runner_grants: withBuiltInGrants(config.runner_grants ?? {}) } : config,
    hasOwnRunners ? undefined : BUILT_IN,
  );
  const place = (rule: RulePath): string => {
    if (!isInFile(config, rule)) return 'built-in';
    const { file, line } = locate(rule);
    return `${file}:${line}`;
  };
  return ok({ view, reactor, doors, place, locate, problems, replaced });
}

interface Read extends Pick<LoadedPolicy, 'reactor' | 'doors' | 'locate' | 'problems' | 'replaced'> {
  readonly config: PolicyConfig;
  /** A module of any name may be in the folders of `runner_dirs`. */
  readonly hasOwnRunners: boolean;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // reading it says why
  }
}

function readFolder(dir: string, inSpite: boolean): Result<Read, readonly ConfigProblem[]> {
  if (!['master', 'master.d'].some((name) => existsSync(join(dir, name)))) {
    return err([
      { file: dir, path: [], reason: 'there is no master file here', mend: 'name a master file, or its folder' },
    ]);
  }
  const read = readMaster(dir);
  if (!read.ok) return read;
  const { given, locate, replaced } = read.value;
  const loaded = loadMasterConfig(dir);
  if (!loaded.ok && !inSpite) return loaded;
  const problems = loaded.ok ? [] : loaded.error;
  const sections = replaced.filter(({ key }) => SECTIONS.has(key));
  return ok({ ...sectionsOf(loaded.ok ? loaded.value.config : given), locate, problems, replaced: sections });
}

function readFile(file: string): Result<Read, readonly ConfigProblem[]> {
  const text = textOf(file);
  if (!text.ok)
    return err([{ file, path: [], reason: text.error, mend: 'name a master file, as UTF-8 text, or its folder' }]);
  const loaded = loadYaml(text.value, file);
  if (!loaded.ok) return err([{ path: [], mend: 'correct the YAML there', ...loaded.error }]);
  const { value, locate } = loaded.value;
  if (value !== null && !isMap(value)) {
    return err([{ file, line: 1, path: [], reason: 'the file is not a mapping', mend: 'write "key: value" lines' }]);
  }
  return ok({
    ...sectionsOf(value ?? {}),
    // Another file of the same folder may say so.
    hasOwnRunners: true,
    locate: (path) => ({ file, line: locate(path).line }),
    problems: masterKeyProblems(loaded.value),
    replaced: [],
  });
}

function sectionsOf(given: Sections): Pick<Read, 'config' | 'reactor' | 'doors' | 'hasOwnRunners'> {
  const { reactor = [], event_acl = {}, http_port = 0, rest_cherrypy = {}, runner_dirs = [] } = given;
  const config = Object.fromEntries(
    KEYS.flatMap((key) => {
      const section = Object.hasOwn(given, key) ? given[key] : undefined;
      return section === undefined ? [] : [[key, section]];
    }),
  );
  return {
    config,
    reactor,
    doors: { event_acl, http_port, rest_cherrypy },
    hasOwnRunners: isTrue(runner_dirs),
  };
}

function isInFile(config: PolicyConfig, [top, key]: RulePath): boolean {
  const given: Readonly<Record<string, Value | undefined>> = { ...config };
  const section = given[String(top)];
  return section !== undefined && (top !== 'runner_grants' || (isMap(section) && Object.hasOwn(section, String(key))));
}

/** The policy that a command is about; says why when there is none. */
export function chosenPolicy(options: Options, io: Io, path = options.text('policy')): LoadedPolicy | undefined {
  const loaded = loadPolicy(path ?? configDirOf(options, io), { builtIn: true });
  if (!loaded.ok) {
    for (const problem of loaded.error) say(problemSentence(problem), io);
    return undefined;
  }
  const found = loaded.value.problems.length + loaded.value.view.problems.length;
  if (found > 0)
    say(
      `The policy has ${plural(found, 'problem')}, so that the acl-service would not take it; what is malformed grants nothing here (natriumctl acl lint says more).`,
      io,
    );
  return loaded.value;
}

/** `master:12 publisher_acl.fred[0]`. */
export function showRule({ place }: Pick<LoadedPolicy, 'place'>, path: RulePath): string {
  if (path[0] === 'user') return "full access of the master's own account";
  if (path[0] === 'built-in') return `${showPath(path.slice(1))} is always permitted`;
  return `${place(path)} ${showPath(path)}`;
}
