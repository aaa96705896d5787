/**
 * `natriumctl <subcommand>`: all that Salt has no command for. It finds the subcommand; each parses its own options, so
 * that a usage error speaks of that one.
 */
import { EXIT } from '../common/exit-codes.js';
import { UsageError } from '../common/options.js';
import { runProgram } from '../common/program.js';
import type { CtlPorts, Io } from '../ports.js';
import { type Subcommand, subcommandProgram } from './subcommand.js';
import { SUBCOMMANDS } from './subcommands.js';
import { topProgram } from './top-program.js';

export async function runNatriumctl(argv: readonly string[], io: Io, ports: CtlPorts): Promise<number> {
  const [first, ...rest] = argv;
  const chosen = SUBCOMMANDS.find(({ name }) => name === first);
  if (chosen !== undefined) return runSubcommand(chosen, rest, io, ports);
  const program = topProgram(io, SUBCOMMANDS);
  return runProgram(program, argv, io, async (_, words) => {
    const [word] = words;
    if (word === undefined || word === 'help') {
      program.command.outputHelp();
      return word === undefined ? EXIT.incomplete : EXIT.ok;
    }
    throw new UsageError(`no such subcommand: ${word} (there are ${SUBCOMMANDS.map(({ name }) => name).join(', ')})`);
  });
}

function runSubcommand(subcommand: Subcommand, argv: readonly string[], io: Io, ports: CtlPorts): Promise<number> {
  return runProgram(subcommandProgram(subcommand, io), argv, io, (options, words) =>
    subcommand.run(options, words, io, ports),
  );
}
