/** `~` and `~ann` at the beginning of a path of `file.*` are homes, as Python's `os.path.expanduser` has them. */
import { homedir } from 'node:os';
import type { ValueMap } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import type { FunctionSpec } from '../loader/declaration.js';
import { userOf } from './name-databases.js';

/** Parameters that are paths on this host. */
const PATHS: ReadonlySet<string> = new Set(['path', 'name', 'src', 'dst', 'dir_path']);
/** As in Salt: these take paths apart as texts, and a link keeps what it leads to as it was written. */
const AS_WRITTEN: Readonly<Record<string, readonly string[]>> = {
  basename: ['path'],
  dirname: ['path'],
  symlink: ['src'],
};

type Functions = Readonly<Record<string, FunctionSpec<CallContext>>>;

/** The same functions, called with whole paths. */
export function withHomes<F extends Functions>(functions: F): F {
  const wrapped = Object.entries(functions).map(([name, spec]) => {
    const paths = spec.params.flatMap((param) => ('name' in param && PATHS.has(param.name) ? [param.name] : []));
    const expanded = paths.filter((path) => AS_WRITTEN[name]?.includes(path) !== true);
    const run: typeof spec.run = async (bound, context, library) =>
      spec.run({ ...bound, ...(await wholePaths(bound, expanded, context.signal)) }, context, library);
    return [name, { ...spec, run }];
  });
  return Object.fromEntries(wrapped) as F;
}

async function wholePaths(bound: ValueMap, names: readonly string[], signal: AbortSignal): Promise<ValueMap> {
  const given = names.map(async (name) => {
    const path = bound[name];
    return [name, typeof path === 'string' ? await expandUser(path, signal) : (path ?? null)] as const;
  });
  return Object.fromEntries(await Promise.all(given));
}

/** The path of nobody's home stays as it is. */
async function expandUser(path: string, signal: AbortSignal): Promise<string> {
  const [, name = '', rest = ''] = /^~([^/]*)(.*)$/s.exec(path) ?? [];
  if (!path.startsWith('~')) return path;
  const home = name === '' ? (process.env['HOME'] ?? homedir()) : (await userOf(name, signal))?.home;
  return home === undefined ? path : `${home.replace(/\/+$/, '')}${rest}` || '/';
}
