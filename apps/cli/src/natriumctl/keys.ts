import { configDirOf } from '../common/common-options.js';
import { UsageError } from '../common/options.js';
import type { Subcommand } from './subcommand.js';

const DELAY = { min: 0, max: 86_400 };
const DEFAULT_DELAY_S = 300;

const EXAMPLES = `
A new storage key for each class begins to seal after --in seconds: by then every host must have it in its folder. What
lives long (roster, inventory) is sealed anew; a key under which nothing is stored any more is deleted, and with it every
copy of what was. Meant to run daily, from a timer; nothing does it by itself, natriumctl up neither.

Example:
  natriumctl keys rotate -c /etc/natrium`;

export const keys: Subcommand = {
  name: 'keys',
  usage: 'rotate [--in <seconds>] [-c <dir>]',
  verbs: ['rotate'],
  summary: 'new storage keys, and the end of those under which nothing is stored',
  declare: (command) => {
    command.option('--in <seconds>', `when the new keys begin to seal (default: ${String(DEFAULT_DELAY_S)})`);
    command.addHelpText('after', EXAMPLES);
  },
  run: async (options, words, io) => {
    if (words.length !== 1 || words[0] !== 'rotate') throw new UsageError('say what to do: natriumctl keys rotate');
    const delay = options.integer('in', DELAY) ?? DEFAULT_DELAY_S;
    const { runKeysRotate } = await import('../keys/run-keys.js');
    return runKeysRotate({ configDir: configDirOf(options, io), delayMs: delay * 1000 }, io);
  },
};
