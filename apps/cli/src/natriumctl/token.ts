import { configDirOf } from '../common/common-options.js';
import { type Options, UsageError } from '../common/options.js';
import type { TokenOptions } from '../ports.js';
import type { Subcommand } from './subcommand.js';

const EXAMPLES = `
Examples:
  natriumctl token list
  natriumctl token revoke 5d0c4a1b9e77       by the beginning of its id, 8 digits or more
  natriumctl token revoke --user alice       all of that user

A token that is revoked is refused at once, by every gateway.`;

export const token: Subcommand = {
  name: 'token',
  usage: 'list [--json] | revoke (<id> | --user <name> [--eauth <back end>]) [-c <dir>]',
  verbs: ['list', 'revoke'],
  summary: 'who is logged in through external_auth, and the end of it',
  declare: (command) => {
    command.option('--json', 'a JSON object for each token');
    command.option('--user <name>', 'revoke all tokens of this user');
    command.option('--eauth <name>', 'with --user: only those of this back end');
    command.addHelpText('after', EXAMPLES);
  },
  run: (options, words, io, ports) =>
    ports.token({ configDir: configDirOf(options, io), ...tokenOptions(options, words) }, io),
};

function tokenOptions(options: Options, [verb, id, ...more]: readonly string[]): Omit<TokenOptions, 'configDir'> {
  const [user, eauth] = [options.text('user'), options.text('eauth')];
  const named = {
    ...(id === undefined ? {} : { id }),
    ...(user === undefined ? {} : { user }),
    ...(eauth === undefined ? {} : { eauth }),
  };
  if (verb === 'list' && Object.keys(named).length === 0) return { verb, json: options.flag('json') };
  const isOne = user === undefined ? id !== undefined && eauth === undefined : id === undefined;
  if (verb === 'revoke' && more.length === 0 && isOne) return { verb, json: false, ...named };
  throw new UsageError(
    'say what to do: natriumctl token list, or natriumctl token revoke <id>, or … revoke --user <name>',
  );
}
