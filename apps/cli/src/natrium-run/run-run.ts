/**
 * `natrium-run`: one runner, its bare answer on stdout.
 *
 * Diverges: Salt exits 0 whatever happened; here a refusal, a failure and an unknown runner do not.
 *
 * Spec: docs/exit-codes.md.
 */
import { ASYNC_TIMEOUT } from '@natrium/jobs';
import { configDirOf, configWords } from '../common/common-options.js';
import { docsIn, printDocs } from '../common/docs.js';
import { EXIT } from '../common/exit-codes.js';
import { CTRL_C, INTERRUPTED, orInterrupt } from '../common/interrupt.js';
import { refuseNotBuilt } from '../common/not-built.js';
import { type Options, UsageError } from '../common/options.js';
import { makePrinter, type Printer } from '../common/printer.js';
import { runProgram } from '../common/program.js';
import { refused } from '../common/refused.js';
import { withStdinWords } from '../common/stdin-words.js';
import { hasLogin } from '../common/login.js';
import { withMaster } from '../common/with-master.js';
import { callArguments } from '../common/words.js';
import type { ConnectMaster, Io, MasterLink, RunAnswer, RunAsk } from '../ports.js';
import { NOT_BUILT, runProgramOf } from './command.js';

interface Run {
  /** Without a timeout where the command line has none: then the configuration's counts. */
  readonly ask: Omit<RunAsk, 'timeout'> & { readonly timeout: number | undefined };
  /** The answer is documentation, to be printed as such. */
  readonly docs?: boolean;
}

interface Started extends Run {
  /** For the next command that is printed: ` -c DIR` or `''`. */
  readonly onward: string;
}

export async function runNatriumRun(argv: readonly string[], io: Io, connectMaster: ConnectMaster): Promise<number> {
  const program = runProgramOf(io);
  return runProgram(program, withStdinWords(argv, program.command, io), io, async (options, words) => {
    const run = runOf(options, words);
    if (run === undefined) {
      program.command.outputHelp();
      io.err(`\n${program.name}: error: Requires a runner function or --doc\n`);
      return EXIT.noFunction;
    }
    const early = refuseNotBuilt(options, NOT_BUILT, program.name, io);
    if (early !== undefined) return early;
    const printer = printerFor(run, options, io);
    // Salt's runner prints as it listens: that is done here, at the bus of this host.
    if (run.ask.fun === 'state.event') {
      if (hasLogin(options)) throw new UsageError('state.event listens on this host as this account: without -a');
      const { stateEvent } = await import('../events/state-event.js');
      return stateEvent(configDirOf(options, io), run.ask.args, { io, printer });
    }
    const onward = configWords(options);
    return withMaster(connectMaster, options, io, (link) => carryOut({ ...run, onward }, link, printer, io));
  });
}

/** With `--quiet` only documentation is shown, as in Salt. */
function printerFor({ docs = false }: Run, options: Options, io: Io): Printer {
  const printer = makePrinter(options, io);
  return options.flag('quiet') && !docs ? { ...printer, show: () => undefined } : printer;
}

function runOf(options: Options, words: readonly string[]): Run | undefined {
  const timeout = options.timeout();
  const [fun, ...rest] = words;
  if (options.flag('doc')) {
    if (rest.length > 0) throw new UsageError('You can only get documentation for one method at one time.');
    return { ask: { fun: 'doc.runner', args: fun === undefined ? [] : [fun], timeout }, docs: true };
  }
  if (fun === undefined) return undefined;
  const args = callArguments(rest, options.list('parse'));
  return { ask: { fun, args, timeout, ...(options.flag('async') ? { async: true } : {}) } };
}

async function carryOut(
  { ask: asked, docs = false, onward }: Started,
  link: MasterLink,
  printer: Printer,
  io: Io,
): Promise<number> {
  let jid = '';
  const timeout = asked.timeout ?? (asked.async === true ? ASYNC_TIMEOUT : link.defaults.runnerTimeout);
  const ask = { ...asked, timeout };
  const answer = await orInterrupt(link.run(ask, (told) => (jid = told)), io); // prettier-ignore
  if (answer === INTERRUPTED) return interrupted(jid, onward, io);
  if (!answer.ok) return refused(answer.error, io);
  if (ask.async === true) return underWay(answer.value, io);
  const { ret, retcode, success, out } = answer.value;
  if (retcode !== 0 || !success) {
    printer.show(ret, { out, retcode });
    return EXIT.failed;
  }
  if (docs) printDocs(docsIn(ret), printer, io);
  else printer.show(ret, { out });
  return EXIT.ok;
}

/** What runs goes on without this command. */
function interrupted(jid: string, onward: string, io: Io): number {
  io.err(`\n${CTRL_C}\n`);
  if (jid !== '') {
    io.err(
      `This run's jid is: ${jid}\nIt may not have finished. What it returns is told on the event bus; to look it up later, run the ` +
        `following command:\n\nnatriumctl event replay${onward} salt/run/${jid}\n`,
    );
  }
  return EXIT.interrupted;
}

function underWay({ jid }: RunAnswer, io: Io): number {
  io.err(
    '[WARNING ] Running in asynchronous mode. Results of this execution may be collected by attaching to the master ' +
      `event bus or by examining the master job cache, if configured. This execution is running under tag salt/run/${jid}\n`,
  );
  return EXIT.ok;
}
