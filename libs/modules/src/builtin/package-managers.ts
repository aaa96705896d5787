/** apt and dnf asked the same questions; neither asks anybody back. What they print is bounded, and they end by themselves. */
import { InvocationError, ExecutionError } from '../loader/errors.js';
import { hasTool, runTool, toolOutput } from '../process/run-tool.js';

export interface PackageManager {
  /** Versions that could be had, newer than what is installed, by name. */
  upgrades(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** The version that an installation would bring; empty when there is none or it is installed. */
  latest(name: string, signal: AbortSignal): Promise<string>;
  refresh(signal: AbortSignal): Promise<void>;
  install(words: readonly string[], signal: AbortSignal): Promise<void>;
  remove(names: readonly string[], purge: boolean, signal: AbortSignal): Promise<void>;
}

const LONG_MS = 1_800_000;

export async function packageManager(): Promise<PackageManager> {
  if (await hasTool('apt-get')) return apt;
  if (await hasTool('dnf')) return dnf;
  throw new ExecutionError('this host has neither apt nor dnf; other package managers are not built');
}

/** @throws {InvocationError} When it could not be the name of a package. */
export function packageName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9+._:-]{0,254}$/.test(name)) return name;
  throw new InvocationError(`'${name}' is not the name of a package`);
}

export function packageVersion(version: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9+.~:_-]{0,254}$/.test(version)) return version;
  throw new InvocationError(`'${version}' is not a version`);
}

const ENV = { DEBIAN_FRONTEND: 'noninteractive', APT_LISTCHANGES_FRONTEND: 'none', UCF_FORCE_CONFFOLD: '1' };
const KEEP_CONFIG = ['-o', 'Dpkg::Options::=--force-confold', '-o', 'Dpkg::Options::=--force-confdef'];
/** Somebody else's apt may be at work: seconds to wait for it. */
const WAIT_FOR_LOCK = ['-o', 'DPkg::Lock::Timeout=120'];

const aptGet = async (words: readonly string[], signal: AbortSignal): Promise<string> =>
  toolOutput('apt-get', ['-q', '-y', ...KEEP_CONFIG, ...WAIT_FOR_LOCK, ...words], {
    signal,
    env: ENV,
    timeoutMs: LONG_MS,
  });

const apt: PackageManager = {
  async upgrades(signal) {
    const text = await toolOutput('apt-get', ['--just-print', 'dist-upgrade'], { signal, env: ENV });
    return Object.fromEntries(
      [...text.matchAll(/^Inst (\S+) \[[^\]]*\] \((\S+)/gm)].map(([, name = '', version = '']) => [name, version]),
    );
  },
  async latest(name, signal) {
    const text = await toolOutput('apt-cache', ['-q', 'policy', '--', name], { signal, env: ENV });
    const field = (key: string): string => new RegExp(`^ +${key}: (\\S+)$`, 'm').exec(text)?.[1] ?? '(none)';
    const candidate = field('Candidate');
    return candidate === '(none)' || candidate === field('Installed') ? '' : candidate;
  },
  async refresh(signal) {
    await toolOutput('apt-get', ['-q', 'update'], { signal, env: ENV, timeoutMs: LONG_MS });
  },
  async install(words, signal) {
    await aptGet(['install', '--', ...words], signal);
  },
  async remove(names, purge, signal) {
    await aptGet([purge ? 'purge' : 'remove', '--', ...names], signal);
  },
};

const UPGRADES_FOUND = 100;

const dnf: PackageManager = {
  async upgrades(signal) {
    const { retcode, stdout, stderr } = await runTool('dnf', ['-q', 'check-update'], { signal, timeoutMs: LONG_MS });
    if (retcode !== 0 && retcode !== UPGRADES_FOUND) throw new ExecutionError(`dnf ended with ${retcode}: ${stderr}`);
    const rows = (stdout.split(/^Obsoleting/m)[0] ?? '').matchAll(/^(\S+)\.[\w]+ +(\S+) +\S+$/gm);
    return Object.fromEntries([...rows].map(([, name = '', version = '']) => [name, version]));
  },
  async latest(name, signal) {
    const format = ['--qf', '%{version}-%{release}\n', '--upgrades', '--latest-limit=1'];
    const query = async (flags: readonly string[]): Promise<string> =>
      (await toolOutput('dnf', ['-q', 'repoquery', ...flags, '--', name], { signal, timeoutMs: LONG_MS })).trim();
    const isInstalled = (await runTool('rpm', ['-q', '--', name], { signal })).retcode === 0;
    return query(isInstalled ? format : format.filter((word) => word !== '--upgrades'));
  },
  async refresh(signal) {
    await toolOutput('dnf', ['-q', 'makecache', '--refresh'], { signal, timeoutMs: LONG_MS });
  },
  async install(words, signal) {
    await toolOutput('dnf', ['-q', '-y', 'install', '--', ...words], { signal, timeoutMs: LONG_MS });
  },
  async remove(names, _purge, signal) {
    await toolOutput('dnf', ['-q', '-y', 'remove', '--', ...names], { signal, timeoutMs: LONG_MS });
  },
};

/** How a manager writes a package of a certain version. */
export async function versionWord(name: string, version: string): Promise<string> {
  const mark = (await hasTool('apt-get')) ? '=' : '-';
  return `${packageName(name)}${mark}${packageVersion(version)}`;
}
