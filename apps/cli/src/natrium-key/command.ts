/** The options of `natrium-key`, with Salt's names; `-l` lists here and is no log level. */
import { addCommonOptions, addOutputOptions, hide } from '../common/common-options.js';
import type { NotBuilt } from '../common/not-built.js';
import { alias, makeCommand, type Program } from '../common/program.js';
import type { Io } from '../ports.js';

const NAME = 'natrium-key';
const USAGE = '[options]';

const EXAMPLES = `
Examples:
  natrium-key                      list all keys
  natrium-key -F                   and their fingerprints
  natrium-key -a 'web*'            accept, after showing id and fingerprint of each
  natrium-key -a web1 --fingerprint aa:bb:...
  natrium-key -d web1 -y           delete without asking
  natrium-key --gen-keys web9      web9.key is for the host, as pki/minion.key; web9.pub for the acl-service, as
                                   pki/minions/web9, which lets that key in

What is accepted, rejected or deleted is the key that was shown: its id and its fingerprint. A key that took its place
in the meantime is left alone.

Exit codes (docs/exit-codes.md):
  0 done, nothing to do, or answered no   1 some key was no longer as shown   2 usage error   13 refused
  64 not built yet   69 no master   130 Ctrl-C`;

export const NOT_BUILT: NotBuilt = {
  genSignature: '--gen-signature',
  autoCreate: '--auto-create',
  signaturePath: '--signature-path',
  priv: '--priv',
  pub: '--pub',
  eauth: '--auth',
  username: '--username',
  password: '--password',
  makeToken: '--make-token',
};

export function keyProgram(io: Io): Program {
  const command = makeCommand(NAME, USAGE, io).description('See and decide the keys of minions.');
  command.optionsGroup('See:');
  command.option('-l, --list <state>', 'pre, un, unaccepted, acc, accepted, rej, rejected, den, denied or all');
  command.option('-L, --list-all', 'all keys by state (also without any option)');
  command.option('-f, --finger <id>', 'fingerprints of the keys that an id or glob matches');
  command.option('-F, --finger-all', "all fingerprints, the cluster's own first");
  command.option('-p, --print <id>', 'public keys that an id or glob matches');
  command.option('-P, --print-all', 'all public keys');
  command.option('--finger-hash <name>', 'how fingerprints are made: sha256 is the only way');
  command.optionsGroup('Decide:');
  command.option('-a, --accept <id>', 'accept the pending keys that an id or glob matches');
  command.option('-A, --accept-all', 'accept all pending keys');
  command.option('-r, --reject <id>', 'reject the pending keys that an id or glob matches');
  command.option('-R, --reject-all', 'reject all pending keys');
  command.option('-d, --delete <id>', 'delete the keys that an id or glob matches');
  command.option('-D, --delete-all', 'delete all keys');
  command.option('--fingerprint <text>', 'only the key whose fingerprint begins so');
  command.option('--include-all', 'with -a: also rejected keys; with -r: also accepted ones');
  command.option('--include-accepted', 'with -r: also accepted keys');
  command.option('--include-rejected', 'with -a: also rejected keys');
  command.option('--include-denied', 'with -a and -r: also denied keys');
  command.option('-y, --yes', 'do not ask');
  command.option('-q, --quiet', 'print no results');
  command.optionsGroup('Make:');
  command.option(
    '--gen-keys <name>',
    'make <name>.key and <name>.pub for a host that is not set up yet; asks no master',
  );
  command.option('--gen-keys-dir <dir>', 'where (default: here)');
  command.option('--keysize <n>', 'changes nothing: keys have one size here');
  hide(command, '--gen-signature', '--auto-create', '--signature-path <dir>', '--priv <file>', '--pub <file>');
  hide(command, '-u, --user <name>', '--hard-crash');
  hide(command, '--rotate-aes-key <bool>', '--preserve-minions <bool>');
  hide(command, '--eauth <backend>', '--username <name>', '--password <text>', '-T, --make-token');
  alias(command, '--auth <backend>', 'eauth');
  alias(command, '--external-auth <backend>', 'eauth');
  addOutputOptions(command);
  addCommonOptions(command, { short: false });
  command.addHelpText('after', EXAMPLES);
  return { name: NAME, usage: USAGE, command };
}
