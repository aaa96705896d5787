/**
 * From the files of a folder to checked values: known keys are parsed by the schema, Salt's other keys are reported, unknown
 * ones are problems. All problems are found in one go.
 *
 * What the access lists mean is not known here.
 */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LoadedYaml, Path } from '@natrium/args';
import { codeOf, err, isList, isMap, ok, type Result, type Value } from '@natrium/model';
import * as z from 'zod/mini';
import { RULE_KEYS } from './access-keys.js';
import { type ConfigFiles, readConfigFiles, type Replaced } from './config-files.js';
import type { WatchedFolder } from './folder-watch.js';
import { type KeyDoc, keyDocs } from './key-doc.js';
import { rootDir, withPaths } from './paths.js';
import type { ConfigProblem, Fault } from './problem.js';
import { reasonOf } from './reason.js';
import { isGuiKey } from './salt-keys.js';
import { entriesOf, type FilePlace, placeOf, valueOf } from './sourced.js';
import { isKnown, type Kind, unknownKeys } from './unknown-keys.js';

export const DEFAULT_DIR = '/etc/natrium';
const SDB = 'sdb://';
/** Settings of the back ends of `external_auth`, which check them. */
const BACK_END = /^auth\.(?:ldap|pam)\./;

/** What the files say, key by key, also keys that the schema does not know, and values that cannot be used. */
export interface Given {
  readonly given: Readonly<Record<string, Value>>;
  readonly locate: (path: Path) => FilePlace;
  readonly replaced: readonly Replaced[];
}

export interface Checked<T> extends Given {
  readonly values: T;
  readonly files: readonly string[];
  readonly folders: readonly WatchedFolder[];
  readonly reports: readonly string[];
  /** Keys of Salt that the files have and that have no use here. */
  readonly unused: readonly string[];
}

/** What is included where the file names nothing, beside it. */
export function defaultInclude(name: string): string {
  return `${name}.d/*.conf`;
}

export function check<S extends z.ZodMiniObject>(
  dir: string,
  kind: Kind<S>,
): Result<Checked<z.infer<S>>, readonly ConfigProblem[]> {
  const read = readFolder(dir, kind.name);
  return read.ok ? checkFiles(resolve(dir), kind, read.value) : read;
}

/** @returns The problems where the files cannot be read. */
export function readGiven(dir: string, name: string): Result<Given, readonly ConfigProblem[]> {
  const read = readFolder(dir, name);
  return read.ok ? ok(givenIn(read.value)) : read;
}

function readFolder(dir: string, name: string): Result<ConfigFiles, readonly ConfigProblem[]> {
  const folder = resolve(dir);
  const problem = folderProblem(folder);
  if (problem !== undefined) return err([{ file: folder, path: [], ...problem }]);
  return readConfigFiles(join(folder, name), defaultInclude(name));
}

function givenIn({ merged, replaced }: ConfigFiles): Given {
  return { given: notEmpty(entriesOf(merged) ?? new Map()), locate: (path) => placeOf(merged, path), replaced };
}

/** Without the default one everything has its default. */
function folderProblem(folder: string): Fault | undefined {
  try {
    if (statSync(folder).isDirectory()) return undefined;
    return { reason: 'this is no folder', mend: 'name the folder that the file is in' };
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'ENOENT')
      return {
        reason: `cannot open the folder (${String(code)})`,
        mend: 'let this account pass to it, or name another with -c',
      };
    return folder === DEFAULT_DIR
      ? undefined
      : { reason: 'there is no such folder', mend: 'create it, or name another with -c' };
  }
}

function checkFiles<S extends z.ZodMiniObject>(
  folder: string,
  kind: Kind<S>,
  read: ConfigFiles,
): Result<Checked<z.infer<S>>, readonly ConfigProblem[]> {
  const { merged, files, folders, reports } = read;
  const said = givenIn(read);
  const { given, locate } = said;
  const docs = docsOf(kind.schema);
  const filled = withPaths(given, docs, rootDir(given['root_dir'], folder));
  const parsed = z.safeParse(kind.schema, filled, { error: reasonOf });
  const unknown = Object.keys(given).filter((key) => !isKnown(key, kind));
  const isUsed = (key: string) => docs.has(key) || BACK_END.test(key) || (kind.name === 'master' && isGuiKey(key));
  const problems = [
    ...unknownKeys(
      Array.from(entriesOf(merged) ?? [], ([key, item]) => [key, valueOf(item)] as const),
      kind,
      locate,
    ),
    ...Object.entries(given).flatMap(([key, value]) => (isUsed(key) ? fetched(value, [key], locate) : [])),
    ...files.flatMap(unquotedRules),
    ...emptied(files, merged),
    ...(parsed.error?.issues ?? []).map(({ path, message }) => invalid(path, message, docs, locate)),
  ];
  if (!parsed.success || problems.length > 0) return err(problems);
  const idle = unknown.filter((key) => !isUsed(key));
  return ok({
    ...said,
    values: parsed.data,
    files: files.map(({ file }) => file),
    folders,
    reports: [...reports, ...idle.map((key) => unused(key, kind, locate([key])))],
    unused: idle,
  });
}

/** A key without a value is one that is not there: what it would have held is commented out. */
function notEmpty(entries: ReadonlyMap<string, Parameters<typeof valueOf>[0]>): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    Array.from(entries, ([key, item]) => [key, valueOf(item)] as const).filter(([, value]) => value !== null),
  );
}

const DENIES = 'publisher_acl_blacklist';

/** An empty key of a later file takes the place of what another says. Of a list that forbids nothing would be left; in Salt nobody may do anything then. */
function emptied(files: readonly LoadedYaml[], merged: ConfigFiles['merged']): readonly ConfigProblem[] {
  const entry = entriesOf(merged)?.get(DENIES);
  const filled = files.find(({ value }) => isMap(value) && (value[DENIES] ?? null) !== null);
  if (entry === undefined || valueOf(entry) !== null || filled === undefined) return [];
  const where = `${filled.file}:${String(filled.locate([DENIES]).line)}`;
  const reason = `this has no value, and would switch off what ${where} denies`;
  const mend = 'remove the key, or write {} where nobody shall be denied';
  return [{ ...placeOf(merged, [DENIES]), path: [DENIES], reason, mend }];
}

export function docsOf(schema: z.ZodMiniObject): ReadonlyMap<string, KeyDoc> {
  const docs = new Map<string, KeyDoc>();
  for (const [key, field] of Object.entries(schema.shape)) {
    const doc = keyDocs.get(field);
    if (doc === undefined) throw new Error(`the key ${key} has no documentation`);
    docs.set(key, doc);
  }
  return docs;
}

/** What Salt fetches from elsewhere is not what the file says: taken as it stands, it would be a password that anybody may read. */
function fetched(value: Value, path: Path, locate: (path: Path) => FilePlace): readonly ConfigProblem[] {
  if (isList(value)) return value.flatMap((item, index) => fetched(item, [...path, index], locate));
  if (isMap(value)) return Object.entries(value).flatMap(([key, item]) => fetched(item, [...path, key], locate));
  if (typeof value !== 'string' || !value.startsWith(SDB)) return [];
  const reason = `Salt would fetch this value (${SDB}); Natrium has nowhere to fetch it from`;
  return [{ ...locate(path), path, reason, mend: 'write the value itself' }];
}

/** Keys of rules that are no text: Salt would compare each as a number or a boolean, and never match; here it would silently become text. */
export function unquotedRules({ file, unquotedKeys, locate }: LoadedYaml): readonly ConfigProblem[] {
  return unquotedKeys
    .filter(([top]) => typeof top === 'string' && RULE_KEYS.has(top))
    .map((path) => {
      const reason = `YAML reads this key as ${String(path.at(-1))}, which is not text`;
      return { path, reason, mend: 'put it in quotes', file, ...locate(path) };
    });
}

function invalid(
  path: readonly PropertyKey[],
  message: string,
  docs: ReadonlyMap<string, KeyDoc>,
  locate: (path: Path) => FilePlace,
): ConfigProblem {
  const steps = path.map((step) => (typeof step === 'number' ? step : String(step)));
  const key = String(steps[0]);
  return {
    ...locate(steps),
    path: steps,
    reason: message,
    mend: `${key} takes ${docs.get(key)?.takes ?? 'something else'}`,
  };
}

function unused(key: string, kind: Kind<z.ZodMiniObject>, { file, line }: FilePlace): string {
  const where = kind.isOther(key) ? ` in the ${kind.name} file` : '';
  return `${file}:${String(line)}: ${key} is a key of Salt that Natrium does not use${where}`;
}
