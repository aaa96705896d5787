import { UsageError } from '../common/options.js';
import type { Subcommand } from './subcommand.js';

const EXAMPLES = `
Examples:
  natriumctl completion bash > /etc/bash_completion.d/natrium
  natriumctl completion zsh > /usr/share/zsh/site-functions/_natrium`;

/** Loaded when asked for: it knows every command, and no other subcommand has to. */
export const completion: Subcommand = {
  name: 'completion',
  usage: 'bash|zsh',
  verbs: ['bash', 'zsh'],
  summary: 'print a completion script for all commands',
  declare: (command) => {
    command.addHelpText('after', EXAMPLES);
  },
  run: async (_, [word, ...more], io, ports) => {
    const { completionScript, SHELLS } = await import('../manual/completion.js');
    const shell = SHELLS.find((one) => one === word);
    if (shell === undefined || more.length > 0) throw new UsageError(`say which shell: ${SHELLS.join(' or ')}`);
    io.out(completionScript(shell, await ports.documented(io)));
    return 0;
  },
};
