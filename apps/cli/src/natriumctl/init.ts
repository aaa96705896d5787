import { ACCOUNT_NAME } from '@natrium/config';
import { configDirOf } from '../common/common-options.js';
import { type Options, refuseWords, UsageError } from '../common/options.js';
import type { BrokerAuth } from '../ports.js';
import type { Subcommand } from './subcommand.js';

export const init: Subcommand = {
  name: 'init',
  usage: '[-c <dir>] [--user <name>] [options]',
  summary: 'found a cluster: its root key, the keys of its services and the first account',
  declare: (command) => {
    command.option('--user <name>', 'name of the first account (default: who runs this)');
    command.option('--broker-auth <how>', 'jwt: the broker asks who comes; none: it does not (default: jwt)');
    command.option(
      '--broker-tls <hosts>',
      'make a CA, and a certificate for these hosts of the broker; in a cluster that is there, the next certificate',
    );
    command.addHelpText('after', '\nExample:\n  natriumctl init -c /etc/natrium --user admin');
  },
  run: (options, words, io, ports) => {
    refuseWords(words);
    const user = options.text('user');
    if (user !== undefined && !ACCOUNT_NAME.test(user))
      throw new UsageError(`option --user: '${user}' is no name of an account`);
    const auth = brokerAuthOf(options);
    const hosts = options.list('brokerTls');
    if (options.given('brokerTls') && hosts.length === 0)
      throw new UsageError('option --broker-tls: name the hosts of the broker');
    return ports.init(
      {
        configDir: configDirOf(options, io),
        ...(user === undefined ? {} : { user }),
        ...(auth === undefined ? {} : { brokerAuth: auth }),
        ...(hosts.length === 0 ? {} : { brokerTls: hosts }),
      },
      io,
    );
  },
};

/** @throws {UsageError} */
export function brokerAuthOf(options: Options): BrokerAuth | undefined {
  const word = options.text('brokerAuth');
  if (word === undefined || word === 'none' || word === 'jwt') return word;
  throw new UsageError(`option --broker-auth: '${word}' is neither jwt nor none`);
}
