/** One end of an event bus's JSON socket, as lean as a script in any language would have it. */
import type { Socket } from 'node:net';
import { connectToSocket } from '@natrium/process';

export interface HeardLine {
  readonly tag: string;
  readonly data: {
    readonly n?: number;
    readonly at?: number;
    readonly data?: { readonly n?: number; readonly at?: number };
  };
}

export class EventSocket {
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  readonly heard: HeardLine[] = [];
  /** Milliseconds at which each was heard. */
  readonly at: number[] = [];
  acked = 0;
  #rest = '';

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n');
      this.#rest = lines.pop() ?? '';
      const now = performance.now();
      for (const line of lines) this.#take(JSON.parse(line) as HeardLine & { readonly fired?: boolean }, now);
      for (const waiting of this.#waiting) if (this.#count >= waiting.count) waiting.resolve();
    });
    socket.on('error', () => socket.destroy());
  }

  static open(path: string): Promise<EventSocket> {
    return new Promise((resolve, reject) => {
      const socket = connectToSocket(path, () => {
        resolve(new EventSocket(socket));
      });
      socket.once('error', reject);
    });
  }

  /** @param limit Events that may wait for it. */
  async subscribe(tag: string, limit = 100_000): Promise<void> {
    this.socket.write(`${JSON.stringify({ subscribe: tag, limit })}\n`);
    await new Promise((resolve) => this.socket.once('data', resolve));
  }

  /** Reads nothing any more, and does not hang up. */
  stick(): void {
    this.socket.pause();
  }

  write(line: object): boolean {
    return this.socket.write(`${JSON.stringify(line)}\n`);
  }

  drained(): Promise<void> {
    return new Promise((resolve) => this.socket.once('drain', resolve));
  }

  /** Resolves when so many events were heard, or fires acknowledged. @throws {Error} When that takes longer than `limitMs`. */
  reached(count: number, limitMs: number): Promise<void> {
    if (this.#count >= count) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`${String(this.#count)} of ${String(count)} events came in ${String(limitMs)} ms`));
      }, limitMs);
      this.#waiting.push({
        count,
        resolve: () => {
          clearTimeout(timer);
          resolve();
        },
      });
    });
  }

  close(): void {
    this.socket.destroy();
  }

  get #count(): number {
    return Math.max(this.heard.length, this.acked);
  }

  #take(
    line: HeardLine & { readonly fired?: boolean; readonly error?: string; readonly subscribed?: boolean },
    now: number,
  ): void {
    if (line.error !== undefined) throw new Error(line.error);
    if (line.fired === true) this.acked += 1;
    else if (line.subscribed !== true) {
      this.heard.push(line);
      this.at.push(now);
    }
  }
}
