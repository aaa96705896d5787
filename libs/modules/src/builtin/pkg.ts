/** `pkg.*`: which packages are installed, from dpkg's own file or from rpm, and changes through apt or dnf (pkg-changes.ts). */
import { pyStr, type Value } from '@natrium/model';
import { defineModule } from '../loader/declaration.js';
import { matchesGlob } from '../loader/glob.js';
import { fn } from '../minion-registry.js';
import { installed, type Packages } from './installed.js';
import { pkgChanges } from './pkg-changes.js';

export const pkgModule = defineModule('pkg', {
  ...pkgChanges,
  list_pkgs: fn(
    {
      doc: 'The packages that are installed.',
      params: [
        { name: 'versions_as_list', type: 'bool', default: false, doc: 'Versions as lists even when there is one.' },
      ],
      returns: 'a map from name to version',
      examples: ['pkg.list_pkgs', 'pkg.list_pkgs versions_as_list=True'],
    },
    async ({ versions_as_list: asList }, context) =>
      Object.fromEntries(
        [...(await installed(context))].map(([name, versions]) => [name, asList ? versions : versions.join(',')]),
      ),
  ),
  version: fn(
    {
      doc: 'The installed version of packages.',
      params: [{ rest: 'names', doc: 'Names of packages; globs may be used.' }],
      returns: 'the version of one, empty when it is not installed; a map for several or a glob',
      examples: ['pkg.version bash', 'pkg.version bash dpkg', "pkg.version 'lib*'"],
    },
    async ({ names }, context) => versionsOf(names.map(pyStr), await installed(context)),
  ),
});

function versionsOf(names: readonly string[], packages: Packages): Value {
  const versionOf = (name: string): string => (packages.get(name) ?? []).join(',');
  const [only] = names;
  if (only === undefined) return '';
  if (names.length === 1 && !isGlob(only)) return versionOf(only);
  const matches = (glob: string): readonly string[] => [...packages.keys()].filter((name) => matchesGlob(glob, name));
  const wanted = names.flatMap((name) => (isGlob(name) ? matches(name) : [name]));
  return Object.fromEntries(wanted.map((name) => [name, versionOf(name)]));
}

function isGlob(name: string): boolean {
  return /[*?[]/.test(name);
}
