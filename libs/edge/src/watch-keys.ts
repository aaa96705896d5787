/** Reads a folder of keys again when something in it has changed: new keys seal, and deleted ones are forgotten, without a restart. */
import { existsSync } from 'node:fs';
import { FolderWatch } from '@natrium/config';
import type { Logger } from 'pino';

export function watchKeys(folder: string, read: () => void, log: Logger): FolderWatch {
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
  watch.readNow();
  return watch;
}
