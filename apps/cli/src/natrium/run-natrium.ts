/**
 * `natrium`: read the command line, ask the master, print what comes.
 *
 * Everything that can be refused without the master is refused before connecting to it.
 *
 * Spec: docs/exit-codes.md.
 */
import { ok, type Refusal, type Result } from '@natrium/model';
import { isTellable } from '@natrium/wire';
import { EXIT } from '../common/exit-codes.js';
import { interrupted, INTERRUPTED, orInterrupt } from '../common/interrupt.js';
import { refuseNotBuilt } from '../common/not-built.js';
import { makePrinter, type Printer } from '../common/printer.js';
import { runProgram } from '../common/program.js';
import { refused, say } from '../common/refused.js';
import { withStdinWords } from '../common/stdin-words.js';
import { withMaster } from '../common/with-master.js';
import type { ConnectMaster, Io, MasterLink, JobAsk } from '../ports.js';
import { batchPlan, subsetOf } from './batch.js';
import { natriumProgram, NOT_BUILT } from './command.js';
import { followJob, type FollowParts } from './follow.js';
import { JobReport } from './job-report.js';
import { NO_RETURN, sayNobody, sayUnknown } from './missing.js';
import { type Request, requestOf, shownBy } from './request.js';
import { listAsk, type Matched, runBatch } from './run-batch.js';
import { noteOn } from './shell-note.js';

export async function runNatrium(argv: readonly string[], io: Io, connectMaster: ConnectMaster): Promise<number> {
  const program = natriumProgram(io);
  return runProgram(program, withStdinWords(argv, program.command, io), io, async (options, words) => {
    // Loaded when it is asked for: no job waits for it.
    if (options.flag('configDump')) return (await import('./config-dump.js')).dumpConfig(options, io);
    const request = requestOf(options, words);
    if (!request.ok) {
      // As in Salt, the help is for who gave no function.
      const helps = words.length < 2;
      if (helps) program.command.outputHelp();
      io.err(`${helps ? '\n' : ''}${request.error}\n`);
      return EXIT.incomplete;
    }
    const early = refuseNotBuilt(options, notBuiltHere(request.value), program.name, io);
    if (early !== undefined) return early;
    const printer = makePrinter(options, io);
    return withMaster(connectMaster, options, io, (link) => carryOut(request.value, link, printer, io));
  });
}

function notBuiltHere({ mode, batch: { size, safeLimit = 0 } }: Request): Readonly<Record<string, string>> {
  const batch = size !== undefined ? '--batch' : safeLimit > 1 ? '--batch-safe-limit' : undefined;
  return { ...NOT_BUILT, ...(mode === 'async' && batch !== undefined ? { async: `${batch} with --async` } : {}) };
}

async function carryOut(request: Request, link: MasterLink, printer: Printer, io: Io): Promise<number> {
  const { mode, subset } = request;
  const batch = batchPlan(request.batch, link.defaults);
  const show = shownBy(request.show, link.defaults);
  const ask = { ...request.ask, timeout: request.ask.timeout ?? link.defaults.timeout };
  if (mode === 'preview') return preview(link, ask, printer, io);
  const docs = ask.funs.length === 1 && ask.funs[0] === 'sys.doc';
  const note = noteOn(ask);
  const report = new JobReport({ io, printer, show, docs, note });
  const parts: FollowParts = { link, report, io, progress: request.progress };
  if (batch === undefined && subset === undefined) return publish(mode, ask, parts, note);
  const matched = await orInterrupt(matchedBy(request, link, io), io);
  if (matched === INTERRUPTED) return interrupted(io);
  if (!matched.ok) return refused(matched.error, io);
  const { minions, unknown } = matched.value;
  if (minions.length === 0) return noneMatched(report, unknown);
  if (batch !== undefined && minions.length >= batch.from) {
    if (mode === 'async') return tooManyToStart(minions.length, batch.from, io);
    return runBatch(ask, matched.value, batch, parts);
  }
  return publish(mode, subset === undefined ? ask : listAsk(ask, minions), parts, note);
}

async function publish(mode: Request['mode'], ask: JobAsk, parts: FollowParts, note?: string): Promise<number> {
  if (mode === 'async') return startOnly(ask, parts, note);
  const early = await followJob(parts.link.publish(ask), parts);
  if (early === undefined) return parts.report.finish();
  parts.report.showGathered();
  return early;
}

/** Of the configuration's limit: with that of the command line nobody is asked who matches. */
function tooManyToStart(matched: number, limit: number, io: Io): number {
  io.err(
    `natrium: ${String(matched)} minions match, which with batch_safe_limit ${String(limit)} are asked in batches; a batch with ` +
      '--async is not built yet; nothing was done. --batch-safe-limit=0 asks them all at once.\n',
  );
  return EXIT.notBuilt;
}

/** Who is meant now; with `--subset` some of those who are connected, by chance. */
async function matchedBy({ ask, subset }: Request, link: MasterLink, io: Io): Promise<Result<Matched, Refusal>> {
  const { tgt, tgtType, delimiter, funs, args } = ask;
  const found = await link.preview({
    ...{ tgt, tgtType, funs, args },
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(subset === undefined ? {} : { connected: true }),
  });
  if (!found.ok) return found;
  const minions = [...found.value].sort();
  if (subset !== undefined) return ok({ minions: subsetOf(minions, subset, () => io.random()), unknown: [] });
  return ok({
    minions,
    unknown: typeof tgt === 'string' ? [] : [...new Set(tgt)].filter((id) => isTellable(id) && !minions.includes(id)),
  });
}

function noneMatched(report: JobReport, missing: readonly string[]): number {
  report.started({ jid: '', minions: [], missing });
  return EXIT.noneMatched;
}

async function preview(link: MasterLink, ask: JobAsk, printer: Printer, io: Io): Promise<number> {
  const { tgt, tgtType, delimiter } = ask;
  const answer = await orInterrupt(
    link.preview({ tgt, tgtType, ...(delimiter === undefined ? {} : { delimiter }) }),
    io,
  );
  if (answer === INTERRUPTED) return interrupted(io);
  if (!answer.ok) return refused(answer.error, io);
  printer.show([...answer.value].sort());
  if (answer.value.length > 0) return EXIT.ok;
  io.err(NO_RETURN);
  return EXIT.noneMatched;
}

async function startOnly(ask: JobAsk, { link, io }: FollowParts, note?: string): Promise<number> {
  const answer = await orInterrupt(link.publishAsync(ask), io);
  if (answer === INTERRUPTED) return interrupted(io);
  if (!answer.ok) return refused(answer.error, io);
  if (answer.value.minions.length === 0) {
    sayNobody(answer.value.missing, io);
    return EXIT.noneMatched;
  }
  sayUnknown(answer.value.missing, io);
  io.out(`Executed command with job ID: ${answer.value.jid}\n`);
  if (note !== undefined) say(note, io);
  return EXIT.ok;
}
