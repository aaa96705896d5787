/** One subcommand of `natriumctl`: a file each, listed in `subcommands.ts`. */
import type { Command } from 'commander';
import { addCommonOptions } from '../common/common-options.js';
import type { Options } from '../common/options.js';
import { makeCommand, type Program } from '../common/program.js';
import type { Io } from '../ports.js';
import type { CtlPorts } from './ctl-ports.js';

export const CTL = 'natriumctl';

export interface Subcommand {
  readonly name: string;
  /** What follows the name in the usage line. */
  readonly usage: string;
  /** What its first word may be, where that is one of a few. */
  readonly verbs?: readonly string[];
  readonly summary: string;
  /** Adds its options and examples. */
  readonly declare: (command: Command) => void;
  readonly run: (options: Options, words: readonly string[], io: Io, ports: CtlPorts) => Promise<number>;
}

export function subcommandProgram({ name, usage, verbs = [], summary, declare }: Subcommand, io: Io): Program {
  const whole = `${CTL} ${name}`;
  const command = makeCommand(whole, usage, io).description(summary);
  declare(command);
  addCommonOptions(command);
  return { name: whole, usage, command, verbs };
}
