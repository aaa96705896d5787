/** What Salt says on its bus of jobs and runs, with Salt's tags and payloads. Spec: docs/event-bus.md#what-the-master-fires. */
import { isDeepStrictEqual } from 'node:util';
import { readAsked } from '@natrium/bus';
import { type EventFeed, type Heard, type Origin, trimmed } from '@natrium/events';
import { causeOf, PILLAR_RUNNER, type Ran, type RunStart, withCause } from '@natrium/flow';
import { fromPlain, funArgs, jidTime, type Principal, type Request, type Value, type ValueMap } from '@natrium/model';
import type { records } from '@natrium/wire';
import { userOf } from '../minions/user-of.js';
import { busTagOf } from './returned-to-bus.js';
import { ToldEnds } from './told-ends.js';

/** An event that is to be told. */
export interface Told {
  readonly tag: string;
  readonly data: ValueMap;
  readonly origin: Origin;
}

export interface Announcing extends Pick<EventFeed, 'fire' | 'subscribe'> {
  /** Fires and waits for nothing; what is too large for an event is trimmed. */
  announce(tag: string, data: ValueMap, origin: Origin): void;
}

/** The origin of what a gateway itself says; nobody else's event is given it. */
export const ORIGIN = { kind: 'service', name: 'gateway' } as const;

/** By how much the broker's clock may differ from the gateways'; where it differs by more, an event may be said twice. */
export const CLOCKS_MS = 10_000;

export const NOT_KEPT = 'not kept: cache.pillar answers its caller alone';

const RUN_TAG = /^salt\/(?:run|wheel)\/\d{20}\/(?:new|ret)$/;

/** What is the same in the events of all returns of a job. */
interface OfJob {
  readonly asked: Request;
  readonly called: ValueMap;
  readonly who: ValueMap;
  readonly metadata: ValueMap;
}

export class JobEvents {
  /** By the job's record, made once for all its returns. */
  readonly #jobs = new WeakMap<records.JobRecord, OfJob>();
  readonly #ends: ToldEnds;

  constructor(
    private readonly bus: Announcing,
    private readonly maxBytes: number,
  ) {
    this.#ends = new ToldEnds(bus);
  }

  started(record: records.JobRecord): void {
    this.#announce(this.startOf(record));
  }

  startOf({ request, jid, members, missing, caller }: records.JobRecord): readonly Told[] {
    const asked = readAsked(request);
    if (asked === undefined) return [];
    const minions = members.map(({ id }) => id).sort();
    const data = {
      jid,
      tgt: listOrText(asked.tgt),
      tgt_type: asked.tgtType,
      ...called(asked, 'arg'),
      minions,
      missing: [...missing],
      user: userOf(caller),
    };
    return [said(jid, { minions }), said(`salt/job/${jid}/new`, withCause(data, causeOf(asked, caller)))];
  }

  returned(record: records.JobRecord, stored: records.StoredReturn): void {
    this.#announce(this.returnOf(record, stored));
  }

  returnOf(record: records.JobRecord, { jid, id, outcome }: records.StoredReturn): readonly Told[] {
    const job = this.#jobOf(record);
    if (job === undefined) return [];
    const { ret, retcode, success, out } = outcome;
    const data = {
      cmd: '_return',
      id,
      jid,
      ...job.called,
      return: ret,
      retcode,
      success,
      ...job.who,
      ...(out === null ? {} : { out }),
      ...job.metadata,
    };
    const one = said(`salt/job/${jid}/ret/${id}`, data);
    const tag = busTagOf(job.asked, id);
    return tag === undefined ? [one] : [one, { tag, data, origin: { kind: 'minion', name: id } }];
  }

  runStarted(start: RunStart): void {
    this.#announce([said(`${tagOf(start)}/new`, runData(start))]);
  }

  /** What is told and kept of a run's end. Of a run that read pillar only that it did; why a run was refused or failed holds no pillar. */
  endOf(start: RunStart, { refusal, outcome }: Ran): ValueMap {
    const success = outcome?.success ?? false;
    const ret = success && readsPillar(start) ? NOT_KEPT : (refusal?.sentence ?? outcome?.ret ?? null);
    return trimmed({ ...runData(start), return: ret, success }, this.maxBytes).data;
  }

  /** @param end As `endOf` has it. @throws {Error} When it is not stored. */
  runEnded(start: RunStart, end: ValueMap): Promise<void> {
    return this.bus.fire(endTag(start), end, ORIGIN);
  }

  /** Whether this end is on the bus; what a gateway only guessed of the run is another one. */
  isToldAsEnded(start: RunStart, end: ValueMap): Promise<boolean> {
    const since = jidTime(start.jid) - CLOCKS_MS;
    const isIt = ({ data }: Heard) =>
      isDeepStrictEqual([data['success'], data['return']], [end['success'], end['return']]);
    return this.#ends.has({ tag: endTag(start), since, isIt });
  }

  #jobOf(record: records.JobRecord): OfJob | undefined {
    const known = this.#jobs.get(record);
    if (known !== undefined) return known;
    const asked = readAsked(record.request);
    if (asked === undefined) return undefined;
    const { metadata } = asked.options;
    const job = {
      asked,
      called: trimmed(called(asked, 'fun_args'), this.maxBytes).data,
      who: withCause({ user: userOf(record.caller) }, causeOf(asked, record.caller)),
      metadata: metadata === undefined ? {} : { metadata: fromPlain(metadata) },
    };
    this.#jobs.set(record, job);
    return job;
  }

  /** By a minion's returns two agents share its identity. */
  twoAtOnce(id: string): void {
    this.#announce([said(`natrium/twice/${id}`, { id })]);
  }

  #announce(events: readonly Told[]): void {
    for (const { tag, data, origin } of events) this.bus.announce(tag, data, origin);
  }
}

function said(tag: string, data: ValueMap): Told {
  return { tag, data, origin: ORIGIN };
}

function tagOf({ request, jid }: RunStart): string {
  return `salt/${request.what === 'wheel' ? 'wheel' : 'run'}/${jid}`;
}

function endTag(start: RunStart): string {
  return `${tagOf(start)}/ret`;
}

function readsPillar({ request: { what, funs } }: RunStart): boolean {
  return what === 'run' && funs.includes(PILLAR_RUNNER);
}

function runData(start: RunStart): ValueMap {
  const { request, jid, caller } = start;
  const wheel = request.what === 'wheel';
  const [args = []] = request.args;
  const data = {
    fun: `${wheel ? 'wheel' : 'runner'}.${request.funs[0] ?? ''}`,
    jid,
    user: userOf(caller),
    // An account may have the same name, and nothing of a run but its events says who asked once it has ended.
    ...(isOfHttp(caller.kind) ? { user_kind: caller.kind } : {}),
    fun_args: funArgs(args.map((arg) => fromPlain(arg))),
    ...(wheel ? { tag: tagOf(start) } : {}),
  };
  return withCause(data, causeOf(request, caller));
}

/** Who asked for the run that an event tells of, where that was a user of `external_auth`: only these may listen at the HTTP API. */
export function askerOfRun({ tag, data, origin }: Told): Principal | undefined {
  const { user: name, user_kind: kind } = data;
  if (origin.kind !== ORIGIN.kind || origin.name !== ORIGIN.name || !RUN_TAG.test(tag)) return undefined;
  return isOfHttp(kind) && typeof name === 'string' ? { kind, name } : undefined;
}

function isOfHttp(kind: unknown): kind is 'external' | 'token' {
  return kind === 'external' || kind === 'token';
}

/** One function has its name and arguments, several have lists of them. */
function called({ funs, args }: Request, arg: 'arg' | 'fun_args'): ValueMap {
  const sent: readonly (readonly Value[])[] = args.map((list) => list.map((one) => fromPlain(one)));
  const lists = arg === 'arg' ? sent : sent.map(funArgs);
  return funs.length === 1 ? { fun: funs[0] ?? '', [arg]: lists[0] ?? [] } : { fun: [...funs], [arg]: lists };
}

function listOrText(tgt: string | readonly string[]): Value {
  return typeof tgt === 'string' ? tgt : [...tgt];
}
