/**
 * Runs one program to its end: its own process group, bounded output, a time limit.
 *
 * Whatever ends the waiting ends the whole group, so that nothing is left behind. Nothing here knows a shell.
 */
import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { constants } from 'node:os';
import { BoundedOutput } from './bounded-output.js';

/** Hears of the process groups that a call starts, so that a job can be sent a signal. */
export interface ProcessPort {
  began(group: number): void;
  ended(group: number): void;
}

export interface ProcessAsk {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Both streams into one, in the order in which they were written. */
  readonly merged: boolean;
  readonly account?: Account | undefined;
  /** Permission bits that files made by it do not get. */
  readonly umask?: number | undefined;
  /** Cut to 24 days, the longest that Node's timers can wait: a larger number would end it at once. */
  readonly timeoutMs?: number;
  /** What prints more than this to one stream is ended; without it the rest is counted and dropped. */
  readonly endAfterBytes?: number;
  /** The program gets a further pipe, descriptor 3: it ends when the program has, or this process, however it dies. */
  readonly lifeline?: boolean;
  readonly signal: AbortSignal;
  readonly processes?: ProcessPort | undefined;
}

/** The process is in this group alone: Node gives it no supplementary groups. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface ProcessResult {
  readonly pid: number;
  readonly retcode: number;
  /** The signal that ended it. */
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly flooded: boolean;
}

const LONGEST_MS = 2 ** 31 - 1;

/** @throws {Error} What the system said when the program could not be started. */
export async function runProcess(ask: ProcessAsk): Promise<ProcessResult> {
  const child = start(ask);
  const ending = endingWith(child, ask);
  const [stdout, stderr] = [new BoundedOutput(), new BoundedOutput()];
  const keep = (output: BoundedOutput, chunk: Buffer): void => {
    output.add(chunk);
    if (output.size > (ask.endAfterBytes ?? Infinity)) ending.stop('flooded');
  };
  child.stdout?.on('data', (chunk: Buffer) => {
    keep(stdout, chunk);
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    keep(stderr, chunk);
  });
  const lifeline = lifelineOf(child);
  lifeline?.on('error', () => undefined);
  child.once('exit', () => lifeline?.destroy());
  // A program that does not read its input closes the pipe; that is no failure.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(ask.stdin);
  const { retcode, signal } = await ending.exit;
  const why = ending.why();
  return {
    pid: child.pid ?? 0,
    retcode,
    signal,
    stdout: stdout.text(),
    stderr: stderr.text(),
    timedOut: why === 'late',
    flooded: why === 'flooded',
  };
}

/**
 * Starts one that nobody waits for: it outlives whatever asked for it, its input is empty, and what it prints is lost.
 *
 * @returns Its process id. @throws {Error} What the system said when it could not be started.
 */
export async function startProcess(ask: ProcessAsk): Promise<number> {
  ask.signal.throwIfAborted();
  const child = spawned(ask, 'ignore');
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  child.unref();
  return child.pid ?? 0;
}

function start(ask: ProcessAsk): ChildProcess {
  return spawned(ask, ['pipe', 'pipe', 'pipe', ...(ask.lifeline === true ? (['pipe'] as const) : [])]);
}

function spawned(ask: ProcessAsk, stdio: StdioOptions): ChildProcess {
  const { cwd, env, account } = ask;
  const [program, ...rest] = wordsOf(ask);
  return spawn(program, rest, { cwd, env: { ...env }, detached: true, stdio, ...(account ?? {}) });
}

/** Only a shell redirects one stream into another; its program is fixed, and the words are its arguments, never its text. */
function wordsOf({ file, args, merged, umask }: ProcessAsk): readonly [string, ...string[]] {
  if (!merged && umask === undefined) return [file, ...args];
  const mask = umask === undefined ? '' : `umask ${umask.toString(8)}; `;
  return ['/bin/sh', '-c', `${mask}exec "$@"${merged ? ' 2>&1' : ''}`, 'sh', file, ...args];
}

/** Undefined when this process is out of descriptors: Node then makes no streams, and emits `error` in the next turn. */
function lifelineOf({ stdio }: { readonly stdio?: ChildProcess['stdio'] }) {
  return stdio?.[3];
}

type Why = 'late' | 'flooded' | 'aborted';

interface Exit {
  readonly retcode: number;
  readonly signal: NodeJS.Signals | null;
}

interface Ending {
  readonly exit: Promise<Exit>;
  stop(why: Why): void;
  /** The first reason to stop it; undefined when it ended by itself. */
  why(): Why | undefined;
}

function endingWith(child: ChildProcess, { timeoutMs, signal, processes }: ProcessAsk): Ending {
  let first: Why | undefined;
  const stop = (why: Why): void => {
    first ??= why;
    killGroup(child);
    // A descendant that left the group may hold the pipes open: nobody reads them any more.
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  const onAbort = (): void => {
    stop('aborted');
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(stop, Math.min(timeoutMs, LONGEST_MS), 'late');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const { pid } = child;
  if (pid !== undefined) processes?.began(pid);
  const exit = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, name) => {
      resolve({ retcode: retcodeOf(code, name), signal: name });
    });
  }).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    if (pid !== undefined) processes?.ended(pid);
  });
  return { exit, stop, why: () => first };
}

/** As Python has it: a process ended by signal 9 has the retcode -9. */
function retcodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  if (code !== null) return code;
  return signal === null ? -1 : -constants.signals[signal];
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has ended by itself.
  }
}
