/**
 * Publishing: a minion or an account asks for a function to run on other minions.
 *
 * The order is the security argument: refuse recursion, ask for a grant, write the job, and only then let the first minion hear of it.
 * The caller is known only from the grant; nothing here knows NATS, Nest or keys.
 *
 * Deciding and writing both take a while. So for a caller whose last request was granted, the job is written while the acl-service decides;
 * when it refuses, the job is removed again.
 *
 * Spec: spec/acl.md#peer, spec/envelope.md#durability. The original's behaviour: compat/cases/peer.jsonl.
 */
import { type Jid, messageOf, refusal, Unanswered } from '@natrium/model';
import type { records } from '@natrium/wire';
import type { ActiveJob, ActiveJobs } from './active-jobs.js';
import { asReturn, refused, returns, started, type Tell, withEnd } from './news.js';
import type { Follow, JobCreation, PublishPorts } from './publish-ports.js';
import {
  canBeAskedAgain,
  CONNECTED,
  placeOf,
  recursion,
  runsPublish,
  type SignedRequest,
  WAITS,
} from './signed-request.js';

const LATE_MS = 60_000;
/** How many callers are remembered whose last request was granted; for any other, the job is written after the decision. */
const MAX_GRANTED = 10_000;

/** How often the job is created: a second time when another one was in its place, which is gone by then. */
const CREATIONS = 2;

const MAY_RUN = 'nobody decided here, and another gateway may have gone on with the job: its caller has to ask again';

type Written = JobCreation | { readonly type: 'failed'; readonly why: string };

interface Granted {
  readonly ask: SignedRequest;
  readonly asked: records.AskedJob;
  readonly record: records.JobRecord;
  readonly rule: string;
  readonly follow: Follow;
  readonly tell: Tell;
}

export class PeerPublish {
  /** Keys of callers whose last request was granted. */
  readonly #granted = new Set<string>();

  constructor(
    private readonly ports: PublishPorts,
    private readonly jobs: ActiveJobs,
  ) {}

  /** @param peer The request came from a minion: recursion is refused before anything else. */
  async handle(ask: SignedRequest, peer: boolean, follow: Follow, tell: Tell): Promise<void> {
    const { request } = ask;
    const fun = request.funs.join(',');
    if (peer && runsPublish(request.funs)) {
      tell(refused(recursion(fun, request.tgt)));
      return;
    }
    if (request.what !== 'job') {
      tell(refused(refusal('bad_request', `a request for ${request.what} cannot be published as a job`)));
      return;
    }
    const running = this.jobs.byPlace(placeOf(ask));
    // The job's minions know its bytes, but only its caller knows the signature: anybody else is decided on by the acl-service.
    if (running !== undefined && isSignedAlike(running.record, ask)) {
      this.#follow(running, ask, follow, tell);
      return;
    }
    await this.#publish(ask, follow, tell);
  }

  async #publish(ask: SignedRequest, follow: Follow, tell: Tell): Promise<void> {
    const jid = await this.#mint(tell);
    if (jid === undefined) return;
    const place = placeOf(ask);
    const asked = this.#asked(ask, jid);
    // The question leaves first: its way there and back takes longer than the write.
    const deciding = this.ports.askGrant(ask, jid);
    const early = follow !== 'preview' && this.#wasGranted(ask) ? this.#write(asked, place) : undefined;
    const granted = await this.#orDropped(early, place, deciding);
    this.#learn(ask, granted.ok);
    if (granted.ok && granted.value.grant !== null) {
      const { caller, grant, members, missing, rule } = granted.value;
      const record = { ...asked, caller, grant, members: [...members], missing: [...missing] };
      if (follow === 'preview') await this.#preview(ask, record, rule, tell);
      else await this.#start({ ask, asked, record, rule, follow, tell }, early);
      return;
    }
    const dropped = this.#drop(early, place);
    // The refusal says that nothing was sent. Where another gateway may have got a decision and gone on with the job, that could be wrong.
    if (!granted.ok && granted.error.code === 'acl_unavailable' && !(await dropped)) throw new Unanswered(MAY_RUN);
    if (!granted.ok && granted.error.code === 'request_expired' && (await this.#followExpired(ask, follow, tell)))
      return;
    // An empty resolution is never sent on: authorised, nobody matched.
    if (granted.ok) tell({ ...started(jid, [], granted.value.missing, granted.value.rule), end: [] });
    else tell(refused(granted.error));
  }

  /** @param early Of the job that was written while it was decided on. */
  async #start(granted: Granted, early?: Promise<Written>): Promise<void> {
    const { ask, asked, record, follow, tell } = granted;
    const place = placeOf(ask);
    let writing = early ?? this.#write(asked, place);
    for (let attempt = 1; ; attempt += 1) {
      const written = await this.#orDropped(writing, place, this.ports.prepare(record, writing));
      if (written.type === 'failed') {
        const why = `the job could not be written, so nothing was sent: ${written.why}`;
        tell(refused(refusal('store_unavailable', why)));
        return;
      }
      if (written.type === 'created') {
        await this.#startWritten(granted, written.revision);
        return;
      }
      if (await this.#followStored(ask, follow, tell)) return;
      if (attempt === CREATIONS) {
        tell(refused(refusal('slow_down', 'another gateway is at work on this request; ask again')));
        return;
      }
      // The job in its place was never granted and is gone by now: this one may run.
      writing = this.#write(asked, place);
    }
  }

  /** Does the work; when it fails before the job has begun, a job that was written is removed. */
  async #orDropped<T>(writing: Promise<Written> | undefined, place: string, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (cause) {
      void this.#drop(writing, place);
      throw cause;
    }
  }

  async #startWritten({ ask, record, rule, follow, tell }: Granted, revision: number): Promise<void> {
    const place = placeOf(ask);
    // Another gateway could not ask for a grant in this caller's name, so the one that is there has to be written first.
    if (!canBeAskedAgain(ask) && !(await this.#keepNow(record, place, tell))) {
      await this.ports.dropJob(place, revision);
      return;
    }
    // The caller may have asked again while the broker took its time, so that a take-over has begun the job here already.
    const running = this.jobs.byPlace(place);
    if (running === undefined) this.#begin(ask, record, rule, follow, tell);
    else this.#follow(running, ask, follow, tell);
  }

  async #keepNow(record: records.JobRecord, place: string, tell: Tell): Promise<boolean> {
    try {
      await this.ports.keepGrant(record, place, 'now');
      return true;
    } catch (cause) {
      const why = `what was granted could not be written, so nothing was sent: ${messageOf(cause)}`;
      tell(refused(refusal('store_unavailable', why)));
      return false;
    }
  }

  async #mint(tell: Tell): Promise<Jid | undefined> {
    try {
      return await this.ports.mintJid();
    } catch (cause) {
      tell(refused(refusal('store_unavailable', `no job id could be had, so nothing was sent: ${messageOf(cause)}`)));
      return undefined;
    }
  }

  /** Whether the job may be written before the decision: a caller who was refused last time causes no writes. */
  #wasGranted({ callerKey }: SignedRequest): boolean {
    return callerKey !== null && this.#granted.has(this.ports.keyText(callerKey));
  }

  #learn({ callerKey }: SignedRequest, wasGranted: boolean): void {
    if (callerKey === null) return;
    const key = this.ports.keyText(callerKey);
    if (!wasGranted) this.#granted.delete(key);
    else if (this.#granted.size < MAX_GRANTED || this.#granted.has(key)) this.#granted.add(key);
    else this.#granted.clear();
  }

  /** Never rejects: it is awaited only after the decision, which may have to be told first. */
  async #write(asked: records.AskedJob, place: string): Promise<Written> {
    try {
      return await this.ports.createJob(asked, place);
    } catch (cause) {
      return { type: 'failed', why: messageOf(cause) };
    }
  }

  /** @returns Whether the request has no job now. */
  async #drop(early: Promise<Written> | undefined, place: string): Promise<boolean> {
    if (early === undefined) return true;
    const written = await early;
    return written.type === 'created' && (await this.ports.dropJob(place, written.revision));
  }

  async #preview({ request }: SignedRequest, record: records.JobRecord, rule: string, tell: Tell): Promise<void> {
    const { jid, members } = record;
    const keys = request.options[CONNECTED] === true ? members.map(({ key }) => this.ports.keyText(key)) : [];
    const gone = new Set(keys.length === 0 ? [] : await this.ports.notConnected(jid as Jid, keys));
    const meant = members.filter(({ key }) => !gone.has(this.ports.keyText(key)));
    this.#tellStart({ ...record, members: meant }, rule, tell);
  }

  #begin(ask: SignedRequest, record: records.JobRecord, rule: string, follow: Follow, tell: Tell): void {
    const job = this.jobs.start(record, ask.digest, (key) => this.ports.keyText(key), ask.place);
    const hear = {
      notConnected: (key: string) => {
        this.jobs.givenUp(job, key, 'not_connected');
      },
    };
    this.jobs.sent(job, this.ports.fanOut(job, hear));
    this.#tellStart(record, rule, tell);
    if (follow === 'all') job.listeners.add(tell);
    if (canBeAskedAgain(ask)) void this.ports.keepGrant(record, job.place, 'soon');
    this.ports.announce(job);
    const timeoutMs = ask.request.timeout * 1000;
    this.jobs.watch(job, timeoutMs, timeoutMs + LATE_MS, ask.request.options[WAITS] === true);
  }

  #asked(ask: SignedRequest, jid: Jid): records.AskedJob {
    return {
      request: ask.bytes,
      signature: ask.signature,
      callerKey: ask.callerKey,
      batch: ask.batch === undefined || ask.batch === null ? null : [...ask.batch],
      jid,
      instance: this.ports.instance,
      started: this.ports.now(),
    };
  }

  #tellStart(record: records.JobRecord, rule: string, tell: Tell): void {
    const ids = record.members.map(({ id }) => id);
    tell(started(record.jid as Jid, ids, record.missing, rule));
  }

  /** The same signed request again, a moment later: the same job, never a second one. */
  #follow(job: ActiveJob, ask: SignedRequest, follow: Follow, tell: Tell): void {
    if (!sameBytes(job.record.request, ask.bytes)) {
      tell(refused(refusal('bad_request', 'this request is not the one that its job was made of')));
      return;
    }
    this.#tellStart(job.record, '', tell);
    if (follow === 'all') this.jobs.catchUp(job, tell);
  }

  /**
   * A job may run for longer than its request lives, and outlive its gateway then. Its caller was proved when it was granted: he alone
   * has the signature that stands beside it.
   *
   * @returns false: there is no such job, and its request came too late.
   */
  async #followExpired(ask: SignedRequest, follow: Follow, tell: Tell): Promise<boolean> {
    const record = follow === 'preview' ? undefined : await this.ports.findJob(placeOf(ask));
    return record !== undefined && isSignedAlike(record, ask) && this.#followStored(ask, follow, tell);
  }

  /**
   * The job exists, but not here: its caller has lost the gateway that began it, so this one goes on with it. Where that
   * cannot be, what has come is told, and who is silent is still running.
   *
   * @returns false: nobody has it, or nobody knows what was granted of it.
   */
  async #followStored(ask: SignedRequest, follow: Follow, tell: Tell): Promise<boolean> {
    const place = placeOf(ask);
    const running = this.jobs.byPlace(place) ?? (await this.ports.takeOver(ask));
    if (running !== undefined) {
      this.#follow(running, ask, follow, tell);
      return true;
    }
    const record = await this.ports.findJob(place);
    if (record === undefined) return false;
    this.#tellStart(record, '', tell);
    if (follow !== 'all') return true;
    const stored = await this.ports.storedReturns(record);
    const back = new Set(stored.map(({ id }) => id));
    const silent = record.members.filter(({ id }) => !back.has(id));
    const absent = silent.map(({ id }) => ({ id, why: 'running' }) as const);
    tell(withEnd(returns(stored.map(asReturn)), absent));
    return true;
  }
}

function isSignedAlike(record: records.JobRecord, { signature }: SignedRequest): boolean {
  return signature !== null && record.signature !== null && sameBytes(record.signature, signature);
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
