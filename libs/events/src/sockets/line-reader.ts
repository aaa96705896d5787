/**
 * The lines of a connection, which end at a line feed and nowhere else: from Node 24 on `node:readline` ends them at U+2028 and
 * U+2029 as well, and JSON may hold both within a text.
 */
import { StringDecoder } from 'node:string_decoder';

export class LineReader {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  /** Characters of the line that has not ended yet. */
  get waiting(): number {
    return this.#rest.length;
  }

  /** @returns The lines that end in this chunk. */
  take(chunk: Buffer): readonly string[] {
    const [first = '', ...more] = this.#decoder.write(chunk).split('\n');
    const lines = [this.#rest + first, ...more];
    this.#rest = lines.pop() ?? '';
    return lines;
  }
}
