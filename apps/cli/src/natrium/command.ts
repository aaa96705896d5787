/** The options of `natrium`, with Salt's names. What each does is in `request.ts`; this is only their spelling and help. */
import type { Command } from 'commander';
import { addCommonOptions, addNoParse, addOutputOptions, hide } from '../common/common-options.js';
import { addLoginOptions } from '../common/login.js';
import type { NotBuilt } from '../common/not-built.js';
import { alias, makeCommand, type Program } from '../common/program.js';
import { addTargetOptions } from '../common/target-options.js';
import type { Io } from '../ports.js';

const NAME = 'natrium';
const USAGE = "[options] '<target>' <function> [arguments]";

const EXAMPLES = `
Examples:
  natrium '*' test.ping                          every minion
  natrium -G os:Debian pkg.version openssl       by grain
  natrium -C 'web* and not G@os:Ubuntu' cmd.run uptime
  natrium -L web1,db1 test.ping,test.echo , hi   two functions, arguments divided by a comma
  natrium '*' test.sleep 60 --async              prints the jid and returns
  natrium -a ldap -T '*' test.ping               as a user of the directory; keeps a token
  natrium -b 25% --failhard 'web*' cmd.run reboot  a quarter at a time, until one fails

Exit codes (docs/exit-codes.md):
  0 all returned well   1 something failed or is missing   2 no minion matched, or a usage error
  13 refused   42 no target or function   64 not built yet   69 no master   130 Ctrl-C`;

export const NOT_BUILT: NotBuilt = {
  return_config: '--return_config',
  return_kwargs: '--return_kwargs',
  moduleExecutors: '--module-executors',
  executorOpts: '--executor-opts',
};

export function natriumProgram(io: Io): Program {
  const command = makeCommand(NAME, USAGE, io).description('Run functions on minions and print what they return.');
  addTargetOptions(command);
  addMoreTargetOptions(command);
  addRunOptions(command);
  addLoginOptions(command);
  addOutputOptions(command);
  addCommonOptions(command);
  command.addHelpText('after', EXAMPLES);
  return { name: NAME, usage: USAGE, command };
}

function addMoreTargetOptions(command: Command): void {
  command.option('-R, --range', 'a range expression (there is no range server: refused)');
  command.option('--delimiter <char>', 'divides levels of grains and pillar (default: ":")');
  command.option('--preview-target', 'print the ids that the target means, run nothing');
}

function addRunOptions(command: Command): void {
  command.optionsGroup('Run:');
  command.option(
    '-t, --timeout <seconds>',
    'when to ask silent minions whether they are at work, and again (default: timeout of the master file, or 5)',
  );
  command.option('--async', 'print the jid and do not wait');
  command.option('-s, --static', 'print all results as one, at the end');
  command.option('-v, --verbose', 'print the jid first, and more in the summary');
  command.option('--show-jid', 'print the jid');
  command.option('--summary', 'end with a count of who returned');
  command.option('--hide-timeout', 'do not show minions that did not return (the exit code still tells)');
  command.option('-d, --doc', 'print the documentation of a function or of all');
  command.option('--args-separator <text>', 'divides the arguments of several functions (default: ",")');
  addNoParse(command);
  command.option(
    '--return <returner>',
    'also hand each result to a returner: local_file, webhook, multi, master_bus, or one of returner_dirs',
  );
  command.option('--tag <tag>', 'with --return=master_bus: each result is an event <tag>/<id> on the master bus');
  command.option('-b, --batch <size>', 'so many at a time: a number, or a share as 25%');
  command.option('--batch-wait <seconds>', 'pause between two batches');
  command.option(
    '--batch-safe-limit <n>',
    'in batches when at least n match (default: batch_safe_limit of the master file)',
  );
  command.option(
    '--batch-safe-size <size>',
    'how many at a time then (default: batch_safe_size of the master file, or 8)',
  );
  command.option('--failhard', 'start no further batch after one in which something failed or is missing');
  command.option('--subset <n>', 'only n of those who are connected, by chance');
  command.option('-p, --progress', 'a bar on the terminal, also when results go into a file');
  command.option('--metadata <value>', 'goes with the job to its minions, as YAML');
  command.option('--args-stdin', 'read further words and options from stdin, one a line');
  command.option('--config-dump', 'print the configuration of the master as YAML, run nothing');
  alias(command, '--documentation', 'doc');
  alias(command, '--batch-size <size>', 'batch');
  alias(command, '--args_separator <text>', 'argsSeparator');
  alias(command, '--grain_pcre', 'grainPcre');
  alias(command, '--pillar_pcre', 'pillarPcre');
  alias(command, '--cli-summary', 'summary');
  hide(
    command,
    '--module-executors <list>',
    '--executor-opts <map>',
    '--output-diff',
    '--show-timeout',
    '--hard-crash',
  );
  hide(command, '--return_config <name>', '--return_kwargs <map>');
}
