/** Keeps what is sent while the broker is away, until it is back: a bounded amount, and nothing that is too old for anybody to wait for. */

/** As long as a write waits for its acknowledgement: a write that its sender has given up must not happen after all. */
const KEPT_MS = 5000;
const MOST_BYTES = 32 << 20;
/** What a message takes beside its payload, about. */
const OVERHEAD_BYTES = 256;

export class Unsent<T extends { readonly payload: Uint8Array }> {
  readonly #waiting: { readonly message: T; readonly atMs: number }[] = [];
  #bytes = 0;
  #dropped = 0;

  constructor(private readonly mostBytes = MOST_BYTES) {}

  /** How many were too old or too many. */
  get dropped(): number {
    return this.#dropped;
  }

  /** The oldest make room. */
  add(message: T, nowMs: number): void {
    this.#waiting.push({ message, atMs: nowMs });
    this.#bytes += sizeOf(message);
    this.#drop(nowMs);
  }

  /** In the order in which they were sent. */
  take(nowMs: number): readonly T[] {
    this.#drop(nowMs);
    this.#bytes = 0;
    return this.#waiting.splice(0).map(({ message }) => message);
  }

  #drop(nowMs: number): void {
    for (let [oldest] = this.#waiting; oldest !== undefined; [oldest] = this.#waiting) {
      if (oldest.atMs + KEPT_MS > nowMs && this.#bytes <= this.mostBytes) return;
      this.#waiting.shift();
      this.#bytes -= sizeOf(oldest.message);
      this.#dropped += 1;
    }
  }
}

function sizeOf({ payload }: { readonly payload: Uint8Array }): number {
  return payload.length + OVERHEAD_BYTES;
}
