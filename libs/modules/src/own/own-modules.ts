/**
 * The user's own modules: the files of some folders, loaded anew when one changes.
 *
 * A module takes the place of a built-in one of its name, whole. A file that cannot be loaded leaves an *empty* module of
 * its name: what it replaced does not come back by a slip, only when the file is taken away.
 *
 * How to write one: docs/modules.md.
 */
import { type FSWatcher, watch } from 'node:fs';
import type { Module } from '../loader/declaration.js';
import type { BaseContext } from '../loader/registry.js';
import { guestModule, type GuestOptions } from './guest-module.js';
import { type Host, type OwnFile, ownFiles, programOf } from './own-file.js';

export interface OwnModulesOptions<C> extends GuestOptions<C> {
  /** An earlier folder wins where two have a module of one name. */
  readonly folders: readonly string[];
  /** Loads only the module of this name; all of them where it is absent. */
  readonly only?: string | undefined;
  /** The program that loads a JavaScript file. */
  readonly hostPath: string;
  /** Hears each problem once, as `file: reason`, until the file changes. */
  onProblem(sentence: string): void;
}

interface Loaded<C> {
  readonly stamp: string;
  readonly module: Module<C>;
}

/** An editor writes a file in several steps. */
const QUIET_MS = 150;

export class OwnModules<C extends BaseContext> {
  #loaded = new Map<string, Loaded<C>>();
  #told = new Set<string>();
  #scan: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  readonly #watchers: FSWatcher[] = [];

  constructor(private readonly options: OwnModulesOptions<C>) {}

  /** What is loaded now, by name. */
  get modules(): readonly Module<C>[] {
    return [...this.#loaded.values()].map(({ module }) => module);
  }

  /** Reads the folders; only files that changed are asked again what they are. */
  load(): Promise<void> {
    return (this.#scan = this.#scan.then(() => this.#read()));
  }

  /** Loads, and loads again whenever a folder changes; `onChange` hears of each time. */
  async watch(onChange: () => void): Promise<void> {
    for (const folder of this.options.folders) this.#watchFolder(folder, onChange);
    await this.load();
    onChange();
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.close();
  }

  #watchFolder(folder: string, onChange: () => void): void {
    const onEvent = (): void => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.load().then(onChange), QUIET_MS);
    };
    try {
      const watcher = watch(folder, { persistent: false }, onEvent);
      watcher.on('error', () => {
        watcher.close();
      });
      this.#watchers.push(watcher);
    } catch {
      // `load` says what is wrong with the folder.
    }
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
    const { only } = this.options;
    const wanted = [...files.values()].filter(({ name }) => only === undefined || name === only);
    const loaded = await Promise.all(wanted.map((file) => this.#one(file, problems)));
    this.#loaded = new Map(loaded.map((one) => [one.module.name, one]));
    for (const problem of problems) if (!this.#told.has(problem)) this.options.onProblem(problem);
    this.#told = problems;
  }

  async #one(file: OwnFile, problems: Set<string>): Promise<Loaded<C>> {
    const stamp = `${file.path} ${file.stamp}`;
    const before = this.#loaded.get(file.name);
    if (before?.stamp === stamp) {
      for (const told of this.#told) if (told.startsWith(`${file.path}: `)) problems.add(told);
      return before;
    }
    const empty = { name: file.name, functions: {} };
    try {
      if (file.fault !== undefined) throw new Error(file.fault);
      const host: Host = { path: this.options.hostPath, memoryMib: this.options.limits.memoryMib };
      return { stamp, module: await guestModule(file.name, programOf(file, host), this.options) };
    } catch (error) {
      problems.add(`${file.path}: ${error instanceof Error ? error.message : String(error)}`);
      return { stamp, module: empty };
    }
  }
}

async function readFolder(folder: string, problems: Set<string>): Promise<readonly OwnFile[]> {
  try {
    return await ownFiles(folder);
  } catch (error) {
    problems.add(`${folder}: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}
