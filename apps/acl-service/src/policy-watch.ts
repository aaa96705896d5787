/** Loads the policy again when a file of the configuration changes, or on SIGHUP. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OnModuleDestroy } from '@nestjs/common';
import { FolderWatch, type WatchedFolder } from '@natrium/config';
import type { Logger } from 'pino';
import type { Policies } from './policies.js';

export class PolicyWatch implements OnModuleDestroy {
  readonly #watch: FolderWatch;
  readonly #onSignal: () => void;

  constructor(policies: Policies, log: Logger) {
    this.#watch = new FolderWatch({
      folders: () => foldersOf(policies),
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

/** The parent of a folder that is not there tells when it comes. */
function foldersOf({ configDir, files }: Policies): readonly WatchedFolder[] {
  const folders = new Set([configDir, join(configDir, 'master.d'), ...files.map((file) => dirname(file))]);
  return [...folders].filter((folder) => existsSync(folder)).map((path) => ({ path }));
}
