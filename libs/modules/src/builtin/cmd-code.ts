/** `cmd.exec_code`: a few lines in whatever language this host has an interpreter of. */
import { isList, pyStr, type Value } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import { InvocationError } from '../loader/errors.js';
import { type Reply, reply } from '../loader/reply.js';
import { fn } from '../minion-registry.js';
import { mustBePermitted } from './cmd-lists.js';
import { CWD, type CommandOptions, OPTIONS, REDIRECT, RUNAS, STDIN } from './cmd-options.js';
import { withScript } from './cmd-script.js';
import { type Ran, runNamed, settingOf } from './run-command.js';

const PARAMS = [
  { name: 'lang', type: 'str', doc: 'The interpreter, as python3 or ruby.' },
  { name: 'code', type: 'str', doc: 'What it runs: a file with that text is its first word.' },
  CWD,
  { name: 'args', type: 'any', default: null, doc: 'Its further words: a text is one of them, a list is several.' },
  { ...STDIN, keyword: true },
  { ...RUNAS, keyword: true },
  ...OPTIONS,
  { ...REDIRECT, default: false },
] as const;

export const execCode = fn(
  {
    doc: 'Runs code in a language and returns its standard output.',
    params: PARAMS,
    examples: ["cmd.exec_code python3 'print(6 * 7)'"],
  },
  (asked, context) => run(asked, context, ({ stdout }) => stdout),
);

export const execCodeAll = fn(
  {
    doc: 'Runs code in a language.',
    params: PARAMS,
    returns: 'pid, retcode, stdout and stderr',
    examples: ["cmd.exec_code_all python3 'print(6 * 7)' args=[a,b]"],
  },
  (asked, context) => run(asked, context, ({ pid, retcode, stdout, stderr }) => ({ pid, retcode, stdout, stderr })),
);

interface Code extends CommandOptions {
  readonly lang: string;
  readonly code: string;
  readonly args: Value;
  readonly redirect_stderr: boolean;
}

type Shown = Omit<Ran, 'notes'>;

async function run(
  { lang, code, args, redirect_stderr: merged, ...options }: Code,
  context: CallContext,
  show: (ran: Shown) => Value,
) {
  if (lang === '') throw new InvocationError('there is no interpreter named');
  const words = args === null ? [] : (isList(args) ? args : [args]).map(pyStr);
  const setting = { ...(await settingOf(options, context)), merged };
  const cmd = (file: string) => [lang, file, ...words];
  const permit = (file: string) => mustBePermitted(cmd(file), context);
  return withScript({ text: code, account: setting.account, permit }, async (file): Promise<Reply> => {
    const program = { file: lang, args: [file, ...words], cmd: cmd(file) };
    const ran = await runNamed(program, options, setting, context);
    return reply(show(ran), { retcode: options.ignore_retcode ? 0 : (ran.retcode ?? 0) });
  });
}
