/**
 * Tells when files in some folders have changed. Folders are watched, not files: editors and configuration tools replace
 * files, and a new one counts as well. Each event begins a short wait, so that what is written together is read once;
 * nothing is polled.
 */
import { type FSWatcher, watch } from 'node:fs';

export interface WatchedFolder {
  readonly path: string;
  /** Only this name in it; all of them where it is absent. */
  readonly only?: string | undefined;
}

export interface FolderWatchOptions {
  /** What to watch now; asked again at each change, and a folder that is not there is left out by it. */
  folders(): readonly WatchedFolder[];
  /** Reads what the folders hold. It must not throw. */
  read(): void;
  /** A folder that is not watched (any more), and why. */
  onFault(folder: string, cause: unknown): void;
}

/** Quiet for so long, and the change is taken as whole. */
const QUIET_MS = 50;
/** With events that never end: no later than this after the first. */
const LATEST_MS = 500;

export class FolderWatch {
  #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;
  #firstEvent = 0;

  constructor(private readonly options: FolderWatchOptions) {}

  /**
   * Reads now. A folder may have been replaced by another of the same name, so all are watched anew before; those that
   * nobody watched yet may have changed between being read and being watched, and are read again.
   */
  readNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#arm();
    this.options.read();
    if (this.#arm()) this.options.read();
  }

  /** Reads when it has been quiet for a while. */
  readSoon(): void {
    const now = performance.now();
    if (this.#timer === undefined) this.#firstEvent = now;
    clearTimeout(this.#timer);
    const left = Math.max(0, this.#firstEvent + LATEST_MS - now);
    this.#timer = setTimeout(
      () => {
        this.readNow();
      },
      Math.min(QUIET_MS, left),
    );
  }

  close(): void {
    clearTimeout(this.#timer);
    closeAll(this.#watchers);
    this.#watchers.clear();
  }

  /** @returns Whether one is among them that was not watched. */
  #arm(): boolean {
    const before = this.#watchers;
    this.#watchers = new Map();
    for (const folder of this.options.folders()) this.#watchFolder(folder);
    closeAll(before);
    return [...this.#watchers.keys()].some((key) => !before.has(key));
  }

  #watchFolder({ path, only }: WatchedFolder): void {
    const key = `${path}\n${only ?? ''}`;
    if (this.#watchers.has(key)) return;
    try {
      const watcher = watch(path, { persistent: false }, (_, name) => {
        if (only === undefined || name === null || name === only) this.readSoon();
      });
      watcher.on('error', (error) => {
        this.options.onFault(path, error);
      });
      this.#watchers.set(key, watcher);
    } catch (error) {
      this.options.onFault(path, error);
    }
  }
}

function closeAll(watchers: ReadonlyMap<string, FSWatcher>): void {
  for (const watcher of watchers.values()) watcher.close();
}
