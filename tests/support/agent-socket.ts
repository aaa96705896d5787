/** A long-lived client of a running agent's socket: what `natrium-call` does, without starting a process for each call. */
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { connectToSocket } from '@natrium/process';

export interface CallAnswer {
  readonly ret: unknown;
  readonly retcode: number;
  readonly success: boolean;
  readonly notes: readonly string[];
  readonly refusal?: { readonly code: string; readonly sentence: string };
}

export class AgentSocket {
  #waiting: { readonly resolve: (line: string) => void; readonly reject: (cause: Error) => void } | undefined;

  private constructor(private readonly socket: Socket) {
    const lines = createInterface({ input: socket });
    lines.on('line', (line) => {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      waiting?.resolve(line);
    });
    // It raises the socket's errors once more, as of an agent that is killed before it has read a call; the close that follows tells.
    lines.on('error', () => undefined);
    socket.on('close', () => this.#waiting?.reject(new Error('the agent closed its socket')));
  }

  static open(path: string): Promise<AgentSocket> {
    return new Promise((resolve, reject) => {
      const socket = connectToSocket(path, () => {
        resolve(new AgentSocket(socket));
      });
      socket.once('error', reject);
    });
  }

  /** One call at a time: answers carry no number. @throws {Error} When the agent went away. */
  async call(fun: string, ...args: readonly unknown[]): Promise<CallAnswer & { readonly ms: number }> {
    const began = performance.now();
    const line = await new Promise<string>((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.socket.write(`${JSON.stringify({ fun, args })}\n`);
    });
    return { ...(JSON.parse(line) as CallAnswer), ms: performance.now() - began };
  }

  /** What one returned. @throws {Error} When it did not succeed, with the whole answer, and when the agent went away. */
  async returned(fun: string, ...args: readonly unknown[]): Promise<unknown> {
    const { ms, ...answer } = await this.call(fun, ...args);
    if (!answer.success) throw new Error(`${fun} failed after ${ms.toFixed(0)} ms: ${JSON.stringify(answer)}`);
    return answer.ret;
  }

  close(): void {
    this.socket.destroy();
  }
}
