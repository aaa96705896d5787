import { configDirOf } from '../common/common-options.js';
import { UsageError } from '../common/options.js';
import type { Subcommand } from './subcommand.js';

export const accounts: Subcommand = {
  name: 'accounts',
  usage: 'sync [--dry-run] [--replace] [--remove-missing] [-c <dir>]',
  verbs: ['sync'],
  summary: 'give the accounts of this host that publisher_acl names keys of their own (as root)',
  declare: (command) => {
    command.option('--dry-run', 'only say what would be done');
    command.option('--replace', 'also replace keys that are not on this host');
    command.option('--remove-missing', 'also take the keys of accounts that a directory (LDAP, AD) does not tell of');
    command.addHelpText('after', '\nExample:\n  natriumctl accounts sync -c /etc/natrium');
  },
  run: (options, words, io, ports) => {
    if (words.length !== 1 || words[0] !== 'sync') throw new UsageError('say what to do: natriumctl accounts sync');
    const flags = {
      dryRun: options.flag('dryRun'),
      replace: options.flag('replace'),
      removeMissing: options.flag('removeMissing'),
    };
    return ports.accounts({ configDir: configDirOf(options, io), ...flags }, io);
  },
};
