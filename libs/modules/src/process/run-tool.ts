/** Runs a program of the system for a module: found on a fixed path, without a terminal, in the locale C, and bounded. */
import { userInfo } from 'node:os';
import { ExecutionError } from '../loader/errors.js';
import type { BaseContext } from '../loader/registry.js';
import { findProgram } from './find-program.js';
import { type ProcessResult, runProcess } from './run-process.js';

export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface ToolOptions extends BaseContext {
  /** One minute unless given. */
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export async function hasTool(name: string): Promise<boolean> {
  return (await findProgram(name, SYSTEM_PATH, '/')) !== undefined;
}

/** Of the account that this runs as: another's settings it may not read, and a program that finds them there fails. */
function ownHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    return '/'; // an account without an entry, as in containers
  }
}

/** @throws {ExecutionError} When this host has no such program, it cannot be started, or it takes too long. */
export async function runTool(name: string, args: readonly string[], options: ToolOptions): Promise<ProcessResult> {
  const file = await findProgram(name, SYSTEM_PATH, '/');
  if (file === undefined) throw new ExecutionError(`this host has no ${name}`);
  const { signal, processes, timeoutMs = 60_000 } = options;
  const env = { PATH: SYSTEM_PATH, LC_ALL: 'C', LANGUAGE: 'C', HOME: ownHome(), ...options.env };
  const ask = { file, args, cwd: '/', env, stdin: '', merged: false, timeoutMs, signal, processes };
  const result = await runProcess(ask).catch((error: unknown) => {
    throw new ExecutionError(`${name} could not be started: ${error instanceof Error ? error.message : ''}`);
  });
  if (result.timedOut) throw new ExecutionError(`${name} was ended after ${timeoutMs / 1000} seconds`);
  return result;
}

/** Its standard output. @throws {ExecutionError} With what it said, when it failed. */
export async function toolOutput(name: string, args: readonly string[], options: ToolOptions): Promise<string> {
  const { retcode, stdout, stderr } = await runTool(name, args, options);
  if (retcode === 0) return stdout;
  const said = (stderr.trim() === '' ? stdout : stderr).trim().slice(-2000);
  throw new ExecutionError(`${name} ended with ${retcode}: ${said}`);
}
