import { UsageError } from '../common/options.js';
import { addTargetOptions } from '../common/target-options.js';
import type { Subcommand } from './subcommand.js';

const EXAMPLES = `
What can be asked:
  lint [FILE]                              what the access lists open, and what is wrong with them
  can-i | explain CALLER FUNCTION TARGET [ARGS]
                                           the verdict, the rule, and on a refusal what came nearest
  who-can FUNCTION TARGET [ARGS]           everybody who may
  test FILE                                policy tests: who, what, whom, allow or deny
  diff OLD NEW                             what changes between two policies
  replay [PATH]                            recorded cases of Salt, through this evaluator

FILE, OLD and NEW are a master file, or a folder with one and its master.d.
CALLER is minion:web1, account:fred, external:pam/joe, or a bare name of which there is only one kind.

Examples:
  natriumctl acl lint /etc/natrium --strict
  natriumctl acl explain fred pkg.install 'web*' nginx
  natriumctl acl explain fred manage.up --run
  natriumctl acl who-can cmd.run 'db*'
  natriumctl acl diff /etc/natrium ./new-master

Exit codes: lint 0 clean, 1 warnings with --strict, 2 problems; explain 0 allowed, 13 refused; test 0 passed, 1 failed,
2 the file is malformed; diff 0, or 1 with --strict when anything changes. Everything: docs/access-control.md.`;

/** The tools are loaded when one is asked for: no other subcommand waits for them. */
export const acl: Subcommand = {
  name: 'acl',
  usage: '<lint|explain|can-i|who-can|test|diff|replay> [options]',
  verbs: ['lint', 'can-i', 'explain', 'who-can', 'test', 'diff', 'replay'],
  summary: 'check, explain, test and compare access lists',
  declare: (command) => {
    command.optionsGroup('Over what:');
    command.option('--policy <file>', 'a master file, or a folder with one (default: the configuration folder)');
    command.option(
      '--inventory <file>',
      'ids with grains; FILE#NAME is one of several in a file (default: the cluster, when it runs)',
    );
    command.option('--offline', 'ask no cluster: without --inventory only ids that rules name are known');
    command.option('--audit <file>', 'diff: recorded requests, as natriumctl audit export writes them');
    command.option('--groups <list>', 'groups of an external user, divided by commas');
    command.optionsGroup('How:');
    command.option('--run', 'FUNCTION is a runner; there is no TARGET');
    command.option('--wheel', 'FUNCTION is a wheel function; there is no TARGET');
    command.option('--json', 'print JSON');
    command.option('--strict', 'lint: warnings fail; diff: changes fail');
    addTargetOptions(command);
    command.addHelpText('after', EXAMPLES);
  },
  run: async (options, words, io) => {
    const [word, ...rest] = words;
    if (word === undefined)
      throw new UsageError('say what to do: lint, can-i, explain, who-can, test, diff or replay (-h says more)');
    const { runAcl } = await import('../acl/run-acl.js');
    return runAcl({ word, words: rest, options, io });
  },
};
