/** All five programs, for completion and the manual. */
import { type Documented, documentedPrograms } from '../manual/programs.js';
import type { Io } from '../ports.js';
import { SUBCOMMANDS } from './subcommands.js';
import { topProgram } from './top-program.js';

export function allDocumented(io: Io): readonly Documented[] {
  return documentedPrograms(io, topProgram(io, SUBCOMMANDS), SUBCOMMANDS);
}
