/** What is installed on this host, with dpkg or with rpm. */
import { ExecutionError } from '../loader/errors.js';
import type { BaseContext } from '../loader/registry.js';
import { hasTool, toolOutput } from '../process/run-tool.js';
import { installedPackages, type Packages } from './dpkg-status.js';

export type { Packages };

/** Keys of trusted signers, which rpm keeps as if they were packages. */
const NO_PACKAGE = 'gpg-pubkey';

/** Versions by name, sorted by it. @throws {ExecutionError} When this host has neither. */
export async function installed(context: BaseContext): Promise<Packages> {
  const packages = (await installedPackages()) ?? (await rpmPackages(context));
  return new Map([...packages].sort(([a], [b]) => (a < b ? -1 : 1)));
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
