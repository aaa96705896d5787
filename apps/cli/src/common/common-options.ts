/** Options that every command line has, with Salt's names. */
import type { Command } from 'commander';
import type { Io } from '../ports.js';
import type { Options } from './options.js';
import { alias } from './program.js';
import { shellWord } from './shell-quoted.js';

const DEFAULT_CONFIG_DIR = '/etc/natrium';

/** @param short Whether `-l` is the log level here (`natrium-key` lists with it). */
export function addCommonOptions(command: Command, { short }: { readonly short: boolean } = { short: true }): void {
  command.optionsGroup('Everywhere:');
  command.option(
    '-c, --config-dir <dir>',
    `folder of the configuration (default: ${DEFAULT_CONFIG_DIR}, or $NATRIUM_CONFIG_DIR)`,
  );
  command.option(
    short ? '-l, --log-level <level>' : '--log-level <level>',
    'changes nothing: commands log nothing, they say it',
  );
  command.option('-V, --versions-report', 'print the versions of all parts');
  hide(command, '--log-file <file>', '--log-file-level <level>', '--saltfile <file>');
}

export function addOutputOptions(command: Command): void {
  command.optionsGroup('Output:');
  command.option(
    '--out, --output <name>',
    'nested (default), json, jsonl, yaml, txt, raw, table, newline_values_only, quiet',
  );
  command.option('--out-indent, --output-indent <n>', 'blanks per level; negative: everything on one line');
  command.option('--out-file, --output-file <file>', 'write results to a file instead of stdout');
  command.option('--out-file-append, --output-file-append', 'add to that file instead of emptying it');
  command.option('--no-color', 'no colours, also on a terminal');
  command.option('--force-color', 'colours also when stdout is no terminal');
  alias(command, '--force-colour', 'forceColor');
  alias(command, '--no-colour', 'noColour');
  hide(command, '--state-output <mode>', '--state_output <mode>', '--state-verbose <bool>', '--state_verbose <bool>');
}

export function addNoParse(command: Command): void {
  command.option('--no-parse <names>', 'named arguments whose values stay text, divided by commas');
}

/** Options of Salt that change nothing here, accepted so that scripts keep working. */
export function hide(command: Command, ...flags: readonly string[]): void {
  for (const flag of flags) command.addOption(command.createOption(flag).hideHelp());
}

/** An empty name, as of a shell's unset variable, is none: it must not mean the folder that one stands in. */
export function configDirOf(options: Options, io: Io): string {
  const given = [options.text('configDir'), io.env['NATRIUM_CONFIG_DIR']].find((folder) => (folder ?? '') !== '');
  return atHome(given ?? DEFAULT_CONFIG_DIR, io.env['HOME'] ?? '');
}

/** What a next command that is printed needs to reach the same cluster, with a blank before it; `''` where the environment leads there. */
export function configWords(options: Options): string {
  const folder = options.text('configDir') ?? '';
  return folder === '' ? '' : ` -c ${shellWord(folder)}`;
}

/** As Salt, also where no shell has seen the `~`: `--config-dir=~/conf`. */
function atHome(folder: string, home: string): string {
  return home === '' ? folder : folder.replace(/^~(?=\/|$)/, () => home);
}
