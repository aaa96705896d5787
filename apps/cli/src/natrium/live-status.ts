/**
 * Keeps the live line at the bottom of the terminal while a job runs: taken away before anything is printed.
 *
 * Quick jobs never show it: it is first drawn after a quarter of a second. On anything but a terminal it does nothing.
 */
import type { Io } from '../ports.js';
import { liveLine } from './live-line.js';
import type { Missing } from './missing.js';

const EVERY_MS = 250;
const ERASE = '\r\u001b[K';

export class LiveStatus {
  readonly #io: Io;
  readonly #progress: boolean;
  readonly #waiting = new Set<string>();
  #known: readonly Missing[] = [];
  #asked = 0;
  #since = 0;
  #drawn = false;
  #stop = (): void => undefined;

  /** @param progress Show a bar too, also where results go into a file. */
  constructor(io: Io, progress = false) {
    this.#io = io;
    this.#progress = progress;
  }

  started(minions: readonly string[], unknown: readonly Missing[]): void {
    if (!this.#io.errIsTty || !(this.#io.outIsTty || this.#progress)) return;
    for (const id of minions) this.#waiting.add(id);
    this.#known = unknown;
    this.#asked = minions.length + unknown.length;
    this.#since = this.#io.now();
    this.#stop = this.#io.every(EVERY_MS, () => this.#draw());
  }

  /** Call before the return is printed. */
  returned(id: string): void {
    this.#waiting.delete(id);
    this.erase();
  }

  ended(): void {
    this.#stop();
    this.erase();
  }

  erase(): void {
    if (this.#drawn) this.#io.err(ERASE);
    this.#drawn = false;
  }

  #draw(): void {
    const running = [...this.#waiting].map((id): Missing => ({ id, why: 'running' }));
    const seconds = Math.floor((this.#io.now() - this.#since) / 1000);
    const missing = [...this.#known, ...running];
    const line = liveLine(
      { asked: this.#asked, returned: this.#asked - missing.length, missing, seconds, bar: this.#progress },
      this.#io.columns - 1,
    );
    this.#io.err(`${ERASE}${line}`);
    this.#drawn = true;
  }
}
