/** `pkg.*`: which packages are installed, from dpkg's own file or from rpm, and changes through apt or dnf (pkg-changes.ts). */
import { pyStr, type Value } from '@natrium/model';
import { defineModule } from '../loader/declaration.js';
import { matchesGlob } from '../loader/glob.js';
import { fn } from '../minion-registry.js';
import { installed, type Packages, removed } from './installed.js';
import { pkgChanges } from './pkg-changes.js';

const VERSIONS_AS_LIST = {
  name: 'versions_as_list',
  type: 'bool',
  default: false,
  doc: 'Versions as lists even when there is one.',
} as const;

export const pkgModule = defineModule('pkg', {
  ...pkgChanges,
  list_pkgs: fn(
    {
      doc: 'The packages that are installed.',
      params: [
        VERSIONS_AS_LIST,
        {
          name: 'removed',
          type: 'bool',
          default: false,
          keyword: true,
          doc: 'Instead what was removed and left its configuration files (dpkg).',
        },
      ],
      returns: 'a map from name to version',
      examples: ['pkg.list_pkgs', 'pkg.list_pkgs versions_as_list=True'],
    },
    async ({ versions_as_list: asList, removed: left }, context) => {
      const packages = left ? ((await removed(context)) ?? []) : await installed(context);
      return Object.fromEntries(
        [...packages].map(([name, versions]) => [name, asList ? versions : versions.join(',')]),
      );
    },
  ),
  version: fn(
    {
      doc: 'The installed version of packages.',
      params: [
        { rest: 'names', doc: 'Names of packages; globs may be used.' },
        { ...VERSIONS_AS_LIST, keyword: true },
      ],
      returns: 'the version of one, empty when it is not installed; a map for several, for a glob, or for none',
      examples: ['pkg.version bash', 'pkg.version bash dpkg', "pkg.version 'lib*'"],
    },
    async ({ names, versions_as_list: asList }, context) =>
      names.length === 0 ? {} : versionsOf(names.map(pyStr), await installed(context), asList),
  ),
});

/** As in Salt a name that is given twice is one. */
function versionsOf(names: readonly string[], packages: Packages, asList: boolean): Value {
  const versionOf = (name: string): Value => {
    const versions = packages.get(name) ?? [];
    return asList ? versions : versions.join(',');
  };
  const [only = '', ...others] = new Set(names);
  if (others.length === 0 && !isGlob(only)) return versionOf(only);
  const matches = (glob: string): readonly string[] => [...packages.keys()].filter((name) => matchesGlob(glob, name));
  const wanted = names.flatMap((name) => (isGlob(name) ? matches(name) : [name]));
  return Object.fromEntries(wanted.map((name) => [name, versionOf(name)]));
}

function isGlob(name: string): boolean {
  return /[*?[]/.test(name);
}
