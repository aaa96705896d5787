/**
 * The operator's own master file, copied with the files that count with it where it stands: each copy lies where the includes of
 * the others find it. Of those, the copies of last time that nothing includes any more are taken away, or they would go on granting.
 */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type ConfigProblem, filesBeside, type LoadedConfig, type MasterConfig } from '@natrium/config';
import { makeFolder, writeWhole } from '@natrium/keystore';
import { err, ok, type Result } from '@natrium/model';

const CONFIG_MODE = 0o640;
const FOLDER_MODE = 0o750;
/** The copies beside `master`, and what was in their place: outside of its folder, so that no include finds them. */
const [COPIED, OLD] = ['copied', 'old'];

export const NO_KEYS = '# The master file of this cluster: nobody may publish until `peer` says so.\n';

export interface GivenFiles {
  /** By the path of a copy, the file that it is of. */
  readonly origins: ReadonlyMap<string, string>;
  /** Those of last time that said something else, by name: where each is now. */
  readonly kept: readonly (readonly [string, string])[];
  undo(): void;
}

/**
 * Copies take the place of those of last time, which somebody may have edited. Whenever this is interrupted, each file is the one or the
 * other, whole, and the next time knows all copies.
 *
 * @param folder Of the cluster's master file.
 */
export function takeGivenFiles(given: string, folder: string): Result<GivenFiles, readonly ConfigProblem[]> {
  const beside = besideOf(given, folder);
  if (!beside.ok) return beside;
  const list = join(dirname(folder), COPIED);
  const before = existsSync(list)
    ? readFileSync(list, 'utf8')
        .split('\n')
        .filter((name) => name !== '')
    : [];
  const names = [...beside.value.keys()];
  const stale = before.filter((name) => !names.includes(name));
  // Read before anything is written: the one that is given may be one that was kept.
  const next = held(given);
  const copies = Array.from(beside.value, ([name, file]) => [name, held(file)] as const);
  writeList(list, [...names, ...stale]);
  const old = (name: string) => join(dirname(folder), OLD, name);
  const change = (name: string, to: Held | undefined, kept = old(name)) => ({
    name,
    ...exchange(join(folder, name), to, kept),
  });
  const steps = [
    ...stale.map((name) => change(name, undefined)),
    ...copies.map(([name, copy]) => change(name, copy)),
    change('master', next, join(folder, 'master.old')),
  ];
  writeList(list, names);
  const undo = () => {
    for (const step of steps) step.undo();
    writeList(list, before);
  };
  const origins = Array.from(beside.value, ([name, file]) => [join(folder, name), file] as const);
  return ok({
    origins: new Map([...origins, [join(folder, 'master'), given]]),
    kept: steps.flatMap(({ name, kept }) =>
      kept === undefined ? [] : [[name === 'master' ? 'master file' : name, kept] as const],
    ),
    undo,
  });
}

/** Below the folder of the given one, by their names there. Others are read where they are, or are told of by `leftBehind`. */
function besideOf(given: string, folder: string): Result<ReadonlyMap<string, string>, readonly ConfigProblem[]> {
  const main = resolve(given);
  const read = filesBeside(main);
  if (!read.ok)
    return err(read.error.map((problem) => (problem.file === main ? { ...problem, file: given } : problem)));
  const below = read.value
    .map((file) => [relative(dirname(main), file), file] as const)
    .filter(([name, file]) => !name.startsWith('../') && join(folder, name) !== file);
  const taken = below.flatMap(([name, file]) => {
    const place = join(folder, name);
    if (!OWN.has(name) || (existsSync(place) && held(place).text.equals(held(file).text))) return [];
    return [{ file, path: [], reason: `its copy would stand in the place of ${place}`, mend: 'give it another name' }];
  });
  return taken.length > 0 ? err(taken) : ok(new Map(below.filter(([name]) => !OWN.has(name))));
}

/** Names of files that are written otherwise. */
const OWN: ReadonlySet<string> = new Set(['master', 'master.old', 'master.d/up.conf']);

/**
 * Files that count with the given one where it stands, and of which its new place has neither them nor a copy: without them the
 * cluster would have another policy, perhaps one that forbids less.
 *
 * @param read Those that count in the new place. @param folder That place.
 */
export function leftBehind(given: string, read: readonly string[], folder: string): readonly ConfigProblem[] {
  const beside = filesBeside(resolve(given));
  if (!beside.ok) return beside.error;
  return beside.value.flatMap((file) => {
    const copy = join(folder, relative(dirname(resolve(given)), file));
    if (read.includes(file) || (read.includes(copy) && held(copy).text.equals(held(file).text))) return [];
    const reason = `it counts with ${given}, and would not with the copy of that file in ${folder}`;
    return [{ file, path: [], reason, mend: 'have include name it by its whole path' }];
  });
}

const PATHS = ['pillar_roots', 'runner_dirs', 'autosign_file', 'autoreject_file', 'autosign_grains_dir'] as const;

/**
 * Relative paths, and the names that count where the file says none, start at the copy's folder: what lies beside the given file and not
 * there would not count, without a word.
 */
export function pathsLeftBehind(
  given: string,
  { config, locate }: LoadedConfig<MasterConfig>,
  folder: string,
): readonly ConfigProblem[] {
  return PATHS.flatMap((key) =>
    pathsIn(config[key]).flatMap((path) => {
      const name = relative(folder, path);
      const beside = join(dirname(resolve(given)), name);
      if (name === '' || name.startsWith('../') || existsSync(path) || !existsSync(beside)) return [];
      const reason = `${beside} would not count: ${name} starts at ${folder} with the copy of ${given} in it`;
      return [{ ...locate([key]), path: [key], reason, mend: `have ${key} name it by its whole path` }];
    }),
  );
}

function pathsIn(value: MasterConfig[(typeof PATHS)[number]]): readonly string[] {
  const paths = typeof value === 'string' ? [value] : Object.values<string | readonly string[]>(value).flat();
  return paths.filter((path) => path !== '');
}

interface Held {
  readonly text: Buffer;
  readonly mode: number;
}

interface Exchange {
  readonly kept: string | undefined;
  undo(): void;
}

/** @param next Without one the file goes. @param old Where the one before is kept, unless it is the one that nobody wrote. */
function exchange(path: string, next: Held | undefined, old: string): Exchange {
  const before = heldIn(path);
  if (before?.text.toString('latin1') === next?.text.toString('latin1'))
    return { kept: undefined, undo: () => undefined };
  const isKept = before !== undefined && before.text.toString() !== NO_KEYS;
  const older = heldIn(old);
  if (isKept) put(old, before);
  put(path, next);
  const undo = () => {
    put(path, before);
    if (isKept) put(old, older);
  };
  return { kept: isKept ? old : undefined, undo };
}

/** A copy of what only its owner may read is such a file too. */
function held(path: string): Held {
  return { text: readFileSync(path), mode: CONFIG_MODE & statSync(path).mode };
}

function heldIn(path: string): Held | undefined {
  return existsSync(path) ? held(path) : undefined;
}

function put(path: string, file: Held | undefined): void {
  if (file === undefined) {
    rmSync(path, { force: true });
    return;
  }
  makeFolder(dirname(path), FOLDER_MODE);
  writeWhole(path, file.text, file.mode);
}

function writeList(path: string, names: readonly string[]): void {
  if (names.length > 0 || existsSync(path)) writeWhole(path, names.map((name) => `${name}\n`).join(''), CONFIG_MODE);
}
