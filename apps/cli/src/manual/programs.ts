/** Every command line of Natrium with its options, as completion and the manual pages see them: from the same source. */
import type { Command, Option } from 'commander';
import type { Program } from '../common/program.js';
import { callProgram } from '../natrium-call/command.js';
import { keyProgram } from '../natrium-key/command.js';
import { runProgramOf } from '../natrium-run/command.js';
import { natriumProgram } from '../natrium/command.js';
import { type Subcommand, subcommandProgram } from '../natriumctl/subcommand.js';
import type { Io } from '../ports.js';

export interface Documented {
  readonly program: Program;
  readonly subcommands: readonly Program[];
}

/** @param top `natriumctl` itself, which its subcommands would otherwise import in a circle. */
export function documentedPrograms(io: Io, top: Program, subcommands: readonly Subcommand[]): readonly Documented[] {
  const alone = [natriumProgram(io), callProgram(io), runProgramOf(io), keyProgram(io)];
  return [
    ...alone.map((program) => ({ program, subcommands: [] })),
    { program: top, subcommands: subcommands.map((subcommand) => subcommandProgram(subcommand, io)) },
  ];
}

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
