/**
 * The user's own modules: the files of some folders, loaded anew when one changes.
 *
 * A module takes the place of a built-in one of its name, whole. A file that cannot be loaded leaves an *empty* module of
 * its name: what it replaced does not come back by a slip, only when the file is taken away. One that took too long or could
 * not be started is tried again, since that may be the fault of a busy host.
 *
 * How to write one: docs/modules.md.
 */
import { messageOf } from '@natrium/model';
import type { Module } from '../loader/declaration.js';
import type { BaseContext } from '../loader/registry.js';
import { GuestEnded } from './guest.js';
import { guestModule, type GuestOptions } from './guest-module.js';
import { type Host, type OwnFile, ownFiles, programOf } from './own-file.js';
import { WatchedFolder } from './watched-folder.js';

export interface OwnModulesOptions<C> extends GuestOptions<C> {
  /** An earlier folder wins where two have a module of one name. */
  readonly folders: readonly string[];
  /** Whether the module of this name is loaded; all of them where it is absent. What is not is not even asked what it is. */
  readonly loads?: (name: string) => boolean;
  /** The program that loads a JavaScript file. */
  readonly hostPath: string;
  /** How soon a file that may yet be loaded is tried again, then twice as long each time; half a minute unless given. */
  readonly againMs?: number;
  /** Hears each problem once, as `file: reason`, until the file changes. */
  onProblem(sentence: string): void;
}

interface Loaded<C> {
  readonly stamp: string;
  readonly module: Module<C>;
  /** Set where the same file may yet be loaded. */
  readonly again?: Again;
}

interface Again {
  /** As `performance.now()` tells it. */
  readonly at: number;
  readonly waitMs: number;
}

/** An editor writes a file in several steps. */
const QUIET_MS = 150;
const AGAIN_MS = 30_000;
/** One that never gets ready costs its ten seconds no more often than this. */
const AGAIN_AT_MOST_MS = 3_600_000;
/** Files that are asked at a time what they are: at a start, more would only take each other's time. */
const AT_ONCE = 4;

export class OwnModules<C extends BaseContext> {
  #loaded = new Map<string, Loaded<C>>();
  #told = new Set<string>();
  #names: readonly string[] = [];
  #scan: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  #closed = false;
  #watched: readonly WatchedFolder[] = [];

  constructor(private readonly options: OwnModulesOptions<C>) {}

  /** What is loaded now, by name. */
  get modules(): readonly Module<C>[] {
    return [...this.#loaded.values()].map(({ module }) => module);
  }

  /** Of every module that is there, also where it is not loaded. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Reads the folders; only files that changed are asked again what they are. */
  load(): Promise<void> {
    return (this.#scan = this.#scan.then(() => this.#read()));
  }

  /** Loads, and loads again whenever a folder changes or a file may yet be loaded; `onChange` hears of each time. */
  watch(onChange: () => void): Promise<void> {
    const readSoon = () => {
      this.#readSoon(onChange);
    };
    this.#watched = this.options.folders.map((folder) => new WatchedFolder(folder, readSoon));
    return this.#loadAndTell(onChange);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#again);
    for (const folder of this.#watched) folder.close();
  }

  async #loadAndTell(onChange: () => void): Promise<void> {
    await this.load();
    onChange();
    clearTimeout(this.#again);
    const soonest = Math.min(...[...this.#loaded.values()].map(({ again }) => again?.at ?? Infinity));
    if (soonest === Infinity || this.#closed) return;
    this.#again = setTimeout(() => void this.#loadAndTell(onChange), soonest - performance.now()).unref();
  }

  #readSoon(onChange: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#loadAndTell(onChange), QUIET_MS);
  }

  async #read(): Promise<void> {
    const problems = new Set<string>();
    const files = new Map<string, OwnFile>();
    for (const folder of this.options.folders) {
      for (const file of await readFolder(folder, problems)) {
        const first = files.get(file.name);
        if (first === undefined) files.set(file.name, file);
        else problems.add(`${file.path}: ${first.path} is the module ${file.name} already`);
      }
    }
    this.#names = [...files.keys()];
    const { loads = () => true } = this.options;
    const wanted = [...files.values()].filter(({ name }) => loads(name));
    const loaded = await this.#each(wanted, problems);
    this.#loaded = new Map(loaded.map((one) => [one.module.name, one]));
    for (const problem of problems) if (!this.#told.has(problem)) this.options.onProblem(problem);
    this.#told = problems;
  }

  async #each(files: readonly OwnFile[], problems: Set<string>): Promise<readonly Loaded<C>[]> {
    const loaded: Loaded<C>[] = [];
    const left = files.entries();
    const worker = async () => {
      for (const [index, file] of left) loaded[index] = await this.#one(file, problems);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return loaded;
  }

  async #one(file: OwnFile, problems: Set<string>): Promise<Loaded<C>> {
    const stamp = `${file.path} ${file.stamp}`;
    const before = this.#loaded.get(file.name);
    const isKnown = before?.stamp === stamp;
    if (isKnown && performance.now() < (before.again?.at ?? Infinity)) {
      for (const told of this.#told) if (told.startsWith(`${file.path}: `)) problems.add(told);
      return before;
    }
    const empty = { name: file.name, functions: {} };
    try {
      if (file.fault !== undefined) throw new Error(file.fault);
      const host: Host = { path: this.options.hostPath, memoryMib: this.options.limits.memoryMib };
      return { stamp, module: await guestModule(file.name, programOf(file, host), this.options) };
    } catch (error) {
      problems.add(`${file.path}: ${messageOf(error)}`);
      if (!(error instanceof GuestEnded && error.mayPass)) return { stamp, module: empty };
      const waited = isKnown ? before.again?.waitMs : undefined;
      return { stamp, module: empty, again: this.#later(waited) };
    }
  }

  #later(waitedMs: number | undefined): Again {
    const waitMs =
      waitedMs === undefined ? (this.options.againMs ?? AGAIN_MS) : Math.min(2 * waitedMs, AGAIN_AT_MOST_MS);
    return { at: performance.now() + waitMs, waitMs };
  }
}

async function readFolder(folder: string, problems: Set<string>): Promise<readonly OwnFile[]> {
  try {
    return await ownFiles(folder);
  } catch (error) {
    problems.add(`${folder}: ${messageOf(error)}`);
    return [];
  }
}
