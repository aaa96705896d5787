/** Every command line of Natrium with its options, as completion and the manual pages see them: from the same source. */
import type { Documented } from '../common/program.js';
import { callProgram } from '../natrium-call/command.js';
import { keyProgram } from '../natrium-key/command.js';
import { runProgramOf } from '../natrium-run/command.js';
import { natriumProgram } from '../natrium/command.js';
import { subcommandProgram } from '../natriumctl/subcommand.js';
import { SUBCOMMANDS } from '../natriumctl/subcommands.js';
import { topProgram } from '../natriumctl/top-program.js';
import type { Io } from '../ports.js';

/** All five programs. */
export function allDocumented(io: Io): readonly Documented[] {
  const alone = [natriumProgram(io), callProgram(io), runProgramOf(io), keyProgram(io)];
  return [
    ...alone.map((program) => ({ program, subcommands: [] })),
    { program: topProgram(io), subcommands: SUBCOMMANDS.map((subcommand) => subcommandProgram(subcommand, io)) },
  ];
}
