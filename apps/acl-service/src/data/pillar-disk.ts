/**
 * Pillar files on disk. A file counts only when it really lies below a root: links are followed first and looked at then.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import type { WatchedFolder } from '@natrium/config';
import { codeOf, err, messageOf, ok, type Result } from '@natrium/model';
import { type PillarFiles, type PillarProblem, type PillarText, SLS_WORD } from '@natrium/pillar';

/** Folders by environment. */
export type PillarRoots = Readonly<Record<string, readonly string[]>>;

const MAX_FILE = 1 << 20;
const MAX_FOLDERS = 5000;
const utf8 = new TextDecoder('utf-8', { fatal: true });

export class PillarDisk implements PillarFiles {
  readonly #inside: readonly string[];

  constructor(private readonly roots: PillarRoots) {
    const real = Object.values(roots).flat().map(realPathOf);
    this.#inside = real.flatMap((path) => (path.ok ? path.value : []));
  }

  get environments(): readonly string[] {
    return Object.keys(this.roots);
  }

  read(environment: string, path: string): Result<PillarText, PillarProblem> | undefined {
    for (const root of this.roots[environment] ?? []) {
      const file = join(root, path);
      const real = realPathOf(file);
      if (!real.ok && real.error === undefined) continue;
      if (!real.ok) return err({ file, reason: `it cannot be reached: ${String(real.error)}` });
      if (!this.#contains(real.value))
        return err({ file, reason: 'it leads out of pillar_roots, so nothing of it is used' });
      return readText(file, real.value);
    }
    return undefined;
  }

  /** Every folder in which a change can change a pillar, and those in which a root may come, go or be replaced. */
  folders(): readonly WatchedFolder[] {
    const roots = Object.values(this.roots).flat();
    const below = new Set<string>();
    for (const root of roots) this.#addFolders(root, below);
    return [...roots.map(placeOf), ...[...below].map((path) => ({ path }))];
  }

  #addFolders(folder: string, found: Set<string>): void {
    const real = realPathOf(folder);
    if (!real.ok || found.has(real.value) || found.size >= MAX_FOLDERS || !this.#contains(real.value)) return;
    const below = foldersIn(real.value);
    if (below === undefined) return;
    found.add(real.value);
    for (const name of below) this.#addFolders(join(real.value, name), found);
  }

  #contains(real: string): boolean {
    return this.#inside.some((root) => real === root || real.startsWith(root.endsWith(sep) ? root : root + sep));
  }
}

/** An error that is undefined says that nothing is there; what is there and cannot be reached must not pass for that. */
function realPathOf(path: string): Result<string, string | undefined> {
  try {
    return ok(realpathSync(path));
  } catch (error) {
    const code = codeOf(error) ?? 'unknown';
    return err(code === 'ENOENT' || code === 'ENOTDIR' ? undefined : code);
  }
}

/** What may be a folder of pillar files, links included. @returns undefined when it is no folder, or cannot be read. */
function foldersIn(folder: string): readonly string[] | undefined {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && SLS_WORD.test(entry.name))
      .map(({ name }) => name);
  } catch {
    return undefined; // a file in it says why, when it is asked for
  }
}

function readText(file: string, real: string): Result<PillarText, PillarProblem> {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return err({ file, reason: 'it is not a file' });
    if (stat.size > MAX_FILE) return err({ file, reason: `it is larger than ${String(MAX_FILE)} bytes` });
    return ok({ file, text: utf8.decode(readFileSync(descriptor)) });
  } catch (error) {
    return err({ file, reason: `it cannot be read: ${messageOf(error)}` });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Where a root is, or what of its path comes first when it is not there. */
function placeOf(root: string): WatchedFolder {
  let path = root;
  do path = dirname(path);
  while (!existsSync(path));
  const [first = basename(root)] = root
    .slice(path.length)
    .split(sep)
    .filter((word) => word !== '');
  return { path, only: first };
}
