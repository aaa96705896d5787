/** `kmod.*`: modules of the kernel, read from `/proc/modules` and `/lib/modules`; loaded and removed with modprobe. */
import { readFile } from 'node:fs/promises';
import { release } from 'node:os';
import { basename } from 'node:path';
import type { CallContext } from '../call-context.js';
import { defineModule } from '../loader/declaration.js';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import { fn } from '../minion-registry.js';
import { toolOutput } from '../process/run-tool.js';

const MOD = [{ name: 'mod', type: 'str', doc: 'Name of the module.' }] as const;

interface Loaded {
  readonly module: string;
  readonly size: string;
  readonly depcount: string;
  readonly deps: readonly string[];
}

export const kmodModule = defineModule('kmod', {
  lsmod: fn({ doc: 'The modules that are loaded.', returns: 'a list of maps', examples: ['kmod.lsmod'] }, async () =>
    (await loaded()).map((one) => ({ ...one })),
  ),
  mod_list: fn(
    {
      doc: 'The names of the modules that are loaded.',
      params: [{ name: 'only_persist', type: 'bool', default: false, doc: 'Those of /etc/modules instead.' }],
      returns: 'a list',
      examples: ['kmod.mod_list'],
    },
    async ({ only_persist: persistent }) =>
      (persistent ? await persisted() : (await loaded()).map(({ module }) => module)).toSorted(),
  ),
  is_loaded: fn(
    { doc: 'Tells whether a module is loaded.', params: MOD, examples: ['kmod.is_loaded kvm'] },
    ({ mod }) => isLoaded(mod),
  ),
  available: fn(
    { doc: 'The names of the modules that could be loaded.', returns: 'a list', examples: ['kmod.available'] },
    async () => {
      const now = new Set((await loaded()).map(({ module }) => module));
      return (await onDisk()).filter((name) => !now.has(name.replaceAll('-', '_')));
    },
  ),
  check_available: fn(
    { doc: 'Tells whether a module could be loaded or is.', params: MOD, examples: ['kmod.check_available kvm'] },
    async ({ mod }) => (await isLoaded(mod)) || (await onDisk()).includes(mod),
  ),
  load: fn(
    {
      doc: 'Loads a module, until the next start of the host.',
      params: MOD,
      returns: 'the names that were loaded',
      examples: ['kmod.load kvm'],
    },
    ({ mod }, context) => probed([], mod, context),
  ),
  remove: fn(
    {
      doc: 'Removes a module from the kernel.',
      params: MOD,
      returns: 'the names that were removed',
      examples: ['kmod.remove kvm'],
    },
    ({ mod }, context) => probed(['--remove'], mod, context),
  ),
});

async function loaded(): Promise<readonly Loaded[]> {
  const text = await readFile('/proc/modules', 'utf8').catch(() => {
    throw new ExecutionError('the kernel of this host has no modules (there is no /proc/modules)');
  });
  const rows = text
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  return rows.map(([module = '', size = '', depcount = '', deps = '-']) => {
    return { module, size, depcount, deps: deps.split(',').filter((name) => name !== '' && name !== '-') };
  });
}

async function isLoaded(mod: string): Promise<boolean> {
  return (await loaded()).some(({ module }) => module === mod.replaceAll('-', '_'));
}

async function persisted(): Promise<readonly string[]> {
  const lines = (await readFile('/etc/modules', 'utf8').catch(() => '')).split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !/^[#;]/.test(line));
}

async function onDisk(): Promise<readonly string[]> {
  const folder = `/lib/modules/${release()}`;
  const read = (name: string): Promise<string> => readFile(`${folder}/${name}`, 'utf8').catch(() => '');
  const text = `${(await read('modules.dep')).replace(/:.*$/gm, '')}\n${await read('modules.builtin')}`;
  const names = text.split('\n').map((line) => basename(line.trim()).replace(/\.ko(\.\w+)?$/, ''));
  return [...new Set(names.filter((name) => name !== ''))].sort();
}

async function probed(flags: readonly string[], mod: string, context: CallContext): Promise<readonly string[]> {
  if (!/^\w[\w-]{0,63}$/.test(mod)) throw new InvocationError(`'${mod}' is not the name of a module`);
  const before = new Set((await loaded()).map(({ module }) => module));
  await toolOutput('modprobe', [...flags, '--', mod], context);
  const after = new Set((await loaded()).map(({ module }) => module));
  return [...[...before].filter((name) => !after.has(name)), ...[...after].filter((name) => !before.has(name))].sort();
}
