/** From the words of `cmd.*` to a process and back: what to run, as whom, where, with which variables. */
import { isList, isMap, isTrue, messageOf, pyStr, type Value, type ValueMap } from '@natrium/model';
import { access, constants, stat } from 'node:fs/promises';
import { coerce } from '../loader/coerce.js';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import type { BaseContext } from '../loader/registry.js';
import { findProgram } from '../process/find-program.js';
import { type ProcessAsk, type ProcessResult, runProcess } from '../process/run-process.js';
import { SYSTEM_PATH } from '../process/run-tool.js';
import { splitWords } from '../process/split-words.js';
import { accountOf, type UserEntry } from './name-databases.js';

export interface CommandWords {
  readonly cmd: Value;
  readonly cwd: string;
  readonly stdin: string;
  readonly stdin_raw_newlines: boolean;
  readonly runas: string;
  readonly shell: string;
  readonly python_shell: boolean | null;
  readonly env: Value;
  readonly clean_env: boolean;
  readonly rstrip: boolean;
  readonly timeout: number | null;
  readonly ignore_retcode: boolean;
  readonly success_retcodes: Value;
  readonly hide_output: boolean;
  readonly reset_system_locale: boolean;
  readonly kwargs: ValueMap;
}

export interface Ran {
  readonly pid: number;
  readonly retcode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly notes: readonly string[];
}

/** Of everything that has an input. */
export const RAW_NEWLINES = {
  name: 'stdin_raw_newlines',
  type: 'bool',
  default: false,
  keyword: true,
  doc: 'Leave `\\n` in the input as these two characters; else they are a line end.',
} as const;

/** Of everything that runs a command. */
export const TIMEOUT = {
  name: 'timeout',
  type: 'number',
  default: null,
  doc: 'Seconds until it is killed, with all that it started; 0: never.',
} as const;

const LOCALE = { LC_ALL: 'C', LANGUAGE: 'C' };

export async function runCommand(
  words: CommandWords,
  merged: boolean,
  { signal, processes }: BaseContext,
): Promise<Ran> {
  refuseOptions(words.kwargs);
  const successes = successesOf(words.success_retcodes);
  const account = words.runas === '' ? undefined : await accountOf(words.runas, signal);
  const env = variables(words, account);
  const cwd = await workingFolder(words.cwd, account?.home);
  const command = commandOf(words);
  const file = await findProgram(command.file, env['PATH'] ?? SYSTEM_PATH, cwd);
  if (file === undefined) throw cannotRun(command.file, 'No such file or directory');
  const ask: ProcessAsk = { file, args: command.args, cwd, env, stdin: inputOf(words), merged, signal, processes };
  const result = await started({ ...ask, ...limitOf(words.timeout), ...asAccount(account) });
  const ran = shown(words, result, command.notes);
  const retcode = !result.timedOut && successes.includes(ran.retcode) ? 0 : ran.retcode;
  return { ...ran, retcode, ...(words.hide_output ? { stdout: '', stderr: '' } : {}) };
}

/** Salt takes one as well as several, and none that is no whole number. */
function successesOf(given: Value): readonly number[] {
  const listed = isList(given) ? given : pyStr(given ?? '').split(',').filter((word) => word.trim() !== ''); // prettier-ignore
  const codes = listed.map((code) => coerce('int', code));
  if (!codes.every((code) => typeof code === 'number'))
    throw new InvocationError('success_retcodes must be a list of integers');
  return codes;
}

function asAccount(account: UserEntry | undefined): Pick<ProcessAsk, 'account'> {
  return account === undefined ? {} : { account: { uid: account.uid, gid: account.gid } };
}

/** As in Salt: a command line has no other way to write a line end. */
export function inputOf({
  stdin,
  stdin_raw_newlines: raw,
}: Pick<CommandWords, 'stdin' | 'stdin_raw_newlines'>): string {
  return raw ? stdin : stdin.replaceAll('\\n', '\n');
}

/** @throws {ExecutionError} When it cannot be started. */
export async function started(ask: ProcessAsk): Promise<ProcessResult> {
  try {
    return await runProcess(ask);
  } catch (error) {
    throw cannotRun(ask.file, messageOf(error));
  }
}

/** What it printed; of one that its time limit ended, that. */
export function shown(
  { cmd, timeout, rstrip }: Pick<CommandWords, 'cmd' | 'timeout' | 'rstrip'>,
  result: ProcessResult,
  notes: readonly string[],
): Ran {
  const { pid, retcode, timedOut } = result;
  if (timedOut) {
    const name = isList(cmd) ? cmd.map(pyStr).join(' ') : pyStr(cmd);
    return { pid, retcode: 1, stdout: `${name} : Timed out after ${String(timeout)} seconds`, stderr: '', notes };
  }
  const strip = (text: string): string => (rstrip ? text.trimEnd() : text);
  return { pid, retcode, stdout: strip(result.stdout), stderr: strip(result.stderr), notes };
}

interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly notes: readonly string[];
}

function commandOf({ cmd, shell, python_shell: asked }: CommandWords): Command {
  if (asked ?? shell !== '') return inShell(shell === '' ? '/bin/sh' : shell, cmd);
  const { words, looksLikeShell } = isList(cmd)
    ? { words: cmd.map(pyStr), looksLikeShell: false }
    : splitWords(pyStr(cmd));
  const [file, ...args] = words;
  if (file === undefined || file === '') throw new InvocationError('there is no command to run');
  const note =
    'The command ran without a shell, its special characters as plain text; python_shell=True runs it in one.';
  return { file, args, notes: looksLikeShell ? [note] : [] };
}

function inShell(shell: string, cmd: Value): Command {
  const text = isList(cmd) ? cmd.map(pyStr).join(' ') : pyStr(cmd);
  if (text.trim() === '') throw new InvocationError('there is no command to run');
  return { file: shell, args: ['-c', text], notes: [] };
}

function variables(words: CommandWords, account: UserEntry | undefined): Record<string, string> {
  const own =
    account === undefined
      ? {}
      : { HOME: account.home, USER: account.name, LOGNAME: account.name, SHELL: account.shell };
  const inherited = words.clean_env ? {} : process.env;
  const locale = words.reset_system_locale && !words.clean_env ? LOCALE : {};
  const all: Readonly<Record<string, string | undefined>> = { ...inherited, ...locale, ...own, ...envOf(words.env) };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** A map, or a list of maps of which later ones win; `False` sets an empty value, as in Salt, and what is empty sets none. */
function envOf(env: Value): Readonly<Record<string, string>> {
  if (!isTrue(env)) return {};
  const maps = isList(env) ? env : [env];
  if (!maps.every((map) => isMap(map))) throw new InvocationError('env must be a mapping or a list of mappings');
  const entries = maps.flatMap((map) => Object.entries(map));
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value === false || value === null ? '' : pyStr(value)]),
  );
}

/** How long it may run: without an end unless given, and with 0, as in Salt. */
export function limitOf(seconds: number | null): Pick<ProcessAsk, 'timeoutMs'> {
  if (seconds === null || seconds === 0) return {};
  if (seconds > 0) return { timeoutMs: seconds * 1000 };
  throw new InvocationError(`timeout is a number of seconds, and ${String(seconds)} is less than none`);
}

/** Where it runs: the folder that was asked for, else the home where there is one to read, else the root. */
export async function workingFolder(asked: string, home = process.env['HOME'] ?? '/'): Promise<string> {
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

/** Salt's options that are not built would otherwise be ignored in silence. */
function refuseOptions(kwargs: ValueMap): void {
  const names = Object.keys(kwargs).filter((name) => !name.startsWith('__'));
  if (names.length > 0) throw new InvocationError(`The following keyword arguments are not valid: ${names.join(', ')}`);
}

function cannotRun(file: string, why: string): ExecutionError {
  return new ExecutionError(`Unable to run command '${file}': ${why}`);
}
