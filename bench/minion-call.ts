/** Calls through a running agent's socket: what `natrium-call` does, without starting a process for each. */
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { connectToSocket } from '@natrium/process';

interface Answer {
  readonly ret: unknown;
  readonly success: boolean;
}

export class MinionCall {
  readonly #waiting: { readonly resolve: (line: string) => void; readonly reject: (cause: Error) => void }[] = [];

  private constructor(private readonly socket: Socket) {
    createInterface({ input: socket }).on('line', (line) => this.#waiting.shift()?.resolve(line));
    socket.on('close', () => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error('the agent closed its socket'));
    });
  }

  static open(path: string): Promise<MinionCall> {
    return new Promise((resolve, reject) => {
      const socket = connectToSocket(path, () => {
        resolve(new MinionCall(socket));
      });
      socket.once('error', reject);
    });
  }

  /** @throws {Error} When the call did not succeed, with the whole answer. */
  async call(fun: string, args: readonly unknown[]): Promise<unknown> {
    const line = await new Promise<string>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.socket.write(`${JSON.stringify({ fun, args })}\n`);
    });
    const { ret, success } = JSON.parse(line) as Answer;
    if (!success) throw new Error(`${fun} failed: ${line}`);
    return ret;
  }

  close(): void {
    this.socket.destroy();
  }
}
