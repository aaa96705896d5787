/**
 * Runs a program of the user once, as a process of its own with limits of time, memory and output: whatever it does, this
 * process hears a value or one sentence.
 *
 * One JSON text goes in by stdin, one comes out by stdout. A module of JavaScript is the same: the program is Node then.
 */
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { messageOf, readJson, type Value } from '@natrium/model';
import { OUTPUT_LIMIT } from '../process/bounded-output.js';
import { type ProcessPort, type ProcessResult, runProcess } from '../process/run-process.js';

export interface Limits {
  readonly seconds: number;
  readonly memoryMib: number;
}

/** The file and how it is started: by itself, or by Node and the entry that loads it. */
export interface Program {
  readonly file: string;
  readonly words: readonly string[];
  /** MiB of addresses that whoever runs it sets aside and does not use: the kernel counts them as data. */
  readonly asideMib?: number;
}

export interface GuestAsk {
  readonly args: readonly string[];
  readonly stdin: string;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly processes?: ProcessPort | undefined;
}

/** Why there is no value. */
export class GuestEnded extends Error {
  override readonly name = 'GuestEnded';

  /** @param mayPass It says more of this host at that time than of the program. */
  constructor(
    message: string,
    readonly mayPass = false,
  ) {
    super(message);
  }
}

/** What it inherits from this process: no configuration, no secrets. */
const INHERITED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];
const STDERR_SHOWN = 500;

/** @throws {GuestEnded} */
export async function runGuest(program: Program, ask: GuestAsk): Promise<Value> {
  const result = await started(program, ask);
  const why = whyEnded(result, ask.limits);
  if (why !== undefined) throw new GuestEnded(why, result.timedOut);
  try {
    return readJson(result.stdout, `${randomUUID()}:`);
  } catch (error) {
    throw new GuestEnded(`did not answer with JSON (${String(error)})${lastWords(result)}`);
  }
}

/**
 * A shell sets the memory limit and is then replaced by the program; its text is fixed, the words are its arguments. Its
 * other half waits in the same group for the end of descriptor 3, which also comes when the agent is killed, and then
 * ends the whole group.
 */
const STARTER = `ulimit -c 0; ulimit -d "$1" || exit 1; shift
(trap '' HUP INT QUIT TERM USR1 USR2; read -r _; kill -KILL 0) <&3 >/dev/null 2>&1 3<&- &
exec "$@" 3<&-`;

async function started({ file, words, asideMib = 0 }: Program, ask: GuestAsk): Promise<ProcessResult> {
  const { limits, stdin, signal, processes } = ask;
  const kib = String((limits.memoryMib + asideMib) * 1024);
  try {
    return await runProcess({
      file: '/bin/sh',
      args: ['-c', STARTER, 'sh', kib, ...words, ...ask.args],
      cwd: dirname(file),
      env: inherited(),
      stdin,
      merged: false,
      timeoutMs: limits.seconds * 1000,
      endAfterBytes: OUTPUT_LIMIT,
      lifeline: true,
      signal,
      processes,
    });
  } catch (error) {
    throw new GuestEnded(`could not be started: ${messageOf(error)}`, true);
  }
}

function whyEnded(result: ProcessResult, { seconds, memoryMib }: Limits): string | undefined {
  if (result.timedOut) return `ran longer than ${seconds} s and was ended`;
  if (result.flooded) return `printed more than ${OUTPUT_LIMIT / 1024 / 1024} MiB and was ended`;
  if (result.retcode === 0) return undefined;
  if (/heap out of memory|MemoryError/.test(result.stderr))
    return `needed more than ${memoryMib} MiB of memory and was ended`;
  if (result.signal !== null) return `ended by ${result.signal}${lastWords(result)}`;
  return `ended with exit code ${result.retcode}${lastWords(result)}`;
}

/** The end of what it wrote to stderr: there programs say why. */
function lastWords({ stderr }: ProcessResult): string {
  const text = stderr.trim().slice(-STDERR_SHOWN);
  return text === '' ? '' : `: ${text}`;
}

function inherited(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    INHERITED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
