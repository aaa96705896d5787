/** The services of a host that systemd runs, and of one with `/etc/init.d`: the same questions to each. */
import { readdir, stat } from 'node:fs/promises';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import type { BaseContext } from '../loader/registry.js';
import { hasTool, runTool, toolOutput } from '../process/run-tool.js';

export type State = 'running' | 'enabled' | 'disabled';
export type Change = 'start' | 'stop' | 'restart' | 'reload' | 'enable' | 'disable';

/** What Salt's scripts may ask of a change, where systemd makes it. */
export interface How {
  readonly noBlock: boolean;
  readonly unmask: boolean;
  readonly unmaskRuntime: boolean;
}

export interface Services {
  status(name: string, context: BaseContext): Promise<boolean>;
  isEnabled(name: string, context: BaseContext): Promise<boolean>;
  all(context: BaseContext): Promise<readonly string[]>;
  /** Those that run, or that do or do not start with the host. */
  inState(state: State, context: BaseContext): Promise<readonly string[]>;
  change(name: string, change: Change, how: How, context: BaseContext): Promise<void>;
}

const CHANGE_MS = 300_000;
/** What Salt takes for services of systemd. */
const UNITS = ['service', 'socket', 'mount', 'automount', 'swap', 'target', 'path', 'timer'] as const;
const SUFFIX = new RegExp(`(?:\\.(?:${UNITS.join('|')}))?$`);

/** Of a listing of systemd: a service goes by its bare name, any other unit by its whole one. */
export function unitNames(listing: string): readonly string[] {
  return [...listing.matchAll(/^\S+/gm)].map(([name]) => bareName(name));
}

/** Whether such a name is among those of all units; an instance is where its template is. */
export function isAmong(all: readonly string[], name: string): boolean {
  const bare = bareName(name);
  const [suffix = ''] = SUFFIX.exec(bare) ?? [];
  const template = bare.slice(0, bare.length - suffix.length).replace(/@.*$/, '@');
  return all.includes(bare) || all.includes(template + suffix);
}

function bareName(name: string): string {
  return name.replace(/\.service$/, '');
}

/** Chosen by what runs, not by what is installed. @throws {ExecutionError} When there is neither. */
export async function servicesOf(): Promise<Services> {
  const is = async (path: string): Promise<boolean> =>
    (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
  if (await is('/run/systemd/system')) return systemd;
  if (await is('/etc/init.d')) return sysvinit;
  throw new ExecutionError('this host runs neither systemd nor init scripts, so it has no services');
}

/** @throws {InvocationError} When it could not be the name of a service. */
export function serviceName(name: string): string {
  if (/^[A-Za-z0-9_@][\w@.:\\-]{0,254}$/.test(name)) return name;
  throw new InvocationError(`'${name}' is not the name of a service`);
}

const succeeds = async (program: string, args: readonly string[], context: BaseContext): Promise<boolean> =>
  (await runTool(program, args, context)).retcode === 0;

const systemd: Services = {
  status: (name, context) => succeeds('systemctl', ['is-active', '--quiet', '--', name], context),
  isEnabled: (name, context) => succeeds('systemctl', ['is-enabled', '--quiet', '--', name], context),
  all: async (context) => unitNames(await toolOutput('systemctl', listingWords(), context)),
  inState: async (state, context) => unitNames(await toolOutput('systemctl', listingWords(state), context)),
  async change(name, change, how, { signal, processes }) {
    const options = { signal, processes, timeoutMs: CHANGE_MS };
    for (const words of systemctlCalls(change, name, how)) await toolOutput('systemctl', words, options);
  },
};

/** What systemctl is called with, one time after the other: what is masked can be started only when it is no longer. */
export function systemctlCalls(change: Change, name: string, how: How): readonly (readonly string[])[] {
  const calls = [
    ...(how.unmask ? [['unmask']] : []),
    ...(how.unmaskRuntime ? [['--runtime', 'unmask']] : []),
    [...(how.noBlock ? ['--no-block'] : []), change],
  ];
  return calls.map((words) => ['--no-ask-password', ...words, '--', name]);
}

/** What systemctl is called with to list all units, or those in a state: what runs is a unit, what starts with the host a file of one. */
export function listingWords(state?: State): readonly string[] {
  const what = state === 'running' ? ['list-units', '--plain'] : ['list-unit-files'];
  const only = state === undefined ? [] : [`--state=${state}`];
  return [...what, ...only, `--type=${UNITS.join(',')}`, '--no-legend', '--no-pager', '--full'];
}

const sysvinit: Services = {
  status: async (name, context) => succeeds(await script(name), ['status'], context),
  async isEnabled(name) {
    const levels = await Promise.all(['2', '3', '4', '5'].map((level) => readdir(`/etc/rc${level}.d`).catch(() => [])));
    return levels.flat().some((link) => /^S\d\d/.test(link) && link.slice(3) === name);
  },
  all: () => scriptsIn('/etc/init.d'),
  async inState(state, context) {
    if (state === 'running')
      throw new ExecutionError('systemd lists what runs, which this host has not: ask service.status of each');
    const names = await sysvinit.all(context);
    const starts = await Promise.all(names.map((name) => sysvinit.isEnabled(name, context)));
    return names.filter((_, index) => starts[index] === (state === 'enabled'));
  },
  async change(name, change, how, { signal, processes }) {
    if (Object.values(how).includes(true))
      throw new ExecutionError('no_block, unmask and unmask_runtime are for systemd, which this host has not');
    const isBoot = change === 'enable' || change === 'disable';
    const file = await script(name);
    if (!isBoot) await toolOutput(file, [change], { signal, processes, timeoutMs: CHANGE_MS });
    else if (await hasTool('update-rc.d')) await toolOutput('update-rc.d', [name, change], { signal, processes });
    else await toolOutput('chkconfig', [name, change === 'enable' ? 'on' : 'off'], { signal, processes });
  },
};

/** What may be run there: no folder, and no link that a package left behind. */
export async function scriptsIn(folder: string): Promise<readonly string[]> {
  const isScript = async (name: string): Promise<boolean> => {
    const found = await stat(`${folder}/${name}`).catch(() => undefined);
    return found?.isFile() === true && (found.mode & 0o111) !== 0;
  };
  const kept = await Promise.all((await readdir(folder)).map(async (name) => ((await isScript(name)) ? [name] : [])));
  return kept.flat();
}

async function script(name: string): Promise<string> {
  const path = `/etc/init.d/${serviceName(name)}`;
  if ((await stat(path).catch(() => undefined))?.isFile() !== true)
    throw new ExecutionError(`there is no service ${name}`);
  return path;
}
