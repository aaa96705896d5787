/**
 * `cmd.*`: runs a program on this host.
 *
 * Diverges: no shell unless `python_shell=True`, `shell=` or `cmd.shell` asks for one (compat/divergences.md). The command is split
 * into words as a shell quotes them, and the words go to the program as they are.
 */
import type { Value } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import { defineModule } from '../loader/declaration.js';
import { ExecutionError } from '../loader/errors.js';
import { type Reply, reply } from '../loader/reply.js';
import { fn } from '../minion-registry.js';
import { findProgram } from '../process/find-program.js';
import { SYSTEM_PATH } from '../process/run-tool.js';
import { execCode, execCodeAll } from './cmd-code.js';
import { script, scriptRetcode } from './cmd-script.js';
import { BACKGROUND, CWD, OPTIONS, PLACE, REDIRECT, RUNAS } from './cmd-options.js';
import { type CommandAsk, type Ran, runCommand } from './run-command.js';

const CMD = { name: 'cmd', type: 'any', doc: 'The command, as text or as a list of words.' } as const;
const SHELL = [
  { name: 'shell', type: 'str', default: '', keyword: true, doc: 'Shell to run the command in.' },
  {
    name: 'python_shell',
    type: 'bool',
    default: null,
    keyword: true,
    doc: 'Run the command in /bin/sh, or in `shell`.',
  },
] as const;
const PARAMS = [CMD, ...PLACE, ...SHELL, BACKGROUND, ...OPTIONS] as const;
const RAISE = {
  name: 'raise_err',
  type: 'bool',
  default: false,
  keyword: true,
  doc: 'An exit code other than 0 is an error, in the words that were printed.',
} as const;

const PROGRAM = [{ name: 'cmd', type: 'str', doc: 'Name of the program.' }] as const;
const find = (name: string): Promise<string | undefined> => findProgram(name, process.env['PATH'] ?? SYSTEM_PATH, '/');

type Show = (ran: Ran) => Value;

function running(doc: string, show: Show, example: string) {
  return fn({ doc, params: PARAMS, examples: [example] }, (args, context) =>
    run(args, context, { merged: false, show }),
  );
}

export const cmdModule = defineModule('cmd', {
  which: fn(
    { doc: 'Where a program is.', params: PROGRAM, returns: 'its path, or None', examples: ['cmd.which cat'] },
    async ({ cmd }) => (await find(cmd)) ?? null,
  ),
  has_exec: fn(
    { doc: 'Tells whether there is such a program.', params: PROGRAM, examples: ['cmd.has_exec cat'] },
    async ({ cmd }) => (await find(cmd)) !== undefined,
  ),
  script,
  script_retcode: scriptRetcode,
  exec_code: execCode,
  exec_code_all: execCodeAll,
  run: fn(
    {
      doc: 'Runs a command and returns what it printed, errors included.',
      params: [...PARAMS, { ...REDIRECT, default: true }, RAISE],
      examples: ["cmd.run 'ls -l /etc'"],
    },
    ({ redirect_stderr: merged, raise_err: raises, ...args }, context) =>
      run(args, context, { merged, raises, show: ({ stdout }) => stdout }),
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
    ({ stdout }) => stdout,
    "cmd.run_stdout 'uname -a'",
  ),
  run_stderr: running(
    'Runs a command and returns its standard error.',
    ({ stderr }) => stderr,
    "cmd.run_stderr 'ls /nowhere'",
  ),
  run_all: fn(
    {
      doc: 'Runs a command and returns its process id, exit code and both outputs.',
      params: [...PARAMS, { ...REDIRECT, default: false }],
      examples: ["cmd.run_all 'ls -l /etc'"],
    },
    ({ redirect_stderr: merged, ...args }, context) =>
      run(args, context, {
        merged,
        show: ({ pid, retcode, stdout, stderr }) => ({ pid, retcode, stdout, stderr }),
      }),
  ),
  run_bg: fn(
    {
      doc: 'Starts a command, waits for nothing of it, and lets it outlive the job; what it prints is lost.',
      params: [CMD, CWD, RUNAS, ...SHELL, ...OPTIONS],
      returns: 'its process id',
      examples: ["cmd.run_bg 'make -C /opt/tool'"],
    },
    (args, context) => run({ ...args, stdin: '', bg: true }, context, { merged: false, show: ({ pid }) => ({ pid }) }),
  ),
  retcode: running(
    'Runs a command and returns its exit code.',
    ({ retcode }) => retcode,
    "cmd.retcode 'test -e /etc/hosts'",
  ),
});

interface How {
  readonly merged: boolean;
  readonly raises?: boolean;
  readonly show: Show;
}

async function run(command: CommandAsk, context: CallContext, { merged, raises, show }: How): Promise<Reply> {
  const ran = await runCommand(command, merged, context);
  const retcode = command.ignore_retcode ? 0 : (ran.retcode ?? 0);
  if (raises === true && retcode !== 0) throw new ExecutionError(ran.stdout);
  return reply(show(ran), { retcode, notes: ran.notes });
}
