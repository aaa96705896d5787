/**
 * `natriumctl <subcommand>`: all that Salt has no command for. It finds the subcommand; each parses its own options, so
 * that a usage error speaks of that one.
 */
import { EXIT } from '../common/exit-codes.js';
import { refuseNotBuilt } from '../common/not-built.js';
import { UsageError } from '../common/options.js';
import { runProgram } from '../common/program.js';
import type { Io } from '../ports.js';
import type { CtlPorts } from './ctl-ports.js';
import { type Subcommand, subcommandProgram } from './subcommand.js';
import { SUBCOMMANDS } from './subcommands.js';
import { topProgram } from './top-program.js';

export async function runNatriumctl(argv: readonly string[], io: Io, ports: CtlPorts): Promise<number> {
  const program = topProgram(io);
  return runProgram(program, argv, io, async (_, words) => {
    const [word, ...rest] = words;
    if (word === undefined || word === 'help') {
      program.command.outputHelp();
      return word === undefined ? EXIT.incomplete : EXIT.ok;
    }
    const chosen = SUBCOMMANDS.find(({ name }) => name === word);
    if (chosen === undefined) {
      const names = SUBCOMMANDS.map(({ name }) => name).join(', ');
      throw new UsageError(`no such subcommand: ${word} (there are ${names})`);
    }
    // What stands before it holds for it as well.
    const before = argv.slice(0, argv.length - words.length);
    return runSubcommand(chosen, [...before, ...rest], io, ports);
  });
}

function runSubcommand(subcommand: Subcommand, argv: readonly string[], io: Io, ports: CtlPorts): Promise<number> {
  const program = subcommandProgram(subcommand, io);
  return runProgram(program, argv, io, async (options, words) => {
    const early = refuseNotBuilt(options, {}, program.name, io);
    return early ?? subcommand.run(options, words, io, ports);
  });
}
