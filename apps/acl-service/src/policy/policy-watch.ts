/** Loads the policy again when a file of the configuration changes, or on SIGHUP. */
import { existsSync } from 'node:fs';
import type { OnModuleDestroy } from '@nestjs/common';
import { FolderWatch } from '@natrium/config';
import type { Logger } from 'pino';
import type { Policies } from './policies.js';

export class PolicyWatch implements OnModuleDestroy {
  readonly #watch: FolderWatch;
  readonly #onSignal: () => void;

  constructor(policies: Policies, log: Logger) {
    this.#watch = new FolderWatch({
      folders: () => policies.folders.filter(({ path }) => existsSync(path)),
      read: () => {
        policies.reload();
      },
      onFault: (folder, error) => {
        log.error({ err: error, folder }, 'a folder of the configuration is not watched; SIGHUP still works');
      },
    });
    this.#onSignal = () => {
      log.info('SIGHUP: loading the policy again');
      this.#watch.readNow();
    };
    process.on('SIGHUP', this.#onSignal);
    // What changed between the start's reading and the first watch.
    this.#watch.readNow();
  }

  onModuleDestroy(): void {
    process.off('SIGHUP', this.#onSignal);
    this.#watch.close();
  }
}
