/** What completion and the manual pages tell of a command line, as its help does. */
import type { Command, Option } from 'commander';

/** What the help lists, in its order: hidden spellings are for scripts that know them. */
export function shownOptions(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command);
}

/** `-b` and `--batch`; commander's negated ones are `--no-color`. */
export function spellings(option: Option): readonly string[] {
  return option.flags.split(/[ ,|]+/).filter((word) => word.startsWith('-'));
}

export function takesValue(option: Option): boolean {
  return option.required || option.optional;
}

/** What the help appends: examples and exit codes. */
export function appendix(command: Command): string {
  const parts: string[] = [];
  command.configureOutput({ writeOut: (text) => void parts.push(text) });
  command.outputHelp();
  return parts.join('').slice(command.helpInformation().length).trim();
}
