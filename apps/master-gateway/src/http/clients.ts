/** The lowstate clients: what each makes of its lowstate, and the elements that it adds to `return`. Spec: docs/http-api.md#clients. */
import { Float, sample, type Value, type ValueMap } from '@natrium/model';
import { BadRequestException } from '@nestjs/common';
import { funArgs } from '../fun-args.js';
import { jobAnswer } from './job-answers.js';
import { type Client, clientOf, localAsk, type RunAsk, runAsk } from './lowstate.js';
import type { Caller, MasterCalls, RunNews, Verdict } from './master-calls.js';
import { httpError } from './refused.js';
import { nowStamp } from './stamp.js';

export interface ClientOptions {
  readonly clients: ReadonlySet<string>;
  readonly timeout: number;
  readonly restTimeout: number;
}

/** A caller whose name is known, which runners' answers carry. */
export interface NamedCaller extends Caller {
  readonly name: () => Promise<string>;
}

type Run = (low: ValueMap, caller: NamedCaller) => Promise<readonly Value[]>;

const DEFAULT_SUBSET = 3;
const DEFAULT_BATCH = '10%';
/** Nobody waits for it: a day, which is as long as an answer may take. */
const ASYNC_TIMEOUT = 86_400;

export class Clients {
  readonly #clients: Readonly<Record<Client, Run>> = {
    local: (low, caller) => this.#local(low, caller),
    local_async: (low, caller) => this.#localAsync(low, caller),
    local_batch: (low, caller) => this.#localBatch(low, caller),
    local_subset: (low, caller) => this.#localSubset(low, caller),
    runner: (low, caller) => this.#runner(low, caller),
    runner_async: (low, caller) => this.#async('run', low, caller),
    wheel: (low, caller) => this.#wheel(low, caller),
    wheel_async: (low, caller) => this.#async('wheel', low, caller),
  };

  constructor(
    private readonly calls: MasterCalls,
    private readonly options: ClientOptions,
  ) {}

  /** @throws {BadRequestException} When the lowstate names no client, or one that is not enabled. */
  check(low: ValueMap): void {
    clientOf(low, this.options.clients);
  }

  /** One after the other, as Salt does; the first that is refused ends all. @throws {HttpException} */
  async runAll(lowstates: readonly ValueMap[], caller: NamedCaller): Promise<readonly Value[]> {
    // None is run when one of them names no client.
    const named = lowstates.map((low) => [clientOf(low, this.options.clients), low] as const);
    const elements: Value[] = [];
    for (const [client, low] of named) elements.push(...(await this.#clients[client](low, caller)));
    return elements;
  }

  /** The gate's verdict of a lowstate of the client `local`, for who may use that at all; nothing is sent. */
  verdict(low: ValueMap, caller: Caller): Promise<Verdict> {
    clientOf({ client: 'local' }, this.options.clients);
    return this.calls.verdict(localAsk(low, this.options.timeout), caller);
  }

  async #local(low: ValueMap, caller: Caller): Promise<readonly Value[]> {
    const ask = localAsk(low, this.options.timeout);
    const news = await this.calls.job(ask, 'all', caller);
    return [jobAnswer(news, { ...ask, isList: ask.tgtType === 'list' })];
  }

  async #localAsync(low: ValueMap, caller: Caller): Promise<readonly Value[]> {
    const { jid, minions } = await this.calls.job(localAsk(low, this.options.timeout), 'jid', caller);
    return [minions.length === 0 ? {} : { jid, minions }];
  }

  /** A batch ends before the next begins, as on our command line (compat/divergences.md). */
  async #localBatch(low: ValueMap, caller: Caller): Promise<readonly Value[]> {
    const ask = localAsk(low, this.options.timeout);
    const { minions } = await this.calls.job(ask, 'preview', caller);
    const size = batchSize(low['batch'], minions.length);
    const elements: Value[] = [];
    for (let from = 0; from < minions.length; from += size) {
      const part = { ...ask, tgt: minions.slice(from, from + size), tgtType: 'list' };
      const news = await this.calls.job(part, 'all', caller);
      // Who is silent has no part in it: Salt asks who is there, and makes batches of those.
      const heard = { ...news, absent: news.absent.filter(({ why }) => why === 'refused'), missing: [] };
      const answer = jobAnswer(heard, { ...ask, isFull: false, isList: false });
      elements.push(...Object.entries(answer).map(([id, value]) => ({ [id]: value })));
    }
    return elements;
  }

  async #localSubset(low: ValueMap, caller: Caller): Promise<readonly Value[]> {
    const ask = localAsk(low, this.options.timeout);
    const count = wholeIn(low['subset'] ?? low['sub'] ?? DEFAULT_SUBSET, 'subset');
    const { minions } = await this.calls.job(ask, 'connected', caller);
    if (minions.length === 0) return [{}];
    const part = { ...ask, tgt: sample(minions, count, Math.random).sort(), tgtType: 'list' };
    const news = await this.calls.job(part, 'all', caller);
    return [jobAnswer(news, { ...ask, isList: false })];
  }

  async #runner(low: ValueMap, caller: NamedCaller): Promise<readonly Value[]> {
    const ask = runAsk('run', low, this.options.restTimeout);
    // Before it runs: a session that ended meanwhile takes nothing of what was done away.
    const user = ask.isFull ? await caller.name() : '';
    const { jid, outcome, refusal } = await this.calls.run('run', ask, 'all', caller);
    if (refusal !== null) throw httpError(refusal);
    if (!ask.isFull) return [outcome?.ret ?? null];
    return [{ tag: `salt/run/${jid}/ret`, data: runData('runner', ask, { jid, outcome, refusal }, user) }];
  }

  async #wheel(low: ValueMap, caller: NamedCaller): Promise<readonly Value[]> {
    const ask = runAsk('wheel', low, this.options.restTimeout);
    const user = await caller.name();
    const ran = await this.calls.run('wheel', ask, 'all', caller);
    // What is wrong with a function of the wheel is told inside of the answer; what is refused is not.
    if (ran.refusal !== null && ran.refusal.code !== 'unknown_runner') throw httpError(ran.refusal);
    const tag = `salt/wheel/${ran.jid}`;
    return [{ tag, data: { ...runData('wheel', ask, ran, user), tag } }];
  }

  async #async(what: 'run' | 'wheel', low: ValueMap, caller: Caller): Promise<readonly Value[]> {
    const { jid, refusal } = await this.calls.run(what, runAsk(what, low, ASYNC_TIMEOUT), 'jid', caller);
    if (refusal !== null) throw httpError(refusal);
    return [{ tag: `salt/${what}/${jid}`, jid }];
  }
}

function runData(
  kind: 'runner' | 'wheel',
  { fun, args }: RunAsk,
  { jid, outcome, refusal }: RunNews,
  user: string,
): ValueMap {
  return {
    fun: `${kind}.${fun}`,
    jid,
    user,
    fun_args: funArgs(args),
    _stamp: nowStamp(),
    return: refusal === null ? (outcome?.ret ?? null) : refusal.sentence,
    success: outcome?.success ?? false,
  };
}

function batchSize(batch: Value | undefined, count: number): number {
  const text = typeof batch === 'string' ? batch.trim() : (batch ?? DEFAULT_BATCH);
  const share = typeof text === 'string' ? /^(\d{1,3}(?:\.\d{1,6})?)%$/.exec(text)?.[1] : undefined;
  if (share !== undefined) return Math.max(1, Math.floor((count * Number(share)) / 100));
  return wholeIn(text, 'batch');
}

function wholeIn(value: Value, key: string): number {
  const plain = value instanceof Float ? value.value : value;
  const number = typeof plain === 'string' || typeof plain === 'number' ? Number(plain) : Number.NaN;
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new BadRequestException(`${key} is a whole number from 1`);
}
