/** The place of a listener in a file, so that its next call begins with all that was missed since this one began. */
import { accessSync, constants, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;

export class KeptPlace {
  #cursor: string;

  /** @throws {Error} Of the file system, when the place cannot be read or kept there. */
  constructor(private readonly file: string) {
    this.#cursor = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    accessSync(dirname(file), constants.W_OK);
  }

  /** Empty while there is no file, or an empty one: a place that is still to come. */
  get cursor(): string {
    return this.#cursor;
  }

  /** Before the first event, too: what it would miss until one comes that it wants is after its place. */
  begin(cursor: string | undefined): void {
    if (this.#cursor === '' && cursor !== undefined) this.keep(cursor);
  }

  /** The file is whole at any moment; an event that was shown and not noted is shown again. */
  keep(cursor: string): void {
    if (cursor === '') return;
    writeFileSync(`${this.file}.new`, `${cursor}\n`, { mode: OWNER_ONLY });
    renameSync(`${this.file}.new`, this.file);
    this.#cursor = cursor;
  }
}
