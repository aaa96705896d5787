/** `pkg.*` that asks a package manager or has it change something. Each change answers what is old and what is new. */
import { isMap, pyStr, type Value, type ValueMap } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import { fn } from '../minion-registry.js';
import type { Packages } from './dpkg-status.js';
import { installed } from './installed.js';
import { packageManager, type PackageManager, packageName, versionWord } from './package-managers.js';
import { present, removalWords, type Wanted } from './pkg-removal.js';

const NAME = { name: 'name', type: 'str', default: '', doc: 'One package, or several with commas.' } as const;
const PKGS = {
  name: 'pkgs',
  type: 'any',
  default: null,
  doc: 'A list of packages, or of maps from one to a version.',
} as const;
const CHANGED = 'a map from each package that changed to old and new version, empty when there is nothing to do';
const PURGED = 'with dpkg such a map in `installed`, and in `removed` one of what had only configuration files left';

const REFRESH = {
  name: 'refresh',
  type: 'bool',
  default: true,
  doc: 'Fetch the lists of packages first.',
} as const;

function removing(doc: string, example: string, purge: boolean) {
  const returns = purge ? PURGED : CHANGED;
  return fn({ doc, params: [NAME, PKGS], returns, examples: [example] }, async ({ name, pkgs }, context) => {
    const list = wanted(name, pkgs);
    const before = await present(context);
    const words = removalWords(list, before, purge);
    if (words.length === 0) return {};
    await (await packageManager(context)).remove(words, purge, context);
    const after = await present(context);
    const changed = difference(before.installed, after.installed);
    if (!purge || before.removed === undefined || after.removed === undefined) return changed;
    return { installed: changed, removed: difference(before.removed, after.removed) };
  });
}

export const pkgChanges = {
  install: fn(
    {
      doc: 'Installs packages. Nothing is asked, and configuration files that were changed stay.',
      params: [
        NAME,
        { ...REFRESH, default: false },
        // By name only: Salt has others in their places, and what is meant for those must not become a package.
        { ...PKGS, keyword: true },
        { name: 'version', type: 'str', default: '', keyword: true, doc: 'Of the one package.' },
      ],
      returns: CHANGED,
      examples: ['pkg.install vim', 'pkg.install pkgs=[vim,curl] refresh=True'],
    },
    async ({ name, pkgs, version, refresh }, context) => {
      const list = wanted(name, pkgs);
      const words = await Promise.all(
        list.map(async ([one, own = version]) => (own === '' ? packageName(one) : versionWord(one, own, context))),
      );
      const manager = await upToDate(refresh, context);
      return changes(context, () => manager.install(words, context));
    },
  ),
  remove: removing('Removes packages.', 'pkg.remove vim', false),
  purge: removing('Removes packages with their configuration files.', 'pkg.purge vim', true),
  refresh_db: fn(
    { doc: 'Fetches the lists of packages.', returns: 'true', examples: ['pkg.refresh_db'] },
    async (_, context) => {
      await upToDate(true, context);
      return true;
    },
  ),
  latest_version: fn(
    {
      doc: 'The version that an installation would bring.',
      params: [
        { rest: 'names', doc: 'Names of packages.' },
        { ...REFRESH, keyword: true },
      ],
      returns: 'the version of one, empty when it is installed already; a map for several',
      examples: ['pkg.latest_version bash', 'pkg.latest_version bash dpkg'],
    },
    async ({ names, refresh }, context) => {
      if (names.length === 0) return '';
      const manager = await upToDate(refresh, context);
      const found: [string, string][] = [];
      for (const name of names.map(pyStr)) found.push([name, await manager.latest(packageName(name), context)]);
      return found.length === 1 ? (found[0]?.[1] ?? '') : Object.fromEntries(found);
    },
  ),
  upgrade_available: fn(
    {
      doc: 'Tells whether there is a newer version.',
      params: [
        { name: 'name', type: 'str' },
        { ...REFRESH, keyword: true },
      ],
      examples: ['pkg.upgrade_available bash'],
    },
    async ({ name, refresh }, context) =>
      (await (await upToDate(refresh, context)).latest(packageName(name), context)) !== '',
  ),
  list_upgrades: fn(
    {
      doc: 'The packages of which there is a newer version.',
      params: [REFRESH],
      returns: 'a map from name to version',
      examples: ['pkg.list_upgrades'],
    },
    async ({ refresh }, context) => (await upToDate(refresh, context)).upgrades(context),
  ),
} as const;

async function upToDate(refresh: boolean, context: CallContext): Promise<PackageManager> {
  const manager = await packageManager(context);
  if (refresh) await manager.refresh(context).catch(asUnrefreshed);
  return manager;
}

/** As in Salt this ends it: an answer of old lists would look like one of new ones. */
function asUnrefreshed(cause: unknown): never {
  if (!(cause instanceof ExecutionError)) throw cause;
  throw new ExecutionError(
    `the lists of packages could not be fetched (refresh=False goes by the old ones): ${cause.message}`,
  );
}

/** A version that is null is none that is asked for. @throws {InvocationError} When no package is named. */
export function wanted(name: string, pkgs: Value): readonly Wanted[] {
  const given = pkgs === null ? name.split(',') : [pkgs].flat();
  const list = given.flatMap((one): readonly Wanted[] =>
    isMap(one) ? Object.entries(one).map(([key, version]) => [key, pyStr(version ?? '')]) : [[pyStr(one).trim()]],
  );
  if (list.length === 0 || list.some(([one]) => one === '')) throw new InvocationError('there is no package named');
  return list;
}

async function changes(context: CallContext, change: () => Promise<void>): Promise<ValueMap> {
  const before = await installed(context);
  await change();
  return difference(before, await installed(context));
}

function difference(before: Packages, after: Packages): ValueMap {
  const of = (packages: Packages, name: string): string => (packages.get(name) ?? []).join(',');
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  const changed = names.filter((name) => of(before, name) !== of(after, name));
  return Object.fromEntries(changed.map((name) => [name, { old: of(before, name), new: of(after, name) }]));
}
