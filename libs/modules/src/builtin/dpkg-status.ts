/** Installed packages as dpkg keeps them: paragraphs of `Field: value` lines, one for each package it knows. */
import { readFile } from 'node:fs/promises';
import { arch } from 'node:os';
import { codeOf } from '@natrium/model';

const DPKG_STATUS = '/var/lib/dpkg/status';

const NATIVE: Readonly<Record<string, string>> = { x64: 'amd64', ia32: 'i386', arm: 'armhf', ppc64: 'ppc64el' };

export type Packages = ReadonlyMap<string, readonly string[]>;

/** `ii` and `hi` of `dpkg -l`: wanted or held, and wholly installed. */
const INSTALLED = /^Status: (?:install|hold) ok installed$/m;
/** Its configuration files are left. */
export const REMOVED = /^Status: deinstall /m;
/** The same, also where a removal or an installation broke off. */
export const LEFT = /^Status: \S+ \S+ config-files$/m;
/** Something of it is there, if only half: a script of its own may have failed. */
export const PRESENT = /^Status: \S+ \S+ (?!not-installed$|config-files$)/m;

/**
 * Versions of what is installed, by name; a package of another architecture has `:arch` behind its name, as in Salt.
 *
 * @returns undefined where there is no dpkg.
 */
export function installedPackages(path = DPKG_STATUS): Promise<Packages | undefined> {
  return packagesOf(path, INSTALLED);
}

/** Likewise of what is there wholly or in part. */
export function presentPackages(path = DPKG_STATUS): Promise<Packages | undefined> {
  return packagesOf(path, PRESENT);
}

/** Likewise of what was removed and not purged. */
export function removedPackages(path = DPKG_STATUS): Promise<Packages | undefined> {
  return packagesOf(path, REMOVED);
}

/** Likewise of what a purge has still to do with, though nothing else of it is there. */
export function leftPackages(path = DPKG_STATUS): Promise<Packages | undefined> {
  return packagesOf(path, LEFT);
}

/** A name as the lists have it: without the architecture where that is this host's own, or any. */
export function listedName(name: string, native = nativeArch()): string {
  const [, bare = name, architecture = ''] = /^([^:]+):([^:]+)$/.exec(name) ?? [];
  return [native, 'native', 'all', 'any'].includes(architecture) ? bare : name;
}

function nativeArch(): string {
  return NATIVE[arch()] ?? arch();
}

async function packagesOf(path: string, status: RegExp): Promise<Packages | undefined> {
  const text = await readFile(path, 'utf8').catch(notThere);
  return text === undefined ? undefined : readStatus(text, nativeArch(), status);
}

export function readStatus(text: string, native: string, status = INSTALLED): Packages {
  const packages = new Map<string, string[]>();
  for (const paragraph of text.split(/\n\s*\n/)) {
    if (!status.test(paragraph)) continue;
    // A first installation that broke off has no version yet.
    const [name, version = '', architecture = native] = ['Package', 'Version', 'Architecture'].map((field) =>
      fieldOf(paragraph, field),
    );
    if (name === undefined) continue;
    const key = architecture === native || architecture === 'all' ? name : `${name}:${architecture}`;
    packages.set(key, [...(packages.get(key) ?? []), version]);
  }
  return packages;
}

function fieldOf(paragraph: string, field: string): string | undefined {
  return new RegExp(`^${field}: (.*)$`, 'm').exec(paragraph)?.[1]?.trim();
}

function notThere(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined;
  throw error;
}
