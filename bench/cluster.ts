/** A real cluster by `natriumctl up`, in a folder of its own: broker, three services and three minions as processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { command, inRoot } from './places.js';

export const MINIONS = ['a', 'b', 'c'] as const;

const READY_MS = 60_000;
const STOP_MS = 15_000;
const SHOWN_LINES = 10;

/** The widest lists: what is measured is the way, not a refusal. */
const MASTER_FILE = `request_rate: 0
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
  readonly #up: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #lines: string[] = [];
  /** Resolves with the milliseconds from the start of `up` to its line `ready`. */
  readonly ready: Promise<number>;

  constructor(
    readonly folder: string,
    { master = MASTER_FILE, words = [] }: ClusterMore = {},
  ) {
    mkdirSync(dirname(folder), { recursive: true });
    const masterFile = `${folder}.master`;
    writeFileSync(masterFile, master);
    const began = performance.now();
    this.#up = spawn(
      process.execPath,
      [
        // `up` ends with this process, even after a SIGKILL.
        ...['--import', inRoot('tools/lifeline.mjs'), command('natriumctl'), 'up', '--state', folder],
        ...['--minions', MINIONS.join(','), '--master-config', masterFile],
        ...words,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'], detached: true },
    );
    this.#ended = new Promise((resolve) => {
      this.#up.once('error', () => {
        resolve();
      });
      this.#up.once('exit', () => {
        resolve();
      });
    });
    this.ready = this.#waitForReady(began);
    this.ready.catch(() => undefined);
  }

  get pid(): number {
    return this.#up.pid ?? 0;
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
    this.#up.kill('SIGTERM');
    const timer = setTimeout(() => this.#up.kill('SIGKILL'), STOP_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  #waitForReady(began: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const fail = (why: string) => {
        reject(new Error(`natriumctl up ${why}\n${this.#lines.slice(-SHOWN_LINES).join('\n')}`));
      };
      const timer = setTimeout(fail, READY_MS, 'was not ready in time');
      this.#onLine((line) => {
        this.#lines.push(line);
        if (!line.startsWith('ready')) return;
        clearTimeout(timer);
        resolve(performance.now() - began);
      });
      void this.#ended.then(() => {
        clearTimeout(timer);
        fail('ended');
      });
    });
  }

  #onLine(hear: (line: string) => void): void {
    for (const stream of [this.#up.stdout, this.#up.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', hear);
    }
  }
}
