/** From the words of `cmd.*` to a process and back: what to run, as whom, where, and what its end comes to. */
import { isList, isTrue, messageOf, pyStr, type Value, type ValueMap } from '@natrium/model';
import { access, constants, stat } from 'node:fs/promises';
import { coerce } from '../loader/coerce.js';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import type { CallContext } from '../call-context.js';
import type { BaseContext } from '../loader/registry.js';
import { findProgram } from '../process/find-program.js';
import { type Account, type ProcessAsk, type ProcessResult, runProcess, startProcess } from '../process/run-process.js';
import { SYSTEM_PATH } from '../process/run-tool.js';
import { isInShell, NO_SHELL, splitCommand } from '../process/shell-note.js';
import { variables } from './cmd-environment.js';
import { commandText, mustBePermitted } from './cmd-lists.js';
import type { CommandOptions } from './cmd-options.js';
import { accountOf, type UserEntry } from './name-databases.js';

export interface CommandAsk extends CommandOptions {
  readonly cmd: Value;
  readonly shell: string;
  readonly python_shell: boolean | null;
}

export interface Ran {
  readonly pid: number;
  /** null for what runs in the background. */
  readonly retcode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly notes: readonly string[];
}

/** Where something runs, as whom and with which variables. */
export interface Setting {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly account: Account | undefined;
  readonly umask: number | undefined;
}

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  /** The command as the caller wrote it, for sentences. */
  readonly cmd: Value;
  /** It seems to be written for a shell, where its first word may be none of a program. */
  readonly isOfShell?: boolean;
}

export async function runCommand(command: CommandAsk, merged: boolean, context: CallContext): Promise<Ran> {
  mustBePermitted(command.cmd, context);
  const setting = await settingOf(command, context);
  const { notes, ...program } = commandOf(command);
  const ran = await runNamed({ ...program, cmd: command.cmd }, command, { ...setting, merged }, context);
  return { ...ran, notes };
}

/** As `runProgram`, of a program that is looked for where the setting's PATH says. */
export async function runNamed(
  program: Program,
  options: CommandOptions,
  setting: Setting & { readonly merged: boolean },
  context: BaseContext,
): Promise<Omit<Ran, 'notes'>> {
  const file = await findProgram(program.file, setting.env['PATH'] ?? SYSTEM_PATH, setting.cwd);
  if (file === undefined)
    throw cannotRun(program.file, `No such file or directory${program.isOfShell ? WITH_SHELL : ''}`);
  return runProgram({ ...program, file }, options, setting, context);
}

/** @throws {InvocationError} For an option that there is not. */
export async function settingOf(options: CommandOptions, { signal }: BaseContext): Promise<Setting> {
  refuseOptions(options.kwargs);
  const user = options.runas === '' ? undefined : await accountOf(options.runas, signal);
  return {
    cwd: await workingFolder(options.cwd, user),
    env: variables(options, user),
    account: user === undefined ? undefined : { uid: user.uid, gid: user.gid },
    umask: umaskOf(options.umask),
  };
}

/** Starts it; the caller has asked `mustBePermitted`. @throws {ExecutionError} When it cannot be started. */
export async function runProgram(
  { file, args, cmd }: Program,
  options: CommandOptions,
  setting: Setting & { readonly merged: boolean },
  { signal, processes }: BaseContext,
): Promise<Omit<Ran, 'notes'>> {
  const isSuccess = successOf(options);
  const stdin = options.stdin_raw_newlines ? options.stdin : options.stdin.replaceAll('\\n', '\n');
  const ask: ProcessAsk = { file, args, stdin, signal, processes, ...setting, ...limitOf(options.timeout) };
  if (options.bg === true) {
    // Its output goes nowhere, so there is nothing to merge.
    const pid = await startProcess({ ...ask, merged: false }).catch((error: unknown) => notStarted(file, error));
    return { pid, retcode: null, stdout: '', stderr: '' };
  }
  const result = await runProcess(ask).catch((error: unknown) => notStarted(file, error));
  const ran = shown(cmd, options, result);
  const retcode = !result.timedOut && isSuccess(ran) ? 0 : ran.retcode;
  return { ...ran, retcode, ...(options.hide_output ? { stdout: '', stderr: '' } : {}) };
}

type Success = (ran: Pick<Ran, 'retcode' | 'stdout' | 'stderr'>) => boolean;

/** Each option is one value or several; an exit code that is no whole number is refused, as in Salt. */
function successOf(options: Pick<CommandOptions, 'success_retcodes' | 'success_stdout' | 'success_stderr'>): Success {
  const codes = wordsOf(options.success_retcodes).map((code) => coerce('int', code));
  if (!codes.every((code) => typeof code === 'number'))
    throw new InvocationError('success_retcodes must be a list of integers');
  const [said, complained] = [options.success_stdout, options.success_stderr].map((words) => wordsOf(words).map(pyStr));
  return ({ retcode, stdout, stderr }) =>
    codes.includes(retcode ?? 0) ||
    said?.some((word) => stdout.includes(word)) === true ||
    complained?.some((word) => stderr.includes(word)) === true;
}

function wordsOf(given: Value): readonly Value[] {
  const words = isList(given) ? given : pyStr(given ?? '').split(',').map((word) => word.trim()); // prettier-ignore
  return words.filter((word) => word !== '');
}

/** What it printed, or, when its time limit ended it, the sentence that says so. */
function shown(cmd: Value, { timeout, rstrip }: CommandOptions, result: ProcessResult) {
  const { pid, retcode, timedOut } = result;
  if (timedOut) {
    return { pid, retcode: 1, stdout: `${commandText(cmd)} : Timed out after ${String(timeout)} seconds`, stderr: '' };
  }
  const strip = (text: string): string => (rstrip ? text.trimEnd() : text);
  return { pid, retcode, stdout: strip(result.stdout), stderr: strip(result.stderr) };
}

const WITH_SHELL = ' (python_shell=True runs the command in a shell)';

interface Command extends Pick<Program, 'file' | 'args' | 'isOfShell'> {
  readonly notes: readonly string[];
}

function commandOf({ cmd, ...how }: CommandAsk): Command {
  if (isInShell(how)) return inShell(how.shell === '' ? '/bin/sh' : how.shell, cmd);
  const { words, isOfShell } = splitCommand(cmd);
  const [file, ...args] = words;
  if (file === undefined || file === '') throw new InvocationError('there is no command to run');
  return { file, args, isOfShell, notes: isOfShell ? [NO_SHELL] : [] };
}

function inShell(shell: string, cmd: Value): Command {
  const text = commandText(cmd);
  if (text.trim() === '') throw new InvocationError('there is no command to run');
  return { file: shell, args: ['-c', text], notes: [] };
}

/** How long it may run: without an end unless given, and with 0, as in Salt. */
function limitOf(seconds: number | null): Pick<ProcessAsk, 'timeoutMs'> {
  if (seconds === null || seconds === 0) return {};
  if (seconds > 0) return { timeoutMs: seconds * 1000 };
  throw new InvocationError(`timeout is a number of seconds, and ${String(seconds)} is less than none`);
}

/** In Salt's words. */
function umaskOf(asked: string): number | undefined {
  if (asked === '') return undefined;
  if (!/^[0-7]{1,4}$/.test(asked)) throw new ExecutionError(`Invalid umask: '${asked}'`);
  const umask = Number.parseInt(asked, 8) & 0o777;
  if (umask === 0) throw new ExecutionError('Zero umask is not allowed.');
  return umask;
}

/** Where it runs: the folder that was asked for, else the home where there is one to read, else the root. */
async function workingFolder(asked: string, user: UserEntry | undefined): Promise<string> {
  const home = user?.home ?? process.env['HOME'] ?? '/';
  if (asked === '') return (await isFolder(home)) && (await isReadable(home)) ? home : '/';
  if (await isFolder(asked)) return asked;
  throw new ExecutionError(`Specified cwd '${asked}' either not absolute or does not exist`);
}

async function isFolder(path: string): Promise<boolean> {
  return path.startsWith('/') && ((await stat(path).catch(() => undefined))?.isDirectory() ?? false);
}

function isReadable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}

/** Options of Salt's that are not built; empty, as by default, they ask for nothing. */
const NOT_BUILT: ReadonlySet<string> = new Set([
  'encoded_cmd', 'encoding', 'group', 'log_callback', 'output_encoding', 'password', 'pillar', 'pillarenv', 'template', 'use_vt',
]); // prettier-ignore

/** What is not built would otherwise be ignored in silence. */
function refuseOptions(kwargs: ValueMap): void {
  const asks = (name: string) => !name.startsWith('__') && !(NOT_BUILT.has(name) && !isTrue(kwargs[name] ?? null));
  const names = Object.keys(kwargs).filter(asks);
  if (names.length > 0) throw new InvocationError(`The following keyword arguments are not valid: ${names.join(', ')}`);
}

function notStarted(file: string, error: unknown): never {
  throw cannotRun(file, messageOf(error));
}

function cannotRun(file: string, why: string): ExecutionError {
  return new ExecutionError(`Unable to run command '${file}': ${why}`);
}
