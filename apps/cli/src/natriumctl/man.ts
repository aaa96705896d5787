import { UsageError } from '../common/options.js';
import { pathTrouble } from '../common/path-trouble.js';
import type { Subcommand } from './subcommand.js';

const EXAMPLES = `
Example:
  natriumctl man /usr/local/share/man/man8`;

/** Loaded when asked for, as `completion` is. */
export const man: Subcommand = {
  name: 'man',
  usage: '<dir>',
  summary: 'write the manual pages of all commands into a folder',
  declare: (command) => {
    command.addHelpText('after', EXAMPLES);
  },
  run: async (_, [dir, ...more], io, ports) => {
    if (dir === undefined || dir === '' || more.length > 0)
      throw new UsageError('name the folder for the manual pages');
    const { manPage, manPageName } = await import('../manual/man-page.js');
    for (const documented of await ports.documented(io)) {
      const path = `${dir}/${manPageName(documented)}`;
      write(path, manPage(documented), (where) => io.openFile(where, false));
      io.out(`${path}\n`);
    }
    return 0;
  },
};

function write(path: string, text: string, open: (path: string) => (text: string) => void): void {
  try {
    open(path)(text);
  } catch (problem) {
    throw new UsageError(pathTrouble(path, problem));
  }
}
