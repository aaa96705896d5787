/** What is installed on this host, with dpkg or with rpm. */
import { ExecutionError } from '../loader/errors.js';
import type { CallContext } from '../call-context.js';
import type { BaseContext } from '../loader/registry.js';
import { hasTool, toolOutput } from '../process/run-tool.js';
import { installedPackages, type Packages, removedPackages } from './dpkg-status.js';

export type { Packages };

/** Keys of trusted signers, which rpm keeps as if they were packages. */
const NO_PACKAGE = 'gpg-pubkey';

/** Whether packages are rpm's, also where dpkg or apt is there as a tool: as in Salt the grain says it, and where it does not, what is there. */
export async function isOfRpm({ grains }: Pick<CallContext, 'grains'>): Promise<boolean> {
  const family = grains()['os_family'];
  if (family === 'Debian') return false;
  return family === 'RedHat' || family === 'Suse' || ((await hasTool('rpm')) && !(await hasTool('apt-get')));
}

/** Versions by name, sorted by it. @throws {ExecutionError} When this host has neither. */
export async function installed(context: CallContext): Promise<Packages> {
  const packages = ((await isOfRpm(context)) ? undefined : await installedPackages()) ?? (await rpmPackages(context));
  return new Map([...packages].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What was removed and left its configuration files, which rpm does not know. */
export async function removed(context: CallContext): Promise<Packages | undefined> {
  return (await isOfRpm(context)) ? undefined : removedPackages();
}

async function rpmPackages(context: BaseContext): Promise<Packages> {
  if (!(await hasTool('rpm'))) throw new ExecutionError('pkg: this host has neither dpkg nor rpm');
  const text = await toolOutput('rpm', ['-qa', '--qf', '%{NAME} %{VERSION}-%{RELEASE}\n'], context);
  const found = new Map<string, string[]>();
  for (const [, name = '', version = ''] of text.matchAll(/^(\S+) (\S+)$/gm)) {
    if (name !== NO_PACKAGE) found.set(name, [...(found.get(name) ?? []), version]);
  }
  return found;
}
