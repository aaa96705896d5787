import { configDirOf } from '../common/common-options.js';
import { refuseWords, UsageError } from '../common/options.js';
import type { Subcommand } from './subcommand.js';

const EXAMPLES = `
What can be done:
  show             the document in force: its serial, its end, the fingerprints of its keys
  renew            the same keys for two more years; every service and minion begins a new epoch
  new-key ROLE     a new key for gateway, acl, runner, reactor or sink, beside the old one
  retire ROLE      only the newest key of that role counts from now on
  new-root         another root signs from the next document on; minions keep what they have pinned

Each change is one more signed document in the file roles. The acl-service tells it to everyone; nothing is restarted for
it. A new key itself is used by a service from its next restart on: restart its replicas one by one, then retire the old.
The root's key is needed for each change and for nothing else.

Examples:
  natriumctl roles new-key gateway --root /media/offline/root.key
  natriumctl roles retire gateway --root /media/offline/root.key`;

export const roles: Subcommand = {
  name: 'roles',
  usage: 'show | renew | new-key <role> | retire <role> | new-root [--root <file>]',
  verbs: ['show', 'renew', 'new-key', 'retire', 'new-root'],
  summary: "the services' keys: show, renew and replace them, and the root",
  declare: (command) => {
    command.option('--root <file>', "the root's key, when it is not in the folder of keys");
    command.addHelpText('after', EXAMPLES);
  },
  run: async (options, words, io) => {
    const [word, role, ...more] = words;
    if (word === undefined) throw new UsageError('say what to do: show, renew, new-key, retire or new-root');
    refuseWords(more);
    const { runRoles } = await import('../keys/run-roles.js');
    return runRoles({ configDir: configDirOf(options, io), word, role, root: options.text('root') }, io);
  },
};
