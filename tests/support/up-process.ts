/**
 * `natriumctl up` (or another that goes on) as a process. It leaves nothing behind: it is ended by its number, and ends by itself when this process is
 * gone, even after a SIGKILL (`tools/lifeline.mjs`).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { inRoot, natsServer } from './places.js';

/** `up` itself gives up a minute after its last step, and says why. */
const READY_MS = 75_000;
const STOP_MS = 45_000;
const SHOWN_LINES = 20;

export class UpProcess {
  /** Everything that `up` and its children have said, line by line. */
  readonly lines: string[] = [];
  /** Resolves with the milliseconds from the start of `up` to its line `ready`. */
  readonly ready: Promise<number>;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;

  /**
   * @param natriumctl The file of the built command.
   * @param words What follows `up`.
   * @param subcommand Another one that says `ready` and goes on.
   */
  constructor(
    natriumctl: string,
    words: readonly string[],
    private readonly subcommand: 'up' | 'swarm' = 'up',
    env: Readonly<Record<string, string>> = {},
  ) {
    const began = performance.now();
    this.#child = spawn(
      process.execPath,
      ['--import', pathToFileURL(inRoot('tools/lifeline.mjs')).href, natriumctl, subcommand, ...words],
      {
        // A group of its own: what a terminal sends to this process is not for the cluster.
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, NATRIUM_NATS_SERVER: natsServer(), ...env },
      },
    );
    this.ended = new Promise((resolve) => {
      this.#child.once('exit', resolve);
    });
    this.ready = this.#waitForReady(began);
    this.ready.catch(() => undefined);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Ctrl-C, as in a terminal. @returns the exit code. */
  async stop(): Promise<number | null> {
    this.#child.kill('SIGINT');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS);
    const code = this.#child.pid === undefined ? null : await this.ended;
    clearTimeout(timer);
    return code;
  }

  #waitForReady(began: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const fail = (why: string) => {
        reject(new Error(`natriumctl ${this.subcommand} ${why}\n${this.lines.slice(-SHOWN_LINES).join('\n')}`));
      };
      const timer = setTimeout(fail, READY_MS, 'was not ready in time');
      for (const stream of [this.#child.stdout, this.#child.stderr]) {
        if (stream === null) continue;
        createInterface({ input: stream }).on('line', (line) => {
          this.lines.push(line);
          if (!line.startsWith('ready')) return;
          clearTimeout(timer);
          resolve(performance.now() - began);
        });
      }
      void this.ended.then((code) => {
        clearTimeout(timer);
        fail(`ended with ${String(code)}`);
      });
    });
  }
}
