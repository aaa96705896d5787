/** The options of `natrium-run`, with Salt's names. */
import { addCommonOptions, addNoParse, addOutputOptions, hide } from '../common/common-options.js';
import { addLoginOptions } from '../common/login.js';
import { addProfiling, type NotBuilt, PROFILING } from '../common/not-built.js';
import { alias, makeCommand, type Program } from '../common/program.js';
import type { Io } from '../ports.js';

const NAME = 'natrium-run';
const USAGE = '[options] <runner.function> [arguments]';

const EXAMPLES = `
Examples:
  natrium-run manage.up
  natrium-run jobs.lookup_jid 20240101120000000000
  natrium-run jobs.list_jobs --out json
  natrium-run -d manage.up                       its documentation

Exit codes (docs/exit-codes.md):
  0 the runner answered   1 it failed or does not exist   13 refused
  64 no function, or not built yet   69 no master   130 Ctrl-C`;

export const NOT_BUILT: NotBuilt = {
  return: '--return',
  ...PROFILING,
};

export function runProgramOf(io: Io): Program {
  const command = makeCommand(NAME, USAGE, io).description('Run a runner beside the master and print what it returns.');
  command.optionsGroup('Run:');
  command.option('--async', 'print the tag of the run and do not wait');
  command.option('--quiet', 'do not print what the runner returns (the exit code still tells)');
  command.option('-d, --doc', 'print the documentation of a runner or of all');
  alias(command, '--documentation', 'doc');
  command.option(
    '-t, --timeout <seconds>',
    'how long the runner may take (default: runner_timeout of the master file, or 60)',
  );
  addNoParse(command);
  command.option('--args-stdin', 'read further words and options from stdin, one a line');
  addLoginOptions(command);
  hide(command, '--return <returner>', '--skip-grains', '--hard-crash');
  addProfiling(command);
  addOutputOptions(command);
  addCommonOptions(command);
  command.addHelpText('after', EXAMPLES);
  return { name: NAME, usage: USAGE, command };
}
