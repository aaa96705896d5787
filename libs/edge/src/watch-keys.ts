/**
 * The folders of keys that a service reads, again whenever something in them has changed: new keys seal, deleted ones are
 * forgotten, and what a store's follower could not read before is read again, without a restart.
 */
import { existsSync } from 'node:fs';
import { SealedStore, type Store } from '@natrium/bus';
import { FolderWatch } from '@natrium/config';
import type { MasterKeys, StorageClass, StorageFolder } from '@natrium/keystore';
import type { Logger } from 'pino';

const AGAIN_MS = 10_000;

export class WatchedKeys {
  readonly #watches: FolderWatch[] = [];
  readonly #storage = new Map<StorageClass, StorageFolder>();
  readonly #stores: SealedStore[] = [];
  #again: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    private readonly keys: MasterKeys,
    private readonly log: Logger,
  ) {}

  /** Those that are in use. */
  get folders(): ReadonlyMap<StorageClass, StorageFolder> {
    return this.#storage;
  }

  storage(storageClass: StorageClass): StorageFolder {
    const known = this.#storage.get(storageClass);
    if (known !== undefined) return known;
    const keys = this.keys.storageKeys(storageClass);
    this.#storage.set(storageClass, keys);
    this.watch(keys.folder, () => {
      keys.reload();
      this.readMissed();
    });
    return keys;
  }

  sealed(raw: Store, storageClass: StorageClass): Store {
    const store = new SealedStore(raw, this.storage(storageClass), (error) => {
      this.log.error({ err: error }, 'a stored value was left out');
    });
    this.#stores.push(store);
    return store;
  }

  /** Called when keys of any kind have come: values that could not be read or believed before may be readable now. */
  readMissed(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#again);
    Promise.all(this.#stores.map((store) => store.readMissed())).catch((error: unknown) => {
      this.log.error({ err: error }, 'stored values that were left out could not be read again; trying on');
      this.#again = setTimeout(() => {
        this.readMissed();
      }, AGAIN_MS).unref();
    });
  }

  /** Reads now, and again with each change; what cannot be read leaves everything as it was. */
  watch(folder: string, read: () => void): void {
    const { log } = this;
    const watch = new FolderWatch({
      folders: () => (existsSync(folder) ? [{ path: folder }] : []),
      read: () => {
        try {
          read();
        } catch (error) {
          log.error({ err: error }, 'keys that have changed cannot be read; those from before stay');
        }
      },
      onFault: (path, error) => {
        log.error({ err: error, folder: path }, 'a folder of keys cannot be watched; a restart reads it');
      },
    });
    this.#watches.push(watch);
    watch.readNow();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#again);
    for (const watch of this.#watches) watch.close();
  }
}
