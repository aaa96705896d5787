/** Computes pillar again when something below `pillar_roots` changes. Minions get the new one with their next exchange. */
import type { OnModuleDestroy } from '@nestjs/common';
import { FolderWatch } from '@natrium/config';
import type { Logger } from 'pino';
import type { PillarSource } from './pillar-source.js';

export class PillarWatch implements OnModuleDestroy {
  readonly #watch: FolderWatch;

  constructor(pillars: PillarSource, log: Logger) {
    this.#watch = new FolderWatch({
      folders: () => pillars.folders(),
      read: () => {
        try {
          pillars.reload();
          log.info({ revision: pillars.revision }, 'pillar files were read');
        } catch (error) {
          log.error({ err: error }, 'pillar files could not be read; what was read before counts');
        }
      },
      onFault: (folder, error) => {
        log.error({ err: error, folder }, 'a folder of pillar files is not watched; SIGHUP still works');
      },
    });
    this.#watch.readNow();
  }

  onModuleDestroy(): void {
    this.#watch.close();
  }

  /** The configuration was read again: other roots may count now. */
  readSoon(): void {
    this.#watch.readSoon();
  }
}
