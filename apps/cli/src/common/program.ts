/**
 * The frame around every command: parse, then do; help and version on stdout, a usage error as Python's optparse words
 * it on stderr (Salt's users and scripts know it).
 */
import { Command, CommanderError, Option } from 'commander';
import type { Io } from '../ports.js';
import { candidatesOf, optionOf, spellingsIn, typedSpellings, writtenOut } from './abbreviations.js';
import { EXIT } from './exit-codes.js';
import { checkLogLevels } from './log-level.js';
import { Options, UsageError } from './options.js';
import { versionLine, versionsReport } from './version.js';
import { messageOf } from '@natrium/model';

export interface Program {
  readonly name: string;
  /** What follows `Usage: ` and the name. */
  readonly usage: string;
  readonly command: Command;
  /** What its first word may be, for who completes it. */
  readonly verbs?: readonly string[];
  /** Options after the first word are another program's. */
  readonly passesOn?: true;
}

/** A program as completion and the manual pages tell of it. */
export interface Documented {
  readonly program: Program;
  readonly subcommands: readonly Program[];
}

/** A commander command without side effects: it never exits and prints help through `io` only. */
export function makeCommand(name: string, usage: string, io: Io): Command {
  return new Command(name)
    .usage(usage)
    .argument('[words...]')
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: () => undefined, getOutHasColors: () => false })
    .configureHelp({
      helpWidth: Math.max(60, Math.min(io.columns, 110)),
      // A narrower column than commander would leave unwrapped: beside the longest options there is no more in 60.
      minWidthToWrap: 10,
      visibleArguments: () => [],
    })
    .version(versionLine(name), '--version', 'print program, version and code name')
    .helpOption('-h, --help', 'print this help');
}

/** Another spelling of an option, kept out of the help: commander takes two names at most. */
export function alias(command: Command, flags: string, target: string): void {
  const option = new Option(flags).hideHelp();
  command.addOption(option);
  command.on(`option:${option.name()}`, (value: unknown) => command.setOptionValue(target, value ?? true));
}

/** Parses `argv` and runs `body`, unless only the versions are asked for; whatever goes wrong becomes a sentence and an exit code. */
export async function runProgram(
  { name, usage, command, passesOn }: Program,
  argv: readonly string[] | Promise<readonly string[]>,
  io: Io,
  body: (options: Options, words: readonly string[]) => Promise<number>,
): Promise<number> {
  let words: readonly string[] = [];
  try {
    const given = await argv;
    words = passesOn ? given : writtenOut(given, command);
    command.parse([...words], { from: 'user' });
    const options = new Options(command.opts(), typedSpellings(words, command));
    // Before anything else, whether it is used or not.
    if (options.given('password')) io.hideArguments();
    checkLogLevels(options);
    if (!options.flag('versionsReport')) return await body(options, command.args);
    io.out(versionsReport(io));
    return EXIT.ok;
  } catch (problem) {
    if (problem instanceof CommanderError && problem.exitCode === 0) return EXIT.ok;
    const sentence = usageSentence(problem, words, command);
    if (sentence === undefined) {
      io.err(`${name}: internal error: ${messageOf(problem)}\n`);
      return EXIT.internal;
    }
    io.err(`Usage: ${name} ${usage}\n\n${name}: error: ${sentence}\n`);
    return EXIT.usage;
  }
}

function usageSentence(problem: unknown, argv: readonly string[], command: Command): string | undefined {
  if (problem instanceof UsageError) return problem.message;
  if (!(problem instanceof CommanderError)) return undefined;
  // Only the last word can lack what follows it.
  if (problem.code === 'commander.optionMissingArgument')
    return `${spellingsIn(argv.at(-1) ?? '', command).at(-1) ?? ''} option requires 1 argument`;
  return problem.message
    .replace(/^error: /, '')
    .replace(/^unknown option '([^']*)'(.*)/s, (_, word: string, hint: string) => noSuchOption(word, hint, command));
}

function noSuchOption(word: string, hint: string, command: Command): string {
  const candidates = candidatesOf(word, command);
  const [name = ''] = word.split('=', 1);
  if (candidates.length > 1) return `ambiguous option: ${name} (${candidates.join(', ')}?)`;
  // It is one, but commander does not know it with a value.
  return optionOf(name, command) === undefined
    ? `no such option: ${name}${hint}`
    : `${name} option does not take a value`;
}
