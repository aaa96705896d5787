import { configDirOf } from '../common/common-options.js';
import { refuseWords } from '../common/options.js';
import type { Subcommand } from './subcommand.js';

export const fingerprint: Subcommand = {
  name: 'fingerprint',
  usage: '[-c <dir>]',
  summary: "print the cluster's fingerprint, for master_finger in a minion's configuration",
  declare: (command) => {
    command.addHelpText('after', '\nExample:\n  natriumctl fingerprint -c /etc/natrium');
  },
  run: (options, words, io, ports) => {
    refuseWords(words);
    return ports.fingerprint({ configDir: configDirOf(options, io) }, io);
  },
};
