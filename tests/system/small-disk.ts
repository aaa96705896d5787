/** A disk of its own for one folder, small enough to be filled. Needs root. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const PIECE = Buffer.alloc(4096);

export class SmallDisk {
  private constructor(readonly folder: string) {}

  static mount(folder: string, kibibytes = 512): SmallDisk {
    mkdirSync(folder, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${String(kibibytes)}k,mode=0755`, 'tmpfs', folder]);
    return new SmallDisk(folder);
  }

  /** Until it takes nothing more, or so many KiB more. What is in files may still grow to the end of their last pages. */
  fill(but = 0): void {
    const file = openSync(this.#filler, 'a');
    try {
      for (;;) writeSync(file, PIECE);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
    if (but > 0) truncateSync(this.#filler, statSync(this.#filler).size - but * 1024);
  }

  free(): void {
    rmSync(this.#filler, { force: true });
  }

  readOnly(is: boolean): void {
    execFileSync('mount', ['-o', `remount,${is ? 'ro' : 'rw'}`, this.folder]);
  }

  unmount(): void {
    execFileSync('umount', ['-l', this.folder]);
  }

  get #filler(): string {
    return join(this.folder, 'filler');
  }
}
