/**
 * Room for byte strings of one size that are kept for long and end at about the same time, many in one buffer. A buffer for each takes
 * three times what is in it; and spread over all that `malloc` holds, small buffers keep it from giving the rest back to the system.
 */

/** A buffer is held while any part of it is, by one that outlives the others too. */
const MOST = 32;

export class Slab {
  #free = new Uint8Array(0);
  /** Parts in the newest buffer: most processes have few peers, a gateway has thousands. */
  #parts = 2;

  /** @param size Bytes of each part. */
  constructor(private readonly size: number) {}

  /** Zero bytes that nobody else has. */
  take(): Uint8Array {
    if (this.#free.length === 0) {
      this.#parts = Math.min(this.#parts * 2, MOST);
      this.#free = new Uint8Array(this.#parts * this.size);
    }
    const part = this.#free.subarray(0, this.size);
    this.#free = this.#free.subarray(this.size);
    return part;
  }
}
