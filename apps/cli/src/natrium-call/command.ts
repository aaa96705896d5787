/** The options of `natrium-call`, with Salt's names. */
import { addCommonOptions, addNoParse, addOutputOptions, hide } from '../common/common-options.js';
import { addProfiling, type NotBuilt, PROFILING } from '../common/not-built.js';
import { alias, makeCommand, type Program } from '../common/program.js';
import type { Io } from '../ports.js';

const NAME = 'natrium-call';
const USAGE = '[options] <function> [arguments]';

const EXAMPLES = `
Examples:
  natrium-call test.ping                                   on this host; no agent is asked
  natrium-call --local grains.item os                      without any master
  natrium-call publish.publish '*' test.version            other minions, as far as "peer" allows
  natrium-call publish.publish 'web* and not G@os:Ubuntu' test.version tgt_type=compound
  natrium-call publish.runner manage.up                    a runner, as far as "peer_run" allows

The agent of this host must run for publish, event, key, mine, pillar, saltutil and the grains functions that change
something (set, append, delkey, …); everything else runs in this process.

Exit codes (docs/exit-codes.md):
  0 all well   1 the function or a returner failed, or someone is missing   13 refused   64 no function, or not built yet
  69 no agent or master   255 the function does not exist   --retcode-passthrough: the function's own`;

export const NOT_BUILT: NotBuilt = {
  fileRoot: '--file-root',
  pillarRoot: '--pillar-root',
  statesDir: '--states-dir',
  setMetadata: '--set-metadata',
  cachedir: '--cachedir',
  priv: '--priv',
  proxyid: '--proxyid',
  moduleExecutors: '--module-executors',
  executorOpts: '--executor-opts',
  ...PROFILING,
};

export function callProgram(io: Io): Program {
  const command = makeCommand(NAME, USAGE, io).description('Run a function on this host and print what it returns.');
  command.optionsGroup('Run:');
  command.option('--local', 'without a master');
  command.option('-g, --grains', 'print the grains of this host');
  command.option('-d, --doc', 'print the documentation of a function or of all');
  alias(command, '--documentation', 'doc');
  command.option('-t, --timeout <seconds>', 'how long the function may take');
  command.option('--retcode-passthrough', "exit with the function's own retcode");
  command.option('--metadata', 'print the whole outcome: function, arguments, return, retcode');
  command.option('--id <id>', 'call under this minion id');
  command.option('--master <url>', 'the master that the configuration must name; the agent has its own connection');
  command.option(
    '-m, --module-dirs <dirs>',
    'further folders of modules, divided by commas; may be repeated',
    (more, dirs?: string) => (dirs === undefined ? more : `${dirs},${more}`),
  );
  addNoParse(command);
  command.option('--args-stdin', 'read further words and options from stdin, one a line');
  command.option('--return <returner>', 'also hand the result to returners of this host, divided by commas');
  hide(
    command,
    '--file-root <dir>',
    '--pillar-root <dir>',
    '--states-dir <dir>',
    '--set-metadata <map>',
    '--cachedir <dir>',
    '--priv <user>',
    '--proxyid <id>',
    '--module-executors <list>',
    '--executor-opts <map>',
    '--skip-grains',
    '--refresh-grains-cache',
    '--no-return-event',
    '--output-diff',
    '--hard-crash',
  );
  addProfiling(command);
  addOutputOptions(command);
  addCommonOptions(command);
  command.addHelpText('after', EXAMPLES);
  return { name: NAME, usage: USAGE, command };
}
