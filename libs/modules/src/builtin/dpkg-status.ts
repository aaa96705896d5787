/** Installed packages as dpkg keeps them: paragraphs of `Field: value` lines, one for each package it knows. */
import { readFile } from 'node:fs/promises';
import { arch } from 'node:os';
import { codeOf } from '@natrium/model';

const DPKG_STATUS = '/var/lib/dpkg/status';

const NATIVE: Readonly<Record<string, string>> = { x64: 'amd64', ia32: 'i386', arm: 'armhf', ppc64: 'ppc64el' };

/**
 * Versions of what is installed, by name; a package of another architecture has `:arch` behind its name, as in Salt.
 *
 * @returns undefined where there is no dpkg.
 */
export async function installedPackages(
  path = DPKG_STATUS,
): Promise<ReadonlyMap<string, readonly string[]> | undefined> {
  const text = await readFile(path, 'utf8').catch(notThere);
  return text === undefined ? undefined : readStatus(text, NATIVE[arch()] ?? arch());
}

export function readStatus(text: string, native: string): ReadonlyMap<string, readonly string[]> {
  const packages = new Map<string, string[]>();
  for (const paragraph of text.split(/\n\s*\n/)) {
    // `ii` and `hi` of `dpkg -l`: wanted or held, and wholly installed.
    if (!/^Status: (?:install|hold) ok installed$/m.test(paragraph)) continue;
    const [name, version, architecture = native] = ['Package', 'Version', 'Architecture'].map((field) =>
      fieldOf(paragraph, field),
    );
    if (name === undefined || version === undefined) continue;
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
