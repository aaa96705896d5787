/**
 * Hears of changes in a folder, whichever folder it is by then: tools that deploy make one later, move another into its place or set a link
 * on its way anew. So each folder on its way is watched for the next name alone. Nothing is polled.
 */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

export class WatchedFolder {
  /** From the root on, the folder itself last. */
  readonly #way: readonly string[];
  #watchers: readonly FSWatcher[] = [];

  constructor(
    folder: string,
    private readonly onChange: () => void,
  ) {
    this.#way = wayTo(folder);
    this.#watch();
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
  }

  /** From the root on: what is made meanwhile is heard of by the folder that it lies in. */
  #watch(): void {
    this.close();
    this.#watchers = this.#way.flatMap((folder, index) => this.#watchersOf(folder, this.#way[index + 1]));
  }

  /** None where there is no such folder, or it is not to be read: then that is what `ownFiles` says. */
  #watchersOf(folder: string, next: string | undefined): readonly FSWatcher[] {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (next !== undefined && name !== null && name !== basename(next)) return;
        if (next !== undefined) this.#watch();
        this.onChange();
      });
      watcher.on('error', () => {
        watcher.close();
      });
      return [watcher];
    } catch {
      return [];
    }
  }
}

function wayTo(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [...wayTo(above), folder];
}
