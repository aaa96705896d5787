/** Runs a program to its end and tells all that it said, its exit code and how long it took from start to end. */
import { spawn } from 'node:child_process';

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  /** -1: a signal ended it. */
  readonly code: number;
  readonly ms: number;
}

export interface RunOptions {
  /** The folder that it runs in. */
  readonly cwd?: string;
  /** Milliseconds until it is killed. */
  readonly timeoutMs?: number;
  /** What it reads from stdin; without it nothing is there to read. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Below the time of a test, so that a test that waits for nothing tells what the program said. */
const TIMEOUT_MS = 50_000;

/** @throws {Error} When it cannot be started. */
export function runProgram(file: string, words: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...words], {
      cwd: options.cwd,
      env: options.env === undefined ? process.env : { ...process.env, ...options.env },
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      timeout: options.timeoutMs ?? TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    const said = { stdout: '', stderr: '' };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
    child.stdin?.on('error', () => undefined).end(options.input);
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ ...said, code: code ?? -1, ms: performance.now() - began });
    });
  });
}
