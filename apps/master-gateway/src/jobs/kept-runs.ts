/**
 * What runners and the wheel answered, in the job cache: clients ask for it by its jid, as for a job's returns. As in Salt it is the
 * return of the master itself, and holds what the event of the run's end says.
 *
 * The gateway that granted a run keeps its end, and tells the runner-service that asks when it has; where it has not, any gateway
 * does. What a gateway itself says of a run whose runner-service is silent or gone is a guess, and gives way.
 * Spec: spec/envelope.md#durability.
 */
import { hostname } from 'node:os';
import { digestOf, readAsked } from '@natrium/bus';
import { type Grant, toHex } from '@natrium/envelope';
import { stampOf } from '@natrium/events';
import { UnderWay } from '@natrium/process';
import { type Ran, refusedRun, type RunStart } from '@natrium/flow';
import {
  isList,
  isMap,
  type Jid,
  keepLatest,
  ok,
  parseJid,
  type Refusal,
  refusal,
  refuse,
  type Result,
  type Signed,
  startTimeOf,
  type Value,
  type ValueMap,
} from '@natrium/model';
import type { Body, contracts, records } from '@natrium/wire';
import type { Logger } from 'pino';
import { AtOnce } from '../at-once.js';
import type { JobEvents } from '../events/job-events.js';
import type { JobCache } from './job-cache.js';
import { shallow } from './job-views.js';
import type { OpenRuns } from './open-runs.js';

const OF_MASTER = '_master';
const MASTER = `${hostname()}${OF_MASTER}`;
/** Whoever keeps what another gateway should have kept stores it under this key: the first is the only one. */
const END = 'end';
/** The key of what is said of a run whose gateway and runner-service are gone, so that gateways that find it lost at once keep it once. */
const LOST = 'lost';
const IS_LOST = 'no runner-service says that it works on it any more; whether it ran to its end is not known';
/** Stands before the id of a guess: readers see one return of each id, and a guess must not hide the answer. */
const GUESSED = '?';
/** How many kept ends are remembered, the latest: their runner-services may not have asked for them yet. */
const MAX_KEPT = 10_000;
/** How long after its time a run's end may come: its runner-service was stopped, or had no gateway. */
const LATE_MS = 3_600_000;

/**
 * Ends at once of which it is looked for whether they are kept. After a long trouble there are hundreds, and whoever waits for
 * one asks again: a broker that is asked for all of them at once answers none in time, and never comes to rest.
 */
const LOOKED_FOR_AT_ONCE = 4;

const NOT_YET = 'what a run answered could not be kept or told yet';

interface RunParts {
  readonly open: Pick<OpenRuns, 'begin' | 'end'>;
  readonly cache: Pick<JobCache, 'storeReturn' | 'storeLate' | 'returnsOf'>;
  readonly events: Pick<JobEvents, 'runStarted' | 'endOf' | 'runEnded' | 'isToldAsEnded'>;
  /** What an acl-service has signed, also when its time is over. */
  readonly grantOf: (grant: Signed) => Grant | undefined;
  /** Whether another gateway may have kept meanwhile what comes here now. */
  readonly stoodStill: () => boolean;
  readonly now: () => number;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}

export class KeptRuns {
  /** What runs answered that is kept and told, oldest first. */
  readonly #kept = new Set<string>();
  readonly #underWay = new UnderWay();
  /** By jid, what runner-services handed over and is not kept yet. */
  readonly #taking = new Map<Jid, Promise<Result<null, Refusal>>>();
  readonly #lookedFor = new AtOnce(LOOKED_FOR_AT_ONCE);

  constructor(private readonly parts: RunParts) {}

  /** Of which of these runs the answer is kept here: whoever has it may forget it. */
  kept(jids: readonly string[]): string[] {
    return jids.filter((jid) => this.#kept.has(jid));
  }

  /** Resolves when no end is being kept. */
  settled(): Promise<void> {
    return this.#underWay.settled();
  }

  /**
   * A run begins here, or with `ran` has ended. Whoever hears of its end finds what it answered in the job cache.
   *
   * @param isGuess It is not the runner-service that says so.
   */
  announce(start: RunStart, ran?: Ran, isGuess = false): void {
    if (ran === undefined) this.parts.events.runStarted(start);
    else void this.#underWay.during(() => this.#end(start, ran, isGuess));
  }

  /** Should this gateway and the runner-service both be lost, another gateway says so of the run. Never fails. */
  async writeDown(start: RunStart): Promise<void> {
    try {
      await this.parts.open.begin(start);
    } catch (cause) {
      const { jid } = start;
      this.parts.log.warn({ err: cause, jid }, 'a run is not written down: it has no end if its services are lost');
    }
  }

  /**
   * No gateway and no runner-service says that it has this run: what is kept of its end is told, and where nothing is, that nobody knows.
   *
   * @throws {Error} When that cannot be kept or told yet.
   */
  async lost(start: RunStart): Promise<void> {
    const { cache, events, log, now } = this.parts;
    const { jid } = start;
    const [end, isNew] = await this.#lookedFor.run(async () => {
      const kept = endOf(await cache.returnsOf({ jid }));
      if (kept !== undefined) return [kept, false];
      const unknown = events.endOf(start, refusedRun(jid, refusal('no_runner_available', IS_LOST)));
      const guess = asReturn({ jid, id: `${GUESSED}${MASTER}` }, unknown, now());
      return [unknown, await cache.storeLate(guess, LOST)];
    });
    if (isNew) log.warn({ jid }, IS_LOST);
    // Its gateway, or another that found the run lost, may have died between the two.
    if (isNew || !(await events.isToldAsEnded(start, end))) await events.runEnded(start, end);
    this.#close(jid);
  }

  /** Keeps what a run answered whose own gateway has not. `store_unavailable`: not yet. */
  async take({ refusal: no, outcome, ...run }: Body<typeof contracts.ended>): Promise<Result<null, Refusal>> {
    const granted = this.#granted(run);
    if (!granted.ok) return granted;
    const start = granted.value;
    const { jid } = start;
    if (this.#kept.has(jid)) return ok(null);
    const before = this.#taking.get(jid);
    if (before !== undefined) return before;
    const end = this.parts.events.endOf(start, { refusal: no, outcome, jid });
    const taking = this.#take(start, end).finally(() => this.#taking.delete(jid));
    this.#taking.set(jid, taking);
    return taking;
  }

  async #take(start: RunStart, end: ValueMap): Promise<Result<null, Refusal>> {
    const { events, log } = this.parts;
    const { jid } = start;
    try {
      const isNew = await this.#lookedFor.run(() => this.#storeOnce(jid, end));
      if (isNew) log.warn({ jid }, 'its own gateway has not kept what a run answered: it is kept here');
      // Another gateway may have died between the two.
      if (isNew || !(await events.isToldAsEnded(start, end))) await events.runEnded(start, end);
    } catch (cause) {
      log.error({ err: cause, jid }, NOT_YET);
      return refuse('store_unavailable', NOT_YET);
    }
    this.#remember(jid);
    this.#close(jid);
    return ok(null);
  }

  #granted(run: Pick<Body<typeof contracts.ended>, 'request' | 'grant' | 'jid'>): Result<RunStart, Refusal> {
    const grant = this.parts.grantOf(run.grant);
    if (grant === undefined) return refuse('grant_signature', 'no acl-service has granted it');
    const request = readAsked(run.request);
    if (request?.what !== 'run' && request?.what !== 'wheel')
      return refuse('bad_request', 'the request is not one for a runner or the wheel');
    const jid = parseJid(run.jid);
    if (jid === undefined || grant.jid !== jid || toHex(grant.requestDigest) !== digestOf(run.request))
      return refuse('grant_digest', 'the grant-run is for another run');
    if (this.parts.now() > grant.expires + LATE_MS) return refuse('grant_expired', 'its time is long over');
    return ok({ request, bytes: run.request, jid, caller: grant.caller });
  }

  /** What fails here is told to nobody but the log: its runner-service has it still, and hands it over. */
  async #end(start: RunStart, ran: Ran, isGuess: boolean): Promise<void> {
    const { jid } = start;
    const keepAndTell = () => this.#keepAndTell(start, ran, isGuess);
    try {
      await (isGuess || this.parts.stoodStill() ? this.#lookedFor.run(keepAndTell) : keepAndTell());
      this.#close(jid);
    } catch (cause) {
      this.parts.log.error({ err: cause, jid }, NOT_YET);
    }
  }

  async #keepAndTell(start: RunStart, ran: Ran, isGuess: boolean): Promise<void> {
    const { events, stoodStill } = this.parts;
    const { jid } = start;
    const end = events.endOf(start, ran);
    // Its answer may have gone another way meanwhile.
    if (isGuess && (await this.#isKept(jid))) return;
    if (isGuess) await this.#store({ jid, id: `${GUESSED}${MASTER}` }, end);
    else if (!stoodStill()) await this.#store({ jid, id: MASTER }, end);
    else if (!(await this.#storeOnce(jid, end))) return;
    await events.runEnded(start, end);
    if (!isGuess) this.#remember(jid);
  }

  /** Where that fails, whoever goes on with this gateway's runs finds the end that is kept. */
  #close(jid: Jid): void {
    void this.#underWay.during(() =>
      this.parts.open.end(jid).catch((cause: unknown) => {
        this.parts.log.warn({ err: cause, jid }, 'a run that has ended is still written down as open');
      }),
    );
  }

  async #isKept(jid: Jid): Promise<boolean> {
    const ends = (await this.parts.cache.returnsOf({ jid })).filter(isOfRun);
    return ends.some(({ id }) => !id.startsWith(GUESSED));
  }

  #remember(jid: Jid): void {
    this.#kept.add(jid);
    keepLatest(this.#kept, MAX_KEPT);
  }

  /** In a group with other returns: there are many runs, and only the gateway that granted them keeps them this way. */
  #store(of: EndOf, end: ValueMap): Promise<void> {
    return this.parts.cache.storeReturn(asReturn(of, end, this.parts.now()));
  }

  /** @returns False when it was stored before, by whomever. */
  async #storeOnce(jid: Jid, end: ValueMap): Promise<boolean> {
    if (await this.#isKept(jid)) return false;
    return this.parts.cache.storeLate(asReturn({ jid, id: MASTER }, end, this.parts.now()), END);
  }
}

interface EndOf {
  readonly jid: Jid;
  readonly id: string;
}

function asReturn(of: EndOf, end: ValueMap, at: number): records.StoredReturn {
  const success = end['success'] === true;
  const outcome = { ret: { ...end, _stamp: stampOf(at) }, retcode: success ? 0 : 1, success, out: null };
  return { ...of, status: 'done', outcome, at };
}

/** @returns null when no run with this jid has ended; returns of minions may be left of a job whose record has expired. */
export async function endedRun(cache: Pick<JobCache, 'returnsOf'>, jid: Jid): Promise<Value> {
  const stored = firstOf(await cache.returnsOf({ jid }));
  if (stored === undefined) return null;
  const { outcome } = stored;
  const id = stored.id.startsWith(GUESSED) ? stored.id.slice(GUESSED.length) : stored.id;
  const { ret, retcode, success } = outcome;
  if (!isMap(ret)) return null;
  const { fun = '', fun_args: args = [], user = '' } = ret;
  return {
    jid,
    Function: fun,
    Arguments: isList(args) ? args.map(shallow) : [],
    Target: id,
    'Target-type': 'list',
    User: user,
    StartTime: startTimeOf(jid),
    Minions: [id],
    Result: { [id]: { return: ret, retcode, success } },
  };
}

/** What is kept of a run's end, as it was told: what the run answered, or else what was guessed. */
function endOf(stored: readonly records.StoredReturn[]): ValueMap | undefined {
  const ret = firstOf(stored)?.outcome.ret;
  if (ret === undefined || !isMap(ret)) return undefined;
  const { _stamp, ...end } = ret;
  return end;
}

function firstOf(stored: readonly records.StoredReturn[]): records.StoredReturn | undefined {
  const ends = stored.filter(isOfRun);
  return ends.find(({ id }) => !id.startsWith(GUESSED)) ?? ends[0];
}

/** Whichever gateway stored it. A minion's id may end so as well, but what it returns does not name its jid. */
function isOfRun({ jid, id, outcome: { ret } }: records.StoredReturn): boolean {
  return id.endsWith(OF_MASTER) && isMap(ret) && ret['jid'] === jid;
}
