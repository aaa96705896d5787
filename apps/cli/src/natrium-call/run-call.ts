/**
 * `natrium-call`: one function on this host, its answer under `local:`.
 *
 * A refusal is one sentence on stderr and no answer on stdout, so that nobody takes it for an empty result.
 *
 * Spec: docs/exit-codes.md.
 */
import { funArgs, type Value, type ValueMap } from '@natrium/model';
import { printableLines } from '@natrium/output';
import { configDirOf } from '../common/common-options.js';
import { docsIn, printDocs } from '../common/docs.js';
import { EXIT, exitOfRetcode } from '../common/exit-codes.js';
import { endedBy, orEnded } from '../common/interrupt.js';
import { refuseNotBuilt } from '../common/not-built.js';
import { type Options, UsageError } from '../common/options.js';
import { makePrinter, type Printer } from '../common/printer.js';
import { runProgram } from '../common/program.js';
import { notConnected, refused, say } from '../common/refused.js';
import { withStdinWords } from '../common/stdin-words.js';
import { callArguments } from '../common/words.js';
import type { AgentOptions, CallOptions, CallOutcome, ConnectAgent, Io } from '../ports.js';
import { callProgram, NOT_BUILT } from './command.js';

interface Call {
  readonly fun: string;
  readonly args: readonly Value[];
  readonly options: CallOptions;
  /** The answer is documentation, to be printed as such and not as a result. */
  readonly docs: boolean;
  readonly passThrough: boolean;
  /** Print the whole outcome, not only what was returned. */
  readonly whole: boolean;
}

export async function runNatriumCall(argv: readonly string[], io: Io, connectAgent: ConnectAgent): Promise<number> {
  const program = callProgram(io);
  return runProgram(program, withStdinWords(argv, program.command, io), io, async (options, words) => {
    const call = callOf(options, words);
    if (call === undefined) {
      program.command.outputHelp();
      io.err(`\n${program.name}: error: Requires function, --grains or --doc\n`);
      return EXIT.noFunction;
    }
    const early = refuseNotBuilt(options, NOT_BUILT, program.name, io);
    if (early !== undefined) return early;
    const printer = makePrinter(options, io);
    return callThrough(connectAgent, agentOptions(options, io), call, printer, io);
  });
}

function callOf(options: Options, words: readonly string[]): Call | undefined {
  const timeout = options.timeout();
  const returner = options.text('return') ?? '';
  const how = {
    options: {
      ...(timeout === undefined ? {} : { timeout }),
      ...(returner === '' ? {} : { returner }),
    },
    passThrough: options.flag('retcodePassthrough'),
    whole: options.flag('metadata'),
  };
  if (options.flag('grains') && words.length > 0) throw new UsageError('-g/--grains does not accept any arguments');
  if (options.flag('grains')) return { ...how, fun: 'grains.items', args: [], docs: false };
  if (options.flag('doc')) {
    if (words.length > 1) throw new UsageError('You can only get documentation for one method at one time.');
    return { ...how, fun: 'sys.doc', args: words, docs: true };
  }
  const [fun, ...rest] = words;
  if (fun === undefined) return undefined;
  return { ...how, fun, args: callArguments(rest, options.list('parse')), docs: false };
}

function agentOptions(options: Options, io: Io): AgentOptions {
  const id = options.text('id') ?? '';
  const master = options.text('master') ?? '';
  const moduleDirs = options.list('moduleDirs');
  return {
    configDir: configDirOf(options, io),
    local: options.flag('local'),
    ...(id === '' ? {} : { id }),
    ...(master === '' ? {} : { master }),
    ...(moduleDirs.length === 0 ? {} : { moduleDirs }),
  };
}

async function callThrough(
  connect: ConnectAgent,
  how: AgentOptions,
  call: Call,
  printer: Printer,
  io: Io,
): Promise<number> {
  const link = await connect(how);
  if (!link.ok) return notConnected(link.error, io);
  try {
    const outcome = await orEnded(link.value.call(call.fun, call.args, call.options), io);
    return typeof outcome === 'string' ? endedBy(outcome, io) : tell(outcome, call, printer, io);
  } finally {
    await link.value.close();
  }
}

function tell(outcome: CallOutcome, call: Call, printer: Printer, io: Io): number {
  for (const note of outcome.notes) say(note, io);
  if (outcome.refusal !== undefined) return refused(outcome.refusal, io);
  const { ret, retcode, success, out, untaken = [] } = outcome;
  if (retcode !== 0 && ret === `'${call.fun}' is not available.`) {
    io.err(`${ret}\n`);
    return EXIT.unknownFunction;
  }
  if (outcome.problem !== undefined) tellProblem(call.fun, outcome.problem, io);
  else if (call.docs && retcode === 0) printDocs(docsIn(ret), printer, io);
  else if (call.whole) printer.show({ local: wholeOf(call, outcome) }, { retcode });
  else printer.show({ local: ret }, { out, retcode });
  for (const sentence of untaken) say(sentence, io);
  if (call.passThrough && retcode !== 0) return exitOfRetcode(retcode);
  return retcode === 0 && success && untaken.length === 0 ? EXIT.ok : EXIT.failed;
}

/** On stderr, so that nobody takes it for a result; the usage is one, as with `-d`. */
function tellProblem(fun: string, { sentence, usage }: NonNullable<CallOutcome['problem']>, io: Io): void {
  if (usage === undefined) return io.err(`Error running '${fun}': ${printable(sentence)}\n`);
  io.err(`\nPassed invalid arguments: ${printable(sentence)}.\n\nUsage:\n`);
  io.out(`${printable(usage).trimEnd()}\n`);
}

/** Without what a terminal would obey. */
function printable(text: string): string {
  return printableLines(text).join('\n');
}

/** Salt's names; a call has no jid of its own here. */
function wholeOf({ fun, args }: Call, { ret, retcode, success, out }: CallOutcome): ValueMap {
  return { fun, fun_args: funArgs(args), return: ret, retcode, success, ...(out === undefined ? {} : { out }) };
}
