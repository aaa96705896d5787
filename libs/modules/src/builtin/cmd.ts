/**
 * `cmd.*`: runs a program on this host.
 *
 * Diverges: no shell unless `python_shell=True`, `shell=` or `cmd.shell` asks for one (compat/divergences.md). The command is split
 * into words as a shell quotes them, and the words go to the program as they are.
 */
import type { Value } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import { defineModule } from '../loader/declaration.js';
import { type Reply, reply } from '../loader/reply.js';
import { fn } from '../minion-registry.js';
import { cmdPrograms } from './cmd-programs.js';
import { mustBePermitted } from './command-lists.js';
import { type CommandWords, type Ran, RAW_NEWLINES, runCommand, TIMEOUT } from './run-command.js';

const PARAMS = [
  { name: 'cmd', type: 'any', doc: 'The command, as text or as a list of words.' },
  { name: 'cwd', type: 'str', default: '', doc: "Folder to run in; the account's home when not given." },
  { name: 'stdin', type: 'str', default: '', doc: 'Text for its standard input.' },
  { name: 'runas', type: 'str', default: '', doc: 'Account to run as, without its supplementary groups.' },
  // By name only from here on: Salt has `group` and others between them, and a word meant for those must not become a shell.
  { name: 'shell', type: 'str', default: '', keyword: true, doc: 'Shell to run the command in.' },
  {
    name: 'python_shell',
    type: 'bool',
    default: null,
    keyword: true,
    doc: 'Run the command in /bin/sh, or in `shell`.',
  },
  { name: 'env', type: 'any', default: null, keyword: true, doc: 'Variables, as a map or a list of maps.' },
  { name: 'clean_env', type: 'bool', default: false, keyword: true, doc: 'Only the variables of `env`.' },
  {
    name: 'rstrip',
    type: 'bool',
    default: true,
    keyword: true,
    doc: 'Take the white space off the end of the output.',
  },
  { ...TIMEOUT, keyword: true },
  RAW_NEWLINES,
  {
    name: 'ignore_retcode',
    type: 'bool',
    default: false,
    keyword: true,
    doc: 'The job succeeds whatever the exit code is.',
  },
  {
    name: 'success_retcodes',
    type: 'any',
    default: [],
    keyword: true,
    doc: 'Exit codes that count as 0: a number, or several as a list or with commas.',
  },
  { name: 'hide_output', type: 'bool', default: false, keyword: true, doc: 'Return nothing of what was printed.' },
  { name: 'reset_system_locale', type: 'bool', default: true, keyword: true, doc: 'Run in the locale C.' },
  {
    name: 'output_loglevel',
    type: 'str',
    default: 'debug',
    keyword: true,
    doc: 'Taken for the sake of scripts; output is never logged.',
  },
  { kwargs: 'kwargs', doc: 'Only names that begin with two underscores.' },
] as const;

type Show = (ran: Ran) => Value;

function running(doc: string, merged: boolean, show: Show, example: string) {
  return fn({ doc, params: PARAMS, examples: [example] }, (args, context) => run(args, context, { merged, show }));
}

export const cmdModule = defineModule('cmd', {
  ...cmdPrograms,
  run: running(
    'Runs a command and returns what it printed, errors included.',
    true,
    ({ stdout }) => stdout,
    "cmd.run 'ls -l /etc'",
  ),
  shell: fn(
    {
      doc: 'Runs a command in a shell, /bin/sh unless another is given, and returns what it printed, errors included.',
      params: PARAMS,
      examples: ["cmd.shell 'ls -l /etc | wc -l'"],
    },
    (args, context) =>
      run({ ...args, python_shell: args.python_shell ?? true }, context, {
        merged: true,
        show: ({ stdout }) => stdout,
      }),
  ),
  run_stdout: running(
    'Runs a command and returns its standard output.',
    false,
    ({ stdout }) => stdout,
    "cmd.run_stdout 'uname -a'",
  ),
  run_stderr: running(
    'Runs a command and returns its standard error.',
    false,
    ({ stderr }) => stderr,
    "cmd.run_stderr 'ls /nowhere'",
  ),
  run_all: running(
    'Runs a command and returns its process id, exit code and both outputs.',
    false,
    ({ pid, retcode, stdout, stderr }) => ({ pid, retcode, stdout, stderr }),
    "cmd.run_all 'ls -l /etc'",
  ),
  retcode: running(
    'Runs a command and returns its exit code.',
    false,
    ({ retcode }) => retcode,
    "cmd.retcode 'test -e /etc/hosts'",
  ),
});

interface How {
  readonly merged: boolean;
  readonly show: Show;
}

async function run(words: CommandWords, context: CallContext, { merged, show }: How): Promise<Reply> {
  mustBePermitted(words.cmd, context);
  const ran = await runCommand(words, merged, context);
  return reply(show(ran), { retcode: words.ignore_retcode ? 0 : ran.retcode, notes: ran.notes });
}
