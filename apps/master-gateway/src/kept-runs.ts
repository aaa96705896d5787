/**
 * What runners and the wheel answered, in the job cache: clients ask for it by its jid, as for a job's returns. As in Salt it is the
 * return of the master itself, and holds what the event of the run's end says.
 *
 * The gateway that granted a run keeps its end. Until it has, it says so to the runner-service that asks; of one that is gone any
 * other keeps it. Spec: spec/envelope.md#durability.
 */
import { hostname } from 'node:os';
import { digestOf, readAsked } from '@natrium/bus';
import { type Grant, toHex } from '@natrium/envelope';
import { stampOf } from '@natrium/events';
import type { Ran, RunStart } from '@natrium/flow';
import {
  err,
  isMap,
  type Jid,
  ok,
  parseJid,
  type Refusal,
  refusal,
  type Result,
  type Signed,
  startTimeOf,
  type Value,
  type ValueMap,
} from '@natrium/model';
import type { Body, contracts, records } from '@natrium/wire';
import type { Logger } from 'pino';
import type { JobEvents } from './events/job-events.js';
import type { JobCache } from './job-cache.js';

const OF_MASTER = '_master';
const MASTER = `${hostname()}${OF_MASTER}`;
/** Whoever stores a run's end stores it under this key: the first is the only one. */
const END = 'end';

interface RunParts {
  readonly cache: Pick<JobCache, 'storeLate'>;
  readonly events: Pick<JobEvents, 'runStarted' | 'endOf' | 'runEnded'>;
  /** What an acl-service has signed, also when its time is over. */
  readonly grantOf: (grant: Signed) => Grant | undefined;
  readonly now: () => number;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}

export class KeptRuns {
  /** Granted here, and not kept yet. */
  readonly #open = new Set<string>();

  constructor(private readonly parts: RunParts) {}

  /** Of these runs, whose end this gateway is to keep and has not kept yet. */
  open(jids: readonly string[]): string[] {
    return jids.filter((jid) => this.#open.has(jid));
  }

  /** A run begins here, or with `ran` has ended. Whoever hears of its end finds what it answered in the job cache. */
  announce(start: RunStart, ran?: Ran): void {
    if (ran === undefined) {
      this.#open.add(start.jid);
      this.parts.events.runStarted(start);
    } else void this.#end(start, ran);
  }

  /** Keeps the end of a run whose own gateway is gone. @throws {Error} While the broker takes no writes. */
  async take({ refusal: no, outcome, ...run }: Body<typeof contracts.ended>): Promise<Result<null, Refusal>> {
    const start = this.#granted(run);
    if (!start.ok) return start;
    const { jid } = start.value;
    const end = this.parts.events.endOf(start.value, { refusal: no, outcome, jid });
    if (await this.#keep(jid, end)) {
      this.parts.log.warn({ jid }, 'a gateway is gone: what its run answered is kept here');
      this.parts.events.runEnded(start.value, end);
    }
    return ok(null);
  }

  #granted(run: Pick<Body<typeof contracts.ended>, 'request' | 'grant' | 'jid'>): Result<RunStart, Refusal> {
    const grant = this.parts.grantOf(run.grant);
    if (grant === undefined) return err(refusal('grant_signature', 'no acl-service has granted it'));
    const request = readAsked(run.request);
    if (request?.what !== 'run' && request?.what !== 'wheel')
      return err(refusal('bad_request', 'the request is not one for a runner or the wheel'));
    const jid = parseJid(run.jid);
    if (jid === undefined || grant.jid !== jid || toHex(grant.requestDigest) !== digestOf(run.request))
      return err(refusal('grant_digest', 'the grant-run is for another run'));
    return ok({ request, jid, caller: grant.caller });
  }

  async #end(start: RunStart, ran: Ran): Promise<void> {
    const { events, log } = this.parts;
    const end = events.endOf(start, ran);
    try {
      if (!(await this.#keep(start.jid, end))) return;
    } catch (cause) {
      log.error({ err: cause, jid: start.jid }, 'what a run answered could not be kept');
    } finally {
      this.#open.delete(start.jid);
    }
    events.runEnded(start, end);
  }

  /** @returns False when it was kept before. */
  #keep(jid: Jid, end: ValueMap): Promise<boolean> {
    return this.parts.cache.storeLate(asReturn(jid, end, this.parts.now()), END);
  }
}

function asReturn(jid: Jid, end: ValueMap, at: number): records.StoredReturn {
  const success = end['success'] === true;
  const outcome = { ret: { ...end, _stamp: stampOf(at) }, retcode: success ? 0 : 1, success, out: null };
  return { jid, id: MASTER, status: 'done', outcome, at };
}

/** @returns null when no run with this jid has ended; returns of minions may be left of a job whose record has expired. */
export async function endedRun(cache: Pick<JobCache, 'returnsOf'>, jid: Jid): Promise<Value> {
  const stored = (await cache.returnsOf({ jid })).find(isOfRun);
  if (stored === undefined) return null;
  const { id, outcome } = stored;
  const { ret, retcode, success } = outcome;
  if (!isMap(ret)) return null;
  const { fun = '', fun_args: args = [], user = '' } = ret;
  return {
    jid,
    Function: fun,
    Arguments: args,
    Target: id,
    'Target-type': 'list',
    User: user,
    StartTime: startTimeOf(jid),
    Minions: [id],
    Result: { [id]: { return: ret, retcode, success } },
  };
}

/** Whichever gateway stored it. A minion's id may end so as well, but what it returns does not name its jid. */
function isOfRun({ jid, id, outcome: { ret } }: records.StoredReturn): boolean {
  return id.endsWith(OF_MASTER) && isMap(ret) && ret['jid'] === jid;
}
