/**
 * Follows a job that was started earlier, by asking the runners what is stored of it whenever the bus of this host tells of a
 * return, and now and then who still works on it. A job that nobody works on any more is over, whoever is missing; a minion that is
 * late to say that it does is asked again before that. A master that is away is waited for: the job goes on without it. An answer has
 * as many returns as one message carries; the others are asked for after it.
 *
 * The gateway has no way to join a running job: an account without that bus asks each second.
 */
import {
  type Absent,
  err,
  isList,
  isMap,
  type JobReturn,
  joinArguments,
  ok,
  type Refusal,
  refusal,
  refuse,
  type Result,
  type Value,
} from '@natrium/model';
import { EXIT, exitOfRefusal } from '../common/exit-codes.js';
import { INTERRUPTED, orInterrupt } from '../common/interrupt.js';
import type { Printer } from '../common/printer.js';
import { refused, say } from '../common/refused.js';
import type { Io, JobEars, MasterLink } from '../ports.js';
import { JobReport } from './job-report.js';
import { LiveStatus } from './live-status.js';
import type { ShowOptions } from './request.js';

export interface StoredParts {
  readonly link: MasterLink;
  readonly printer: Printer;
  readonly io: Io;
  /** undefined: nobody tells of returns. */
  readonly ears: JobEars | undefined;
  readonly show: ShowOptions;
}

interface Stored {
  readonly minions: readonly string[];
  readonly returns: readonly JobReturn[];
  /** Who has returned what this answer did not carry beside the others. */
  readonly left: readonly string[];
}

const EVERY_MS = 1000;
/** `jobs.active` asks the minions, so it is asked less often; never at once, for a job may be on its way still. */
const ACTIVE_EVERY_MS = 5000;
/** One answer without a minion may be one that it missed: so many in a row say that nobody works on the job. */
const EMPTY_LOOKS = 3;
const RUN_SECONDS = 10;
/** So many minions are asked for by their names: of more the answer would hold little but names. */
const NAMED = 1000;

export async function followStored(jid: string, waitMs: number, parts: StoredParts): Promise<number> {
  const { io } = parts;
  const live = new LiveStatus(io);
  try {
    const job = new StoredJob(jid, parts, live);
    const exit = await orInterrupt(job.follow(io.now() + waitMs), io);
    if (exit !== INTERRUPTED) return exit;
    live.erase();
    io.err('\nThe job goes on.\n');
    job.leave();
    return EXIT.interrupted;
  } finally {
    live.ended();
  }
}

class StoredJob {
  readonly #report: JobReport;
  readonly #seen = new Set<string>();
  #minions: readonly string[] = [];
  #working: readonly string[] = [];
  /** Looks in a row that found nobody at work. */
  #emptyLooks = 0;
  #isLeft = false;

  constructor(
    private readonly jid: string,
    private readonly parts: StoredParts,
    private readonly live: LiveStatus,
  ) {
    const { io, printer, show } = parts;
    this.#report = new JobReport({ io, printer, show, docs: false });
  }

  async follow(until: number): Promise<number> {
    const { io } = this.parts;
    const first = await this.#stored();
    if (!first.ok) return refused(first.error, io);
    if (first.value === undefined) return this.#unknown();
    this.#minions = first.value.minions;
    if (!this.#report.started({ jid: this.jid, minions: this.#minions, missing: [] })) return EXIT.noneMatched;
    this.live.started(this.#minions, []);
    const shown = await this.#show(first.value);
    return shown.ok || isPassing(shown.error) ? this.#goOn(until) : this.#givenUp(shown.error);
  }

  async #goOn(until: number): Promise<number> {
    const { io } = this.parts;
    let askActiveAt = io.now() + EVERY_MS;
    while (this.#silent().length > 0) {
      const isLast = io.now() >= until;
      const asksActive = isLast || io.now() >= askActiveAt;
      if (asksActive) askActiveAt = io.now() + ACTIVE_EVERY_MS;
      const active = asksActive ? await this.#lookAtWork() : ok(null);
      if (!active.ok && (isLast || !isPassing(active.error))) return this.#givenUp(active.error);
      // After the question who works: what returned in between is seen.
      const shown = await this.#look();
      if (!shown.ok && (isLast || !isPassing(shown.error))) return this.#givenUp(shown.error);
      if (!shown.ok) await io.wait(EVERY_MS);
      else if (isLast || this.#emptyLooks >= EMPTY_LOOKS) break;
      else if (this.#silent().length > 0) await this.#nextLook(Math.min(askActiveAt, until) - io.now());
    }
    this.live.ended();
    this.#report.missed(
      this.#silent().map((id): Absent => ({ id, why: this.#working.includes(id) ? 'running' : 'no_answer' })),
    );
    return this.#report.finish();
  }

  /** Shows what is gathered, and nothing after it. */
  leave(): void {
    this.#isLeft = true;
    this.#report.showGathered();
  }

  #givenUp(why: Refusal): number {
    this.live.erase();
    this.#report.showGathered();
    return refused(why, this.parts.io);
  }

  /** @param atMostMs Milliseconds until something else is to be asked. */
  async #nextLook(atMostMs: number): Promise<void> {
    const { io, ears } = this.parts;
    if (ears === undefined || ears.isGone) await io.wait(EVERY_MS);
    else await Promise.race([ears.heard(), io.wait(Math.max(atMostMs, 0))]);
  }

  async #look(): Promise<Result<null, Refusal>> {
    const silent = this.#silent();
    const stored = await this.#stored(silent.length <= NAMED ? silent : undefined);
    if (!stored.ok) return stored;
    return stored.value === undefined ? ok(null) : this.#show(stored.value);
  }

  /** Prints what is told and, one message after another, what is left. */
  async #show(stored: Stored): Promise<Result<null, Refusal>> {
    this.#print(stored.returns);
    let left = this.#unseen(stored.left);
    let most = NAMED;
    while (left.length > 0) {
      const part = await this.#stored(left.slice(0, most));
      if (!part.ok) return part;
      if (part.value === undefined) break;
      this.#print(part.value.returns);
      const next = this.#unseen(left);
      const isStuck = next.length === left.length;
      if (isStuck && most === 1) return err(tooLarge(this.jid, left[0] ?? ''));
      most = isStuck ? 1 : NAMED;
      left = next;
    }
    return ok(null);
  }

  #print(returns: readonly JobReturn[]): void {
    for (const one of returns.filter(({ id }) => !this.#seen.has(id))) {
      this.#seen.add(one.id);
      this.live.returned(one.id);
      this.#report.returned(one);
    }
  }

  #unseen(ids: readonly string[]): readonly string[] {
    return ids.filter((id) => !this.#seen.has(id));
  }

  #silent(): readonly string[] {
    return this.#unseen(this.#minions);
  }

  #unknown(): number {
    say(`There is no job ${this.jid} that this account may read; it may be older than keep_jobs.`, this.parts.io);
    return EXIT.failed;
  }

  /** @param minions Of these; of all where it is missing. @returns undefined: nobody knows the job. */
  async #stored(minions?: readonly string[]): Promise<Result<Stored | undefined, Refusal>> {
    const named = { partial: true, ...(minions === undefined ? {} : { minions: [...minions] }) };
    const answer = await this.#ask('jobs.list_job', joinArguments({ positional: [this.jid], named }));
    return answer.ok ? ok(storedIn(answer.value)) : answer;
  }

  async #lookAtWork(): Promise<Result<null, Refusal>> {
    const answer = await this.#ask('jobs.active', []);
    const working = answer.ok ? workingIn(answer.value, this.jid) : undefined;
    this.#working = working ?? this.#working;
    // A look that failed is no empty one, and ends a row: a gateway that has just come back may not hear all minions yet.
    this.#emptyLooks = working?.length === 0 ? this.#emptyLooks + 1 : 0;
    return answer.ok ? ok(null) : answer;
  }

  async #ask(fun: string, args: readonly Value[]): Promise<Result<Value, Refusal>> {
    const answer = await this.parts.link.run({ fun, args, timeout: RUN_SECONDS });
    // All is said: an answer that was under way, or that the link has closed, is no news any more.
    if (this.#isLeft) return new Promise(() => undefined);
    if (!answer.ok) return answer;
    const { ret, retcode, success } = answer.value;
    if (retcode === 0 && success) return ok(ret);
    return refuse('no_runner_available', `${fun} failed: ${typeof ret === 'string' ? ret : 'no reason given'}`);
  }
}

/** Whoever is not there now may be soon. */
function isPassing(why: Refusal): boolean {
  return exitOfRefusal(why) === EXIT.unavailable;
}

function storedIn(job: Value): Stored | undefined {
  if (!isMap(job) || Object.hasOwn(job, 'Error')) return undefined;
  const { Minions: minions = [], Result: results = {}, Left: left = [] } = job;
  return {
    minions: textsIn(minions),
    returns: isMap(results) ? Object.entries(results).flatMap(([id, one]) => returnIn(id, one)) : [],
    left: textsIn(left),
  };
}

function textsIn(value: Value): readonly string[] {
  return isList(value) ? value.filter((item) => typeof item === 'string') : [];
}

function tooLarge(jid: string, id: string): Refusal {
  return refusal(
    'bad_request',
    `What ${id} returned does not fit beside what was asked into one message, which carries 7 MiB: GET /jobs/${jid} of the HTTP API tells it`,
  );
}

function returnIn(id: string, one: Value): readonly JobReturn[] {
  if (!isMap(one)) return [];
  const { return: ret = null, retcode, success, out } = one;
  const code = typeof retcode === 'number' ? retcode : EXIT.failed;
  return [{ id, ret, retcode: code, success: success === true, ...(typeof out === 'string' ? { out } : {}) }];
}

/** `Running` is a list of `{id: pid}`. */
function workingIn(active: Value, jid: string): readonly string[] {
  const job = isMap(active) ? active[jid] : undefined;
  const running = job !== undefined && isMap(job) ? job['Running'] : undefined;
  return running !== undefined && isList(running) ? running.flatMap((one) => (isMap(one) ? Object.keys(one) : [])) : [];
}
