/**
 * A child process of `natriumctl up`: it says when it is ready, its lines carry its name, and it never outlives this
 * process, not even after a SIGKILL: each child holds the other end of a pipe, and ends when that closes.
 */
import { type ChildProcess, type Serializable, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface Program {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Says `{ready: true}` over the IPC channel; others are ready when they have started. */
  readonly saysReady: boolean;
  /** It goes on talking over that channel, which ends it when this process does. */
  readonly onMessage?: (message: unknown) => void;
}

const STOP_MS = 5000;

/** Node 20 would read what `NODE_EXTRA_CA_CERTS` names at each start; ours read it when they need it (tools/start-program.cjs). */
function authoritiesAside({ NODE_EXTRA_CA_CERTS: file, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return file === undefined ? env : { ...env, NATRIUM_EXTRA_CA_CERTS: file };
}

export class Child {
  readonly #process: ChildProcess;
  readonly ready: Promise<void>;
  readonly ended: Promise<string>;
  #stopping = false;
  #hasEnded = false;

  constructor(
    readonly program: Program,
    onLine: (line: string) => void,
  ) {
    const { file, args, env, saysReady, onMessage } = program;
    const hasChannel = saysReady || onMessage !== undefined;
    this.#process = spawn(file, [...args], {
      // A group of its own: Ctrl-C in the terminal is for `up`, which then stops its children in order.
      detached: true,
      stdio: hasChannel ? ['pipe', 'pipe', 'pipe', 'ipc'] : ['pipe', 'pipe', 'pipe'],
      env: { ...authoritiesAside(process.env), ...env, NATRIUM_SUPERVISED: '1' },
    });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', onLine);
    }
    this.#process.stdin?.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      this.#process.once('error', (error) => {
        resolve(error.message);
      });
      this.#process.once('exit', (code, signal) => {
        resolve(signal ?? `exit status ${String(code)}`);
      });
    });
    void this.ended.then(() => {
      this.#hasEnded = true;
    });
    if (onMessage !== undefined) this.#process.on('message', onMessage);
    this.ready = saysReady ? this.#waitForReady() : Promise.resolve();
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Over the channel; nothing when it has ended. */
  send(message: Serializable): void {
    if (this.#process.connected) this.#process.send(message);
  }

  /** Asks it to end cleanly; kills it when it doesn't. */
  async stop(): Promise<void> {
    this.#stopping = true;
    // Told so, ours do not wait for what runs; a guard's shell would ignore it.
    this.#process.kill(this.program.saysReady ? 'SIGINT' : 'SIGTERM');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), STOP_MS);
    await this.ended;
    clearTimeout(timer);
  }

  #waitForReady(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#process.once('message', () => {
        this.#process.disconnect();
        resolve();
      });
      void this.ended.then((how) => {
        reject(new Error(`${this.program.name} ended before it was ready: ${how}`));
      });
    });
  }
}

/**
 * Runs a program that knows nothing of supervision so that it ends with this process: a shell that holds the pipe and
 * passes the program's words on as they are.
 */
export function guarded(name: string, file: string, args: readonly string[]): Program {
  const script =
    'exec 3<&0; "$@" 3<&- </dev/null & c=$!; trap "kill $c 2>/dev/null" TERM; (cat <&3 >/dev/null; kill "$c" 2>/dev/null) & wait "$c"; wait "$c" 2>/dev/null';
  return { name, file: '/bin/sh', args: ['-c', script, name, file, ...args], saysReady: false };
}
