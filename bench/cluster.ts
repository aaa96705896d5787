/** A real cluster by `natriumctl up`, in a folder of its own: broker, three services and three minions as processes. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UpProcess } from '../tests/support/up-process.js';
import { command } from './places.js';

export const MINIONS = ['a', 'b', 'c'] as const;

/** The widest lists: what is measured is the way, not a refusal. */
export const MASTER_FILE = `request_rate: 0
peer:
  .*:
    - .*
peer_run:
  .*:
    - .*
`;

export interface ClusterMore {
  /** The text of the master file. */
  readonly master?: string;
  /** Further words for `up`. */
  readonly words?: readonly string[];
}

export class Cluster {
  readonly #up: UpProcess;

  constructor(
    readonly folder: string,
    { master = MASTER_FILE, words = [] }: ClusterMore = {},
  ) {
    mkdirSync(dirname(folder), { recursive: true });
    const masterFile = `${folder}.master`;
    writeFileSync(masterFile, master);
    this.#up = new UpProcess(command('natriumctl'), [
      ...['--state', folder, '--minions', MINIONS.join(','), '--master-config', masterFile],
      ...words,
    ]);
  }

  get pid(): number {
    return this.#up.pid;
  }

  /** Resolves with the milliseconds from the start of `up` to its line `ready`. */
  get ready(): Promise<number> {
    return this.#up.ready;
  }

  get brokerUrl(): string {
    return `nats://127.0.0.1:${readFileSync(join(this.folder, 'broker', 'port'), 'utf8').trim()}`;
  }

  get master(): string {
    return join(this.folder, 'master');
  }

  minion(id: string): string {
    return join(this.folder, 'minions', id);
  }

  socket(id: string): string {
    return join(this.minion(id), 'run', 'minion.sock');
  }

  async stop(): Promise<void> {
    await this.#up.stop();
  }
}
