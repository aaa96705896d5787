import { configDirOf } from '../common/common-options.js';
import { refuseWords } from '../common/options.js';
import type { Subcommand } from './subcommand.js';

const EXAMPLES = `
Exit codes: 0 nothing is wrong, 1 warnings, 2 problems.

Examples:
  natriumctl doctor
  natriumctl doctor --json | jq '.findings[] | select(.level == "problem")'`;

export const doctor: Subcommand = {
  name: 'doctor',
  usage: '[-c <dir>] [--all] [--json]',
  summary: 'look for what is wrong with this host and its cluster, and say how to mend it',
  declare: (command) => {
    command.option('--all', 'also say what is right');
    command.option('--json', 'print all findings as JSON');
    command.addHelpText('after', EXAMPLES);
  },
  run: (options, words, io, ports) => {
    refuseWords(words);
    return ports.doctor(
      { configDir: configDirOf(options, io), json: options.flag('json'), all: options.flag('all') },
      io,
    );
  },
};
