/**
 * Asking the master: requests are built and signed here, sealed to the live gateways (or acl-services), and their
 * answers read. Minions, accounts and running runners differ only in their key and their subjects.
 *
 * Spec: spec/envelope.md#requests, spec/wire.md.
 */
import { askAgain, askOnce, BACK_MS, type OpenStep } from '@natrium/bus';
import { randomBytes, toHex } from '@natrium/envelope';
import {
  type Absent,
  err,
  isMap,
  type Jid,
  type JobNews,
  ok,
  type Refusal,
  type Result,
  type Value,
} from '@natrium/model';
import { contracts } from '@natrium/wire';
import type { Asker, Follow, JobAsk, LoggedIn, LoginAsk, RunAnswer, RunAsk } from './asks.js';
import { askRun } from './ask-run.js';
import { asRefusal, unreachable } from './failures.js';
import { Following, type News } from './following.js';
import { NewsQueue } from './news-queue.js';
import { signAsk, type SignedAsk } from './signed-ask.js';

/** Beyond the job's own timeout: the gateway says the end, this is for its silence. */
const SILENCE_MS = 5000;
/** The acl-service may be waited for, for as long as `grant_timeout` says; a gateway that waits says so each second. */
const START_S = 60;
const ADMIN_TIMEOUT_MS = 5000;

/** A request that ends this soon is signed anew for the next batch: it still has to be granted and to reach the minions. */
const BATCH_MARGIN_MS = 30_000;
/** A back end may take its time, above all to refuse. */
const LOGIN_TIMEOUT_MS = 20_000;

const TAKEN =
  'interrupted, outcome unknown: an acl-service has begun it and did not answer; look what was done before you ask again';

type Started = Extract<JobNews, { readonly type: 'started' }>;

export class MasterClient {
  constructor(private readonly asker: Asker) {}

  /** A job and all that comes of it. */
  publish(ask: JobAsk): AsyncIterable<JobNews> {
    return queued((hear) => {
      this.publishTo(ask, 'all', hear);
    });
  }

  /**
   * The same, in batches: each call asks for the job on these of its minions, with one and the same signed request for as
   * long as that lives. Every batch is decided anew, and a minion runs the request once, whatever batches it is in.
   */
  inBatches(ask: JobAsk): (ids: readonly string[]) => AsyncIterable<JobNews> {
    let last: SignedAsk | undefined;
    return (batch) =>
      queued((hear) => {
        const signed = isGoodFor(last, this.asker) ? ok(last) : this.#signJob(ask);
        if (signed.ok) last = signed.value;
        this.#sendSigned(ask, signed, { follow: 'all', batch: [...batch] }, hear);
      });
  }

  /** The same without an iterator between: `hear` is called for each piece of news, `end` or `refused` last. */
  publishTo(ask: JobAsk, follow: Follow, hear: (news: JobNews) => void): void {
    this.#sendSigned(ask, this.#signJob(ask), { follow, batch: null }, hear);
  }

  #sendSigned(
    ask: JobAsk,
    signed: Result<SignedAsk, Refusal>,
    how: { readonly follow: Follow; readonly batch: string[] | null },
    hear: (news: JobNews) => void,
  ): void {
    if (signed.ok) this.#send(ask, signed.value, how, hear);
    else hear({ type: 'refused', refusal: signed.error });
  }

  #send(
    ask: JobAsk,
    signed: SignedAsk,
    { follow, batch }: { readonly follow: Follow; readonly batch: string[] | null },
    hear: (news: JobNews) => void,
  ): void {
    const { request, signature, credential } = this.#proving(signed);
    const step = this.asker.bus.tracing.begin('publish', { funs: ask.funs });
    const following = new Following(
      this.asker.bus,
      {
        contract: contracts.publish,
        body: { request, signature, credential, grantRun: this.asker.grantRun, follow, batch },
        subject: this.asker.subjects.publish,
        to: () => this.asker.bus.sealer.directory.role('gateway'),
        backMs: this.asker.backMs ?? BACK_MS,
      },
      patienceMs(ask, follow),
      {
        onNews: (news) => {
          const isLast = tell(news, follow, hear);
          noteNews(step, news);
          if (isLast) step.end();
          return isLast;
        },
        onFailure: (failure) => {
          step.end(failure);
          hear({ type: 'refused', refusal: unreachable(failure) });
        },
      },
    );
    step.within(() => {
      following.start();
    });
  }

  /** Its start alone. @param follow With `preview` it is not sent: the answer says who is meant. */
  publishAsync(ask: JobAsk, follow: 'jid' | 'preview' = 'jid'): Promise<Result<Started, Refusal>> {
    return new Promise((resolve) => {
      this.publishTo(ask, follow, (news) => {
        if (news.type === 'started') resolve(ok(news));
        else if (news.type === 'refused') resolve(err(news.refusal));
      });
    });
  }

  /** @param onJid Hears under which jid it runs, when that is told before its end. */
  run(ask: RunAsk, follow: 'all' | 'jid' = 'all', onJid?: (jid: string) => void): Promise<Result<RunAnswer, Refusal>> {
    return this.#ran('run', ask, follow, onJid);
  }

  /** A function of the wheel, such as `key.list_all`: the same gate and the same answer as a runner's. */
  wheel(ask: RunAsk, follow: 'all' | 'jid' = 'all'): Promise<Result<RunAnswer, Refusal>> {
    return this.#ran('wheel', ask, follow);
  }

  async #ran(
    what: 'run' | 'wheel',
    ask: RunAsk,
    follow: 'all' | 'jid',
    onJid?: (jid: string) => void,
  ): Promise<Result<RunAnswer, Refusal>> {
    const signed = signAsk(this.asker, { what, funs: [ask.fun], args: [ask.args] }, { timeout: ask.timeout });
    if (!signed.ok) return signed;
    const { bus, subjects } = this.asker;
    const question = {
      contract: contracts.runner,
      body: { ...this.#proving(signed.value), follow },
      subject: subjects.runner,
      to: () => bus.sealer.directory.role('gateway'),
      backMs: this.asker.backMs ?? BACK_MS,
    };
    const step = bus.tracing.begin('runner', { funs: [ask.fun] });
    const answer = await step.within(() => askRun(bus, question, patienceMs(ask, follow), onJid));
    if (answer.ok) step.note({ jid: answer.value.jid });
    step.end(answer.ok ? answer.value.refusal?.code : answer.error);
    if (!answer.ok) return err(unreachable(answer.error));
    const { refusal: refused, jid, outcome } = answer.value;
    if (refused !== null) return err(asRefusal(refused));
    if (outcome === null) return ok({ jid, ret: null, retcode: 0, success: true });
    const { out, ...rest } = outcome;
    return ok(out === null ? { jid, ...rest } : { jid, ...rest, out });
  }

  /** A request that the acl-service decides itself: about keys and accounts, the audit, the inventory, tokens. */
  async admin(what: 'key' | 'audit' | 'token', fun: string, args: readonly Value[]): Promise<Result<Value, Refusal>> {
    const signed = signAsk(this.asker, { what, funs: [fun], args: [args] }, { timeout: 5 });
    if (!signed.ok) return signed;
    const { bus, subjects } = this.asker;
    const question = {
      contract: contracts.admin,
      body: { request: signed.value.request, signature: signed.value.signature },
      subject: subjects.admin,
      to: () => bus.sealer.directory.role('acl'),
      backMs: BACK_MS,
    };
    const how = { timeoutMs: ADMIN_TIMEOUT_MS, codeOf };
    const answer = await (isForOne(fun, args) ? askOnce : askAgain)(bus, question, contracts.adminDone, how);
    if (!answer.ok) return err(unreachable(answer.error, 'acl-service'));
    const { refusal: refused, result } = answer.value;
    if (refused?.code === 'already_ran') return err(unreachable(TAKEN));
    return refused === null ? ok(result) : err(asRefusal(refused));
  }

  #signJob(ask: JobAsk): Result<SignedAsk, Refusal> {
    return signAsk(this.asker, { what: 'job', funs: ask.funs, args: ask.args }, ask);
  }

  /** A login, the look at a token, or its end; sealed to the acl-service, past the gateways. */
  async auth(ask: LoginAsk): Promise<Result<LoggedIn, Refusal>> {
    const { what, eauth = '', username = '', secret = '', token = '' } = ask;
    // By this a login is carried out once, of however many it is asked.
    const id = what === 'login' ? toHex(randomBytes(32)) : token;
    const credential = { eauth, username, secret, token: id };
    const { bus, subjects } = this.asker;
    const question = {
      contract: contracts.auth,
      body: { what, use: 'token', credential, expire: null, address: '', about: '' },
      subject: subjects.auth,
      to: () => bus.sealer.directory.role('acl'),
      backMs: BACK_MS,
    } as const;
    const how = { timeoutMs: LOGIN_TIMEOUT_MS, codeOf };
    const answer = await askAgain(bus, question, contracts.authed, how);
    if (!answer.ok) return err(unreachable(answer.error, 'acl-service'));
    const { refusal: refused, token: issued, session } = answer.value;
    if (refused?.code === 'already_ran') return err(unreachable('timeout', 'acl-service'));
    if (refused !== null) return err(asRefusal(refused));
    return session === null ? err(unreachable('the answer names nobody')) : ok({ token: issued, ...session });
  }

  /** With whatever proves who asks. */
  #proving({ request, signature }: SignedAsk) {
    const { token } = this.asker;
    if (token === undefined) return { request, signature, credential: null };
    return { request, signature: null, credential: { eauth: '', username: '', secret: '', token } };
  }
}

function codeOf({ refusal: refused }: { readonly refusal: { readonly code: string } | null }): string | undefined {
  return refused?.code;
}

/** Two at once would get in each other's way, or be recorded as two. */
const ALONE: ReadonlySet<string> = new Set(['audit.archive', 'audit.sweep', 'audit.cut', 'audit.heads']);

/** Or it waits without a word. Everything else is done once, or changes nothing. */
function isForOne(fun: string, [arg]: readonly Value[]): boolean {
  return ALONE.has(fun) || (isMap(arg) && arg['wait'] === true);
}

/** Who waits for the start alone waits no longer than that may take, however long it may run. */
function patienceMs({ timeout }: { readonly timeout: number }, follow: Follow): number {
  return (follow === 'all' ? timeout : Math.min(timeout, START_S)) * 1000 + SILENCE_MS;
}

function isGoodFor(signed: SignedAsk | undefined, { bus }: Asker): signed is SignedAsk {
  return signed !== undefined && signed.until >= bus.sealer.clock.now() + BATCH_MARGIN_MS;
}

function queued(begin: (hear: (news: JobNews) => void) => void): AsyncIterable<JobNews> {
  const queue = new NewsQueue<JobNews>();
  begin((news) => {
    queue.push(news);
    if (news.type === 'end' || news.type === 'refused') queue.end();
  });
  return queue;
}

function noteNews(step: OpenStep, { refusal: refused, started }: News): void {
  if (started !== null) step.note({ jid: started.jid, minions: started.minions.length });
  if (refused !== null) step.note({ refusal: refused.code });
}

/** @returns true after the last news. */
function tell(news: News, follow: Follow, hear: (news: JobNews) => void): boolean {
  if (news.refusal !== null) {
    hear({ type: 'refused', refusal: asRefusal(news.refusal) });
    return true;
  }
  if (news.started !== null) {
    const { jid, minions, missing } = news.started;
    hear({ type: 'started', jid: jid as Jid, minions, missing });
  }
  for (const { id, ret, retcode, success, out } of news.returns) {
    const told = { type: 'return', id, ret, retcode, success } as const;
    hear(out === null ? told : { ...told, out });
  }
  if (news.end !== null) {
    hear({ type: 'end', absent: news.end.map(asAbsent) });
    return true;
  }
  return follow !== 'all';
}

function asAbsent({ id, why, sentence }: NonNullable<News['end']>[number]): Absent {
  return sentence === null ? { id, why } : { id, why, sentence };
}
