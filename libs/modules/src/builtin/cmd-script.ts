/** `cmd.script` and `cmd.script_retcode`: a script whose text came with the request, or that is on this host. */
import { chmod, chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, type Value } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import { type Reply, reply } from '../loader/reply.js';
import { fn } from '../minion-registry.js';
import type { Account } from '../process/run-process.js';
import { withScriptFolder } from '../process/script-folder.js';
import { splitWords } from '../process/split-words.js';
import { mustBePermitted } from './cmd-lists.js';
import { type CommandOptions, OPTIONS, PLACE } from './cmd-options.js';
import { readWhole } from './file-access.js';
import { type Ran, runProgram, settingOf } from './run-command.js';

const AS_WRITTEN = {
  type: 'any',
  default: null,
  keyword: true,
  doc: 'Changes nothing: a script names its shell.',
} as const;

const PARAMS = [
  { name: 'source', type: 'str', doc: 'A whole path on this host, or the text, which begins with #!.' },
  { name: 'args', type: 'str', default: '', doc: 'Its words, split as a shell quotes them.' },
  ...PLACE,
  { ...AS_WRITTEN, name: 'shell' },
  { ...AS_WRITTEN, name: 'python_shell' },
  ...OPTIONS,
] as const;

export const script = fn(
  {
    doc: 'Runs a script. Its text is an argument, or it is on this host; nothing is fetched.',
    params: PARAMS,
    returns: 'pid, retcode, stdout and stderr',
    examples: [`cmd.script /opt/check.sh args="a 'b c'"`, "cmd.script $'#!/bin/sh\\necho hello' runas=www-data"],
  },
  async (asked, context) => ended(await runScript(asked, context), asked, (ran) => ran),
);

export const scriptRetcode = fn(
  {
    doc: 'Runs a script as cmd.script does.',
    params: PARAMS,
    returns: 'its exit code',
    examples: ['cmd.script_retcode /opt/check.sh'],
  },
  async (asked, context) => ended(await runScript(asked, context), asked, ({ retcode }) => retcode),
);

interface Script extends CommandOptions {
  readonly source: string;
  readonly args: string;
}

async function runScript({ source, args, ...options }: Script, context: CallContext): Promise<Ended> {
  const isPath = source.startsWith('/');
  const text = isPath ? await readWhole(source, true) : source;
  if (!text.startsWith('#!'))
    throw new InvocationError('a script is a whole path on this host, or a text that begins with #!');
  const setting = await settingOf(options, context);
  const { words } = splitWords(args);
  const cmd = (file: string) => [isPath ? source : file, ...words];
  const permit = (file: string) => mustBePermitted(cmd(file), context);
  return withScript({ text, account: setting.account, permit }, (file) =>
    runProgram({ file, args: words, cmd: cmd(file) }, options, { ...setting, merged: false }, context),
  );
}

type Ended = Omit<Ran, 'notes'>;

function ended(ran: Ended, { ignore_retcode: ignores }: CommandOptions, show: (ran: Ended) => Value): Reply {
  return reply(show(ran), { retcode: ignores ? 0 : (ran.retcode ?? 0) });
}

interface ScriptFile {
  readonly text: string;
  readonly account: Account | undefined;
  /** Asked before anything is written: throws where what runs it is not permitted. */
  readonly permit: (file: string) => void;
}

/** Puts the text into a file, and takes that away once it has been used, or this process ends. @throws {ExecutionError} */
export async function withScript<T>(
  { text, account, permit }: ScriptFile,
  use: (file: string) => Promise<T>,
): Promise<T> {
  return withScriptFolder(async (folder) => {
    const file = join(folder, 'script');
    permit(file);
    await putScript(folder, file, text, account);
    return use(file);
  });
}

/**
 * As Salt: only whom it runs as reads it. The folder stays this account's own, so that what is taken away afterwards is what was put there.
 *
 * @throws {ExecutionError} When this account may not give it to another.
 */
async function putScript(folder: string, file: string, text: string, account: Account | undefined): Promise<void> {
  await writeFile(file, text, { mode: 0o700 });
  if (account === undefined) return;
  try {
    await chown(file, account.uid, account.gid);
    await chmod(file, 0o500);
  } catch (error) {
    throw new ExecutionError(`Unable to run command '${file}': ${messageOf(error)}`);
  }
  await chmod(folder, 0o711);
}
