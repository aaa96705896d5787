/** The lowstate clients: what each makes of its lowstate, and the elements that it adds to `return`. Spec: docs/http-api.md#clients. */
import { stampOf } from '@natrium/events';
import { ASYNC_TIMEOUT, batchesOf, hasFailed } from '@natrium/jobs';
import { funArgs, isList, outOfTime, sample, type Value, type ValueMap } from '@natrium/model';
import { GatewayTimeoutException, UnauthorizedException } from '@nestjs/common';
import { type Calls, CallSequence, REAL_TIME, type Time } from './call-sequence.js';
import { jobAnswer } from './job-answers.js';
import {
  batchAsk,
  type BatchAsk,
  type Client,
  clientOf,
  localAsk,
  type LocalAsk,
  type RunAsk,
  runAsk,
  subsetOf,
} from './lowstate.js';
import type { Caller, JobNews, MasterCalls, RunNews, Verdict } from './master-calls.js';
import { httpError, TokenEnded } from './refused.js';

export interface ClientOptions {
  readonly clients: ReadonlySet<string>;
  readonly timeout: number;
  readonly restTimeout: number;
}

/** A lowstate that was read. It is well-formed as far as that can be told without asking anybody. */
export interface Call {
  readonly what: 'job' | 'run' | 'wheel';
  readonly ask: LocalAsk | RunAsk;
  /** @returns What it adds to `return`. @throws {HttpException} */
  readonly make: (calls: Calls) => Promise<readonly Value[]>;
}

export class Clients {
  readonly #clients: Readonly<Record<Client, (low: ValueMap) => Call>> = {
    local: (low) => this.#local(low),
    local_async: (low) => this.#localAsync(low),
    local_batch: (low) => this.#localBatch(low),
    local_subset: (low) => this.#localSubset(low),
    runner: (low) => this.#runner(low),
    runner_async: (low) => this.#async('run', low),
    wheel: (low) => this.#wheel(low),
    wheel_async: (low) => this.#async('wheel', low),
  };

  constructor(
    private readonly calls: MasterCalls,
    private readonly options: ClientOptions,
    private readonly time: Time = REAL_TIME,
  ) {}

  /** @throws {BadRequestException} When the lowstate names no client, or one that is not enabled. */
  check(low: ValueMap): void {
    clientOf(low, this.options.clients);
  }

  /**
   * @param isAlone Nothing is sent before it in the same request, so that its own request tells what does not fit.
   * @throws {BadRequestException} When one of them is malformed.
   */
  read(lowstates: readonly ValueMap[], caller: Caller, isAlone = lowstates.length === 1): readonly Call[] {
    const calls = lowstates.map((low) => this.#clients[clientOf(low, this.options.clients)](low));
    if (!isAlone) for (const { what, ask } of calls) this.calls.check(what, ask, caller);
    return calls;
  }

  /** All that one HTTP request has made. @throws {HttpException} As its client is to hear it. */
  async inSequence<T>(work: (sequence: CallSequence) => Promise<T>): Promise<T> {
    const sequence = new CallSequence(this.calls, this.time);
    try {
      return await work(sequence);
    } catch (cause) {
      throw sequence.told(cause);
    }
  }

  /** One after the other, as Salt does; the first that is refused ends all. @throws {HttpException} */
  async makeAll(calls: readonly Call[], own: Calls): Promise<readonly Value[]> {
    const elements: Value[] = [];
    for (const { make } of calls) elements.push(...(await make(own)));
    return elements;
  }

  /** The gate's verdict of a lowstate of the client `local`, for who may use that at all; nothing is sent. */
  verdict(low: ValueMap, caller: Caller): Promise<Verdict> {
    clientOf({ client: 'local' }, this.options.clients);
    return this.calls.verdict(localAsk(low, this.options.timeout), caller);
  }

  #local(low: ValueMap): Call {
    return this.#job(low, async (ask, calls) => {
      const news = await calls.job(ask, 'all');
      return [jobAnswer(news, ask)];
    });
  }

  #localAsync(low: ValueMap): Call {
    return this.#job(low, async (ask, calls) => {
      const { jid, minions } = await calls.job(ask, 'jid');
      return [minions.length === 0 ? {} : { jid, minions }];
    });
  }

  #localBatch(low: ValueMap): Call {
    const batch = batchAsk(low);
    return this.#job(low, (ask, calls) => inBatches(ask, batch, calls));
  }

  #localSubset(low: ValueMap): Call {
    const count = subsetOf(low);
    return this.#job(low, async (ask, calls) => {
      const { minions } = await calls.job(ask, 'connected');
      const chosen = await someThatHave(ask, sample(minions, minions.length, Math.random), count, calls);
      if (chosen.length === 0) return [{}];
      return [jobAnswer(await calls.job(listAsk(ask, [...chosen].sort()), 'all'), ask)];
    });
  }

  #job(low: ValueMap, make: (ask: LocalAsk, calls: Calls) => Promise<readonly Value[]>): Call {
    const ask = localAsk(low, this.options.timeout);
    return { what: 'job', ask, make: (calls) => make(ask, calls) };
  }

  #runner(low: ValueMap): Call {
    const ask = runAsk('run', low, this.options.restTimeout);
    const make = async (calls: Calls) => {
      // Before it runs, so that a session that ends meanwhile does not cost the caller the answer.
      const user = ask.isFull ? await calls.name() : '';
      const { jid, outcome, refusal } = await calls.run('run', ask, 'all');
      if (refusal !== null) throw httpError(refusal);
      if (outcome?.success === false && outcome.ret === outOfTime(ask.fun)) throw timedOut(ask);
      if (!ask.isFull) return [outcome?.ret ?? null];
      return [
        { tag: `salt/run/${jid}/ret`, data: runData('runner', ask, { jid, outcome, refusal }, user, this.calls.now) },
      ];
    };
    return { what: 'run', ask, make };
  }

  #wheel(low: ValueMap): Call {
    const ask = runAsk('wheel', low, this.options.restTimeout);
    const make = async (calls: Calls) => {
      const user = await calls.name();
      const ran = await calls.run('wheel', ask, 'all');
      // What is wrong with a function of the wheel is told inside of the answer; what is refused is not.
      if (ran.refusal !== null && ran.refusal.code !== 'unknown_runner') throw httpError(ran.refusal);
      const tag = `salt/wheel/${ran.jid}`;
      return [{ tag, data: { ...runData('wheel', ask, ran, user, this.calls.now), tag } }];
    };
    return { what: 'wheel', ask, make };
  }

  #async(what: 'run' | 'wheel', low: ValueMap): Call {
    const ask = runAsk(what, low, ASYNC_TIMEOUT);
    const make = async (calls: Calls) => {
      const { jid, refusal } = await calls.run(what, ask, 'jid');
      if (refusal !== null) throw httpError(refusal);
      return [{ tag: `salt/${what}/${jid}`, jid }];
    };
    return { what, ask, make };
  }
}

/**
 * The first of these minions that have the functions, as Salt asks for them: no more are asked than needed, and twice as many each time.
 * A caller who may not ask that gets the first of all.
 */
async function someThatHave(
  ask: LocalAsk,
  minions: readonly string[],
  count: number,
  calls: Calls,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let [from, size] = [0, count]; from < minions.length && found.length < count; from += size, size *= 2) {
    const asked = minions.slice(from, from + size);
    const have = await thoseThatHave(listAsk(ask, asked), calls);
    if (have === undefined) return minions.slice(0, count);
    found.push(...asked.filter((id) => have.has(id)));
  }
  return found.slice(0, count);
}

/** @returns undefined when the caller may not ask. */
async function thoseThatHave(ask: LocalAsk, calls: Calls): Promise<ReadonlySet<string> | undefined> {
  const { funs } = ask;
  const question = { ...ask, funs: ['sys.list_functions'], args: [funs], returner: '', metadata: null };
  try {
    const { returns } = await calls.look(question);
    const have = returns.filter(({ ret }) => isList(ret) && funs.every((fun) => ret.includes(fun)));
    return new Set(have.map(({ id }) => id));
  } catch (cause) {
    if (cause instanceof UnauthorizedException && !(cause instanceof TokenEnded)) return undefined;
    throw cause;
  }
}

/** A batch ends before the next begins, as on our command line (compat/divergences.md). */
async function inBatches(ask: LocalAsk, { size, failhard, waitMs }: BatchAsk, calls: Calls): Promise<readonly Value[]> {
  const { minions } = await calls.job(ask, 'preview');
  const elements: Value[] = [];
  for (const [index, ids] of batchesOf(minions, size).entries()) {
    if (index > 0 && waitMs > 0) await calls.pause(waitMs);
    const { told, isGood } = batchAnswer(await calls.job(listAsk(ask, ids), 'all'), ask);
    elements.push(...told);
    if (failhard && !isGood) break;
  }
  return elements;
}

/** A minion that is not connected is left out, as in Salt, which makes batches of the minions that are there. One that is silent is told as `{}`. */
function batchAnswer(news: JobNews, ask: LocalAsk): { readonly told: readonly ValueMap[]; readonly isGood: boolean } {
  const back = new Set(news.returns.map(({ id }) => id));
  const absent = news.absent.filter(({ id, why }) => why !== 'not_connected' && !back.has(id));
  const silent = absent.filter(({ why }) => why !== 'refused');
  const heard = { ...news, absent: absent.filter(({ why }) => why === 'refused'), missing: [] };
  const answer = jobAnswer(heard, { ...ask, isFull: false });
  const told = Object.entries<Value>({ ...answer, ...Object.fromEntries(silent.map(({ id }) => [id, {}])) });
  return {
    told: told.map(([id, value]) => ({ [id]: value })),
    isGood: absent.length === 0 && !news.returns.some(hasFailed),
  };
}

function listAsk(ask: LocalAsk, ids: readonly string[]): LocalAsk {
  return { ...ask, tgt: ids, tgtType: 'list' };
}

function timedOut({ fun, timeout }: RunAsk): GatewayTimeoutException {
  return new GatewayTimeoutException(`${fun} was not done within its timeout of ${String(timeout)} s, and was ended`);
}

function runData(
  kind: 'runner' | 'wheel',
  { fun, args }: RunAsk,
  { jid, outcome, refusal }: RunNews,
  user: string,
  now: number,
): ValueMap {
  return {
    fun: `${kind}.${fun}`,
    jid,
    user,
    fun_args: funArgs(args),
    _stamp: stampOf(now),
    return: refusal === null ? (outcome?.ret ?? null) : refusal.sentence,
    success: outcome?.success ?? false,
  };
}
