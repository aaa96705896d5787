/**
 * The report of one job on stdout: each return as it comes, the missing at the end, or all as one with `--static`.
 *
 * It decides the exit code: 0 only when every minion that was asked returned, and with retcode 0; a batch has the highest
 * retcode. It knows neither the link nor the clock.
 */
import { hasFailed } from '@natrium/jobs';
import { type Absent, type JobReturn, outForAll, pyRepr, type Value, type ValueMap } from '@natrium/model';
import { gatherDocs, printDocs } from '../common/docs.js';
import { EXIT, HIGHEST_EXIT } from '../common/exit-codes.js';
import type { Printer } from '../common/printer.js';
import { say } from '../common/refused.js';
import type { Io, JobTicket } from '../ports.js';
import { lookUpHint, type Missing, missingText, sayNobody, unknownId } from './missing.js';
import type { ShowOptions } from './request.js';
import { summaryText } from './summary.js';

export interface ReportPorts {
  readonly io: Io;
  readonly printer: Printer;
  readonly show: ShowOptions;
  /** The command asks for documentation, which is printed once for all minions. */
  readonly docs: boolean;
  /** Said once, of what was asked, when somebody does it. */
  readonly note?: string | undefined;
}

/** Formats that a summary may follow; the others are read by programs. */
const FOR_PEOPLE: ReadonlySet<string | undefined> = new Set([undefined, 'nested', 'quiet']);

const NOT_STARTED: JobTicket = { jid: '', minions: [], missing: [] };

export class JobReport {
  readonly #ports: ReportPorts;
  readonly #whole = new Map<string, Value>();
  readonly #docs = new Map<string, string>();
  readonly #failed: string[] = [];
  readonly #missing: Missing[] = [];
  #worst = 0;
  #start: JobTicket = NOT_STARTED;
  /** Several jobs, one after the other: each value is shown with its jid. */
  #batched = false;
  #returned = 0;
  #isNoted = false;
  #out: string | undefined;

  constructor(ports: ReportPorts) {
    this.#ports = ports;
  }

  get jid(): string {
    return this.#start.jid;
  }

  /** How to see later what this job returns. */
  get lookUpHint(): string {
    return lookUpHint(this.jid, this.#ports.show.configWords);
  }

  /** Whether something failed or is missing so far. */
  get hasFailures(): boolean {
    return this.#failed.length + this.#missing.length > 0;
  }

  /** In batches that nobody asked for: said where people read, as Salt does, and on stderr where a program reads stdout. */
  switched(): void {
    const { io, printer } = this.#ports;
    const sentence = '\nNOTICE: Too many minions targeted, switching to batch execution.\n';
    if (this.#gathers() || (printer.asked ?? 'nested') !== 'nested') io.err(sentence);
    else io.out(sentence);
  }

  /** Another job of the same command is about to start, for these minions. */
  batch(ids: readonly string[]): void {
    this.#start = NOT_STARTED;
    this.#batched = true;
    const { printer } = this.#ports;
    if (!this.#gathers() && printer.asked !== 'quiet') printer.say(`\nExecuting run on ${pyRepr([...ids])}\n\n`);
  }

  /** @returns false when nobody matched: nothing follows then. */
  started(start: JobTicket): boolean {
    this.#start = start;
    const { io } = this.#ports;
    const isNobody = start.minions.length === 0 && (!this.#batched || start.missing.length === 0);
    if (isNobody) sayNobody(start.missing, io);
    else if (!this.#batched) this.#sayJid(start.jid);
    if (start.minions.length > 0) this.#sayNote();
    return !isNobody;
  }

  #sayNote(): void {
    const { io, note } = this.#ports;
    if (note !== undefined && !this.#isNoted) say(note, io);
    this.#isNoted = true;
  }

  #sayJid(jid: string): void {
    const { io, show, printer } = this.#ports;
    const sentence = `Executing job with jid ${jid}`;
    // With --static a program reads all of stdout as one document.
    const say = (text: string) => (show.static && !FOR_PEOPLE.has(printer.asked) ? io.err(text) : printer.say(text));
    if (show.verbose) say(`${sentence}\n${'-'.repeat(sentence.length)}\n\n`);
    else if (show.showJid) say(`jid: ${jid}\n`);
  }

  returned(one: JobReturn): void {
    const { id, ret, retcode, out } = one;
    this.#returned += 1;
    this.#worst = Math.max(this.#worst, retcode);
    if (hasFailed(one)) this.#failed.push(id);
    if (this.#ports.docs && !hasFailed(one)) gatherDocs(this.#docs, ret);
    else this.#show(id, ret, out, retcode);
  }

  /** A job's end: who is missing. */
  missed(absent: readonly Absent[]): void {
    const missing: readonly Missing[] = [...this.#start.missing.map(unknownId), ...absent];
    this.#missing.push(...missing);
    for (const one of missing) if (!this.#hides(one)) this.#showMissing(one);
  }

  /** The end of everything. @returns the exit code. */
  finish(): number {
    if (this.#ports.docs) printDocs(this.#docs, this.#ports.printer, this.#ports.io);
    this.#endWhole();
    this.#endSummary();
    if (!this.#ports.docs || this.#returned > 0) return this.#verdict();
    this.#ports.io.err('No minions found to gather docs from\n');
    return EXIT.noneMatched;
  }

  /** Of what is followed no further: what is gathered, and was shown nowhere. Nobody has the jids of a batch's earlier jobs. */
  showGathered(): void {
    if (this.#ports.docs) printDocs(this.#docs, this.#ports.printer, this.#ports.io);
    if (this.#whole.size > 0) this.#endWhole();
  }

  /** A minion that refused has answered, so that `--hide-timeout` does not mean it; `-v` shows all, as in Salt. */
  #hides({ why }: Missing): boolean {
    const { hideMissing, verbose } = this.#ports.show;
    return hideMissing && !verbose && why !== 'refused';
  }

  #show(id: string, ret: Value, out: string | undefined, retcode: number): void {
    if (!this.#gathers()) return this.#ports.printer.show(this.#entry(id, ret, retcode), { out, retcode });
    this.#whole.set(id, ret);
    this.#out ??= outForAll(out);
  }

  #entry(id: string, ret: Value, retcode: number): ValueMap {
    // One line an answer is what jsonl is for.
    if (!this.#batched || this.#ports.printer.asked === 'jsonl') return { [id]: ret };
    const more = Object.entries({ jid: this.jid, retcode }).filter(([key]) => key !== id);
    return { [id]: ret, ...Object.fromEntries(more) };
  }

  #showMissing(missing: Missing): void {
    const text = missingText(missing, this.jid, this.lookUpHint);
    if (this.#gathers()) this.#whole.set(missing.id, text);
    else this.#ports.printer.show({ [missing.id]: text }, { out: 'no_return', retcode: EXIT.failed });
  }

  #gathers(): boolean {
    return this.#ports.show.static || this.#ports.printer.wantsAll;
  }

  #endWhole(): void {
    if (!this.#gathers() || (this.#ports.docs && this.#whole.size === 0)) return;
    // By id: minions return in no order, and what a program reads should not change from call to call.
    const sorted = [...this.#whole].sort(([a], [b]) => (a < b ? -1 : 1));
    this.#ports.printer.show(Object.fromEntries(sorted), { out: this.#out });
  }

  #endSummary(): void {
    const { io, printer, show, docs } = this.#ports;
    if (docs || !show.summary || !FOR_PEOPLE.has(printer.asked)) return;
    io.out(summaryText({ returned: this.#returned, failed: this.#failed, missing: this.#missing }, show.verbose));
  }

  #verdict(): number {
    if (!this.hasFailures) return EXIT.ok;
    // Salt's batch prints no verdict, and exits as the worst of its minions.
    if (this.#batched && !this.#ports.show.static) return Math.min(Math.max(EXIT.failed, this.#worst), HIGHEST_EXIT);
    this.#ports.io.err('ERROR: Minions returned with non-zero exit code\n');
    return EXIT.failed;
  }
}
