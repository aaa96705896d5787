/** apt and dnf asked the same questions; neither asks anybody back. What they print is bounded, and they end by themselves. */
import type { CallContext } from '../call-context.js';
import { InvocationError, ExecutionError } from '../loader/errors.js';
import type { BaseContext } from '../loader/registry.js';
import { hasTool, runTool, type ToolOptions, toolOutput } from '../process/run-tool.js';
import { isOfRpm } from './installed.js';

export interface PackageManager {
  /** Versions that could be had, newer than what is installed, by name. */
  upgrades(context: BaseContext): Promise<Readonly<Record<string, string>>>;
  /** The version that an installation would bring; empty when there is none or it is installed. */
  latest(name: string, context: BaseContext): Promise<string>;
  refresh(context: BaseContext): Promise<void>;
  install(words: readonly string[], context: BaseContext): Promise<void>;
  remove(names: readonly string[], purge: boolean, context: BaseContext): Promise<void>;
}

const LONG_MS = 1_800_000;

export async function packageManager(context: CallContext): Promise<PackageManager> {
  const [name, manager] = (await isOfRpm(context)) ? (['dnf', dnf] as const) : (['apt-get', apt] as const);
  if (await hasTool(name)) return manager;
  throw new ExecutionError('this host has neither apt nor dnf; other package managers are not built');
}

/** @throws {InvocationError} When it could not be the name of a package. */
export function packageName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9+._:-]{0,254}$/.test(name)) return name;
  throw new InvocationError(`'${name}' is not the name of a package`);
}

/** @throws {InvocationError} When it could not be a version; apt would read a last `-` or `+` as a wish to remove or to install. */
function packageVersion(version: string): string {
  if (/^[A-Za-z0-9]([A-Za-z0-9+.~:_-]{0,253}[A-Za-z0-9.~_])?$/.test(version)) return version;
  throw new InvocationError(`'${version}' is not a version`);
}

const ENV = { DEBIAN_FRONTEND: 'noninteractive', APT_LISTCHANGES_FRONTEND: 'none', UCF_FORCE_CONFFOLD: '1' };
const KEEP_CONFIG = ['-o', 'Dpkg::Options::=--force-confold', '-o', 'Dpkg::Options::=--force-confdef'];
/** Somebody else's apt may be at work: seconds to wait for it. */
const WAIT_FOR_LOCK = ['-o', 'DPkg::Lock::Timeout=120'];
/** Else `lib.` would mean every package with such letters in its name. */
const NAMES_ALONE = ['-o', 'APT::Cmd::Pattern-Only=true'];
const CHANGING = ['-q', '-y', ...KEEP_CONFIG, ...WAIT_FOR_LOCK, ...NAMES_ALONE];

/**
 * For apt-get, so that each name means the package of that name and nothing else: of `vim-` and `vim+` it reads the last
 * character as a wish to remove or to install `vim`, and what says its architecture ends in neither.
 */
export function aptWords(verb: 'install' | 'remove' | 'purge', names: readonly string[]): readonly string[] {
  return [...CHANGING, verb, '--', ...names.map((name) => (/[+-]$/.test(name) ? `${name}:native` : name))];
}

function inApt({ signal, processes }: BaseContext): ToolOptions {
  return { signal, processes, env: ENV };
}

function long({ signal, processes }: BaseContext): ToolOptions {
  return { signal, processes, timeoutMs: LONG_MS };
}

const apt: PackageManager = {
  async upgrades(context) {
    const text = await toolOutput('apt-get', ['--just-print', 'dist-upgrade'], inApt(context));
    return Object.fromEntries(
      [...text.matchAll(/^Inst (\S+) \[[^\]]*\] \((\S+)/gm)].map(([, name = '', version = '']) => [name, version]),
    );
  },
  async latest(name, context) {
    const text = await toolOutput('apt-cache', ['-q', 'policy', '--', name], inApt(context));
    const field = (key: string): string => new RegExp(`^ +${key}: (\\S+)$`, 'm').exec(text)?.[1] ?? '(none)';
    const candidate = field('Candidate');
    return candidate === '(none)' || candidate === field('Installed') ? '' : candidate;
  },
  async refresh(context) {
    await toolOutput('apt-get', ['-q', 'update'], { ...inApt(context), timeoutMs: LONG_MS });
  },
  async install(words, context) {
    await toolOutput('apt-get', aptWords('install', words), { ...inApt(context), timeoutMs: LONG_MS });
  },
  async remove(names, purge, context) {
    const words = aptWords(purge ? 'purge' : 'remove', names);
    await toolOutput('apt-get', words, { ...inApt(context), timeoutMs: LONG_MS });
  },
};

const UPGRADES_FOUND = 100;

const dnf: PackageManager = {
  async upgrades(context) {
    const { retcode, stdout, stderr } = await runTool('dnf', ['-q', 'check-update'], long(context));
    if (retcode !== 0 && retcode !== UPGRADES_FOUND) throw new ExecutionError(`dnf ended with ${retcode}: ${stderr}`);
    const rows = (stdout.split(/^Obsoleting/m)[0] ?? '').matchAll(/^(\S+)\.[\w]+ +(\S+) +\S+$/gm);
    return Object.fromEntries([...rows].map(([, name = '', version = '']) => [name, version]));
  },
  async latest(name, context) {
    const format = ['--qf', '%{version}-%{release}\n', '--upgrades', '--latest-limit=1'];
    const query = async (flags: readonly string[]): Promise<string> =>
      (await toolOutput('dnf', ['-q', 'repoquery', ...flags, '--', name], long(context))).trim();
    const isInstalled = (await runTool('rpm', ['-q', '--', name], context)).retcode === 0;
    return query(isInstalled ? format : format.filter((word) => word !== '--upgrades'));
  },
  async refresh(context) {
    await toolOutput('dnf', ['-q', 'makecache', '--refresh'], long(context));
  },
  async install(words, context) {
    await toolOutput('dnf', ['-q', '-y', 'install', '--', ...words], long(context));
  },
  async remove(names, _purge, context) {
    await toolOutput('dnf', ['-q', '-y', 'remove', '--', ...names], long(context));
  },
};

/** How a manager writes a package of a certain version. */
export async function versionWord(name: string, version: string, context: CallContext): Promise<string> {
  const mark = (await isOfRpm(context)) ? '-' : '=';
  return `${packageName(name)}${mark}${packageVersion(version)}`;
}
