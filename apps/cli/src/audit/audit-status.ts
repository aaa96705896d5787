/** The line that says how far reading a long audit is: on a terminal, after a quarter of a second, gone before anything is printed. */
import type { Io } from '../ports.js';

const EVERY_MS = 250;
const ERASE = '\r\u001b[K';

export class AuditStatus {
  #read = 0;
  #drawn = false;
  readonly #stop: () => void;

  constructor(private readonly io: Pick<Io, 'err' | 'errIsTty' | 'columns' | 'every'>) {
    this.#stop = io.errIsTty
      ? io.every(EVERY_MS, () => this.#draw(`${String(this.#read)} records read`))
      : () => undefined;
  }

  read(records: number): void {
    this.#read += records;
  }

  /** No more is read; what follows keeps this process busy. Says so where reading took long already. */
  verifies(): void {
    this.#stop();
    if (this.#drawn) this.#draw(`verifying ${String(this.#read)} records`);
  }

  ended(): void {
    this.#stop();
    if (this.#drawn) this.io.err(ERASE);
    this.#drawn = false;
  }

  #draw(line: string): void {
    this.io.err(`${ERASE}${line.slice(0, this.io.columns - 1)}`);
    this.#drawn = true;
  }
}
