/** `natriumctl` without a subcommand: its help lists them. */
import { addCommonOptions } from '../common/common-options.js';
import { makeCommand, type Program } from '../common/program.js';
import type { Io } from '../ports.js';
import { CTL } from './subcommand.js';
import { SUBCOMMANDS } from './subcommands.js';

const USAGE = '<subcommand> [options]';

export function topProgram(io: Io): Program {
  const command = makeCommand(CTL, USAGE, io).description('Found, start and look after a cluster.');
  addCommonOptions(command);
  command.passThroughOptions(); // those after the subcommand are its own
  const width = Math.max(...SUBCOMMANDS.map(({ name }) => name.length));
  const lines = SUBCOMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  command.addHelpText('after', `\nSubcommands:\n${lines.join('\n')}\n\n'${CTL} <subcommand> -h' says more about each.`);
  return { name: CTL, usage: USAGE, command, passesOn: true };
}
