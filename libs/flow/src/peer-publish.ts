/**
 * Publishing: a minion or an account asks for a function to run on other minions.
 *
 * The order is the security argument: refuse recursion, ask for a grant, and only when that is there and the job is written let the first
 * minion hear of it. The job of a caller who was granted his last request is written while the acl-service decides, since both take a
 * while; when it refuses, the job is taken back. The caller is known only from the grant; nothing here knows NATS, Nest or keys.
 *
 * Spec: spec/acl.md#peer, spec/envelope.md#one-peer-publish. The original's behaviour: compat/cases/peer.jsonl.
 */
import { type Jid, type Principal, type Refusal, refusal, type Result, type Signed } from '@natrium/model';
import type { records } from '@natrium/wire';
import type { ActiveJob, ActiveJobs } from './active-jobs.js';
import { recursion, refused, started, type Tell } from './news.js';
import { CONNECTED, placeOf, WAITS, runsPublish, type SignedRequest } from './signed-request.js';

export interface GrantedJob {
  /** null: authorised, but nobody matched. */
  readonly grant: Signed | null;
  readonly caller: Principal;
  readonly members: readonly { readonly id: string; readonly key: Uint8Array }[];
  readonly missing: readonly string[];
  /** The rule that allowed, for the caller and the audit. */
  readonly rule: string;
}

/** `exists`: the request has a job already. */
export type JobCreation = 'created' | 'exists';

/** A job as it is stored. */
export interface StoredJob {
  readonly asked: records.AskedJob;
  /** Not there: nobody has decided yet, or its gateway died before that was written. */
  readonly granted: records.JobGrant | undefined;
  readonly revision: number;
}

export interface FanHear {
  notConnected(key: string): void;
}

/** Sending a job anew: under another grant, and only to those of its members who have not returned (keys in hexadecimal). */
export interface FanRound {
  readonly grant: Signed;
  readonly members: records.JobRecord['members'];
  readonly only: ReadonlySet<string>;
}

export interface PublishPorts {
  readonly instance: string;
  /** @throws {Error} While the broker takes no writes. */
  mintJid(): Promise<Jid>;
  askGrant(ask: SignedRequest, jid: Jid): Promise<Result<GrantedJob, Refusal>>;
  createJob(asked: records.AskedJob, place: string): Promise<JobCreation>;
  /** A job that this instance has created is not granted. */
  dropJob(place: string): Promise<void>;
  /** While the job is written what can be is prepared for its sending. */
  prepare<T>(record: records.JobRecord, writing: Promise<T>): Promise<T>;
  /** Writes what was granted, while nobody waits. */
  keepGrant(record: records.JobRecord, place: string): void;
  /** A job of which another instance knows what was granted. */
  findJob(place: string): Promise<records.JobRecord | undefined>;
  /** Sends the job to every member; says at once who is not connected, by identity key (hex). */
  fanOut(job: ActiveJob, hear: FanHear): void;
  /** Goes on with a job that another instance began; undefined when that cannot be. */
  takeOver(ask: SignedRequest): Promise<ActiveJob | undefined>;
  /** Returns of a job that this instance doesn't gather. */
  storedReturns(record: records.JobRecord): Promise<readonly records.StoredReturn[]>;
  /** Of these identity keys (hexadecimal), those whose minions the broker does not know now. */
  notConnected(jid: Jid, keys: readonly string[]): Promise<readonly string[]>;
  /** The job's start is told on the event bus. */
  announce(job: ActiveJob): void;
  keyText(key: Uint8Array): string;
  now(): number;
}

/** `all`: every return and the end; `jid`: only the start; `preview`: who is meant, and nothing is sent. */
export type Follow = 'all' | 'jid' | 'preview';

const LATE_MS = 60_000;
/** Callers whose last request was granted; each beyond them has to wait once for both. */
const MAX_GRANTED = 10_000;

type Written = { readonly type: JobCreation } | { readonly type: 'failed'; readonly why: string };

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
    const running = this.jobs.byDigest(placeOf(ask));
    // Its minions know its bytes, its caller alone the signature: who has not got that asks the acl-service first.
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
    const early = follow !== 'preview' && this.#wasGranted(ask) ? this.#write(asked, place) : undefined;
    const granted = await this.ports.askGrant(ask, jid);
    this.#learn(ask, granted.ok);
    const grant = granted.ok ? granted.value.grant : null;
    if (!granted.ok || grant === null) {
      void this.#drop(early, place);
      // An empty resolution is never sent on: authorised, nobody matched.
      if (granted.ok) tell({ ...started(jid, [], granted.value.missing, granted.value.rule), end: [] });
      else tell(refused(granted.error));
      return;
    }
    const { caller, members, missing, rule } = granted.value;
    const record = { ...asked, caller, grant, members: [...members], missing: [...missing] };
    if (follow === 'preview') {
      await this.#preview(ask, record, rule, tell);
      return;
    }
    const written = await this.ports.prepare(record, early ?? this.#write(asked, place));
    if (written.type === 'failed') {
      tell(refused(refusal('store_unavailable', `the job could not be written, so nothing was sent: ${written.why}`)));
    } else if (written.type === 'exists') await this.#followStored(ask, follow, tell);
    else {
      // A caller who has asked again while the broker took its time may have been given it here by a take-over.
      const running = this.jobs.byDigest(place);
      if (running === undefined) this.#begin(ask, record, rule, follow, tell);
      else this.#follow(running, ask, follow, tell);
    }
  }

  async #mint(tell: Tell): Promise<Jid | undefined> {
    try {
      return await this.ports.mintJid();
    } catch (cause) {
      tell(refused(refusal('store_unavailable', `no job id could be had, so nothing was sent: ${whyOf(cause)}`)));
      return undefined;
    }
  }

  /** Whoever was refused writes nothing with his next request. */
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

  /** Resolves in any case: who waits for it may have to be told something else first. */
  async #write(asked: records.AskedJob, place: string): Promise<Written> {
    try {
      return { type: await this.ports.createJob(asked, place) };
    } catch (cause) {
      return { type: 'failed', why: whyOf(cause) };
    }
  }

  /** Where that fails, the job stays without a grant: nobody runs it, and whoever goes on with it is refused. */
  async #drop(early: Promise<Written> | undefined, place: string): Promise<void> {
    if (early === undefined || (await early).type !== 'created') return;
    await this.ports.dropJob(place).catch(() => undefined);
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
    this.ports.fanOut(job, {
      notConnected: (key) => {
        this.jobs.givenUp(job, key, 'not_connected');
      },
    });
    this.#tellStart(record, rule, tell);
    if (follow === 'all') job.listeners.add(tell);
    this.ports.keepGrant(record, job.place);
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
   * The job exists, but not here: its caller has lost the gateway that began it, so this one goes on with it. Where that
   * cannot be, what has come is told, and who is silent is still running.
   */
  async #followStored(ask: SignedRequest, follow: Follow, tell: Tell): Promise<void> {
    const place = placeOf(ask);
    const running = this.jobs.byDigest(place) ?? (await this.ports.takeOver(ask));
    if (running !== undefined) {
      this.#follow(running, ask, follow, tell);
      return;
    }
    const record = await this.ports.findJob(place);
    if (record === undefined) {
      tell(refused(refusal('slow_down', 'another gateway is at work on this request; ask again')));
      return;
    }
    this.#tellStart(record, '', tell);
    if (follow !== 'all') return;
    const stored = await this.ports.storedReturns(record);
    const back = new Set(stored.map(({ id }) => id));
    const silent = record.members.filter(({ id }) => !back.has(id));
    tell({
      refusal: null,
      started: null,
      returns: stored.map(({ id, outcome }) => ({ id, ...outcome })),
      end: silent.map(({ id }) => ({ id, why: 'running' as const, sentence: null })),
    });
  }
}

function whyOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function isSignedAlike(record: records.JobRecord, { signature }: SignedRequest): boolean {
  return signature !== null && record.signature !== null && sameBytes(record.signature, signature);
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
