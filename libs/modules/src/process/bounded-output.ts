/** Keeps the beginning of what a process prints and counts the rest: a flood costs time, never memory. */

/** One mebibyte for each stream; a return has to fit into messages. */
export const OUTPUT_LIMIT = 1024 * 1024;

export class BoundedOutput {
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #allBytes = 0;

  add(chunk: Buffer): void {
    this.#allBytes += chunk.length;
    const room = OUTPUT_LIMIT - this.#keptBytes;
    if (room <= 0) return;
    // A copy: a slice would keep the whole chunk in memory.
    const part = chunk.length <= room ? chunk : Buffer.from(chunk.subarray(0, room));
    this.#kept.push(part);
    this.#keptBytes += part.length;
  }

  /** Bytes that were printed, kept or not. */
  get size(): number {
    return this.#allBytes;
  }

  /** What was kept as UTF-8, with a mark at the end when that is not all. */
  text(): string {
    const text = Buffer.concat(this.#kept).toString('utf8');
    if (this.#allBytes <= OUTPUT_LIMIT) return text;
    return `${text}\n[output cut here: ${String(OUTPUT_LIMIT)} of ${String(this.#allBytes)} bytes]`;
  }
}
