/** A process of the drill: its supervisor starts it again whenever it ends, until the drill is over. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

export interface ProgramOptions {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Where its lines go. */
  readonly log: string;
  /** It knows nothing of supervision: a shell ends it with the drill, and names its number. */
  readonly guarded: boolean;
}

const AGAIN_MS = 200;
const GUARD =
  'exec 3<&0; "$@" 3<&- </dev/null >&2 & c=$!; echo $c; (cat <&3 >/dev/null; kill -9 $c 2>/dev/null) & wait $c';

export class Program {
  #child: ChildProcess | undefined;
  #pid = 0;
  #over = false;
  #isReady: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  starts = 0;
  /** It is stopped or cut off. One that was killed may be hurt again before it is back. */
  isFaulted = false;

  constructor(readonly options: ProgramOptions) {}

  get name(): string {
    return this.options.name;
  }

  /** Resolves when it says that it is ready, or has its number, at whichever try. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      this.#isReady = resolve;
      this.#spawn();
    });
  }

  #spawn(): void {
    const { file, args, cwd, log, guarded } = this.options;
    const output = openSync(log, 'a');
    const child = guarded
      ? spawn('/bin/sh', ['-c', GUARD, 'sh', file, ...args], { cwd, detached: true, stdio: ['pipe', 'pipe', output] })
      : spawn(file, [...args], {
          cwd,
          detached: true,
          stdio: ['pipe', output, output, 'ipc'],
          env: { ...process.env, NATRIUM_SUPERVISED: '1' },
        });
    closeSync(output);
    this.starts += 1;
    this.#child = child;
    this.#pid = child.pid ?? 0;
    child.stdin?.on('error', () => undefined);
    child.once('exit', () => {
      child.stdin?.destroy();
      if (!this.#over)
        this.#timer = setTimeout(() => {
          this.#spawn();
        }, AGAIN_MS);
    });
    if (guarded)
      child.stdout?.once('data', (line: Buffer) => {
        this.#pid = Number(line.toString());
        this.#isReady();
      });
    else
      child.once('message', () => {
        child.disconnect();
        this.#isReady();
      });
  }

  signal(signal: NodeJS.Signals): void {
    try {
      process.kill(this.#pid, signal);
    } catch {
      // It has ended by itself.
    }
  }

  /** For good. */
  async end(): Promise<void> {
    this.#over = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    this.signal('SIGKILL');
    await ended;
  }
}
