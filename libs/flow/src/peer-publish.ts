/**
 * Publishing: a minion or an account asks for a function to run on other minions.
 *
 * The order is the security argument: refuse recursion, ask for a grant, write the job, and only then let the first
 * minion hear of it. The caller is known only from the grant; nothing here knows NATS, Nest or keys.
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

export type JobCreation =
  | { readonly type: 'created' }
  | { readonly type: 'jid_taken' }
  | { readonly type: 'exists'; readonly record: records.JobRecord };

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
  mintJid(): Jid;
  askGrant(ask: SignedRequest, jid: Jid): Promise<Result<GrantedJob, Refusal>>;
  createJob(record: records.JobRecord, place: string): Promise<JobCreation>;
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
const MAX_JIDS = 8;

export class PeerPublish {
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
    for (let attempt = 0; attempt < MAX_JIDS; attempt += 1) {
      const jid = this.ports.mintJid();
      const granted = await this.ports.askGrant(ask, jid);
      if (!granted.ok) {
        tell(refused(granted.error));
        return;
      }
      const { grant, missing, rule } = granted.value;
      if (grant === null) {
        // An empty resolution is never sent on: authorised, nobody matched.
        tell({ ...started(jid, [], missing, rule), end: [] });
        return;
      }
      const record = this.#record(ask, jid, granted.value, grant);
      if (follow === 'preview') {
        await this.#preview(ask, record, rule, tell);
        return;
      }
      const creation = await this.#create(record, placeOf(ask), tell);
      if (creation === undefined) return;
      if (creation.type === 'created') {
        // A caller who has asked again while the broker took its time may have been given it here by a take-over.
        const running = this.jobs.byDigest(placeOf(ask));
        if (running === undefined) this.#begin(ask, record, rule, follow, tell);
        else this.#follow(running, ask, follow, tell);
        return;
      }
      if (creation.type === 'exists') {
        await this.#followStored(creation.record, ask, follow, tell);
        return;
      }
    }
    tell(refused(refusal('slow_down', 'no free job id was found; ask again')));
  }

  async #preview({ request }: SignedRequest, record: records.JobRecord, rule: string, tell: Tell): Promise<void> {
    const { jid, members } = record;
    const keys = request.options[CONNECTED] === true ? members.map(({ key }) => this.ports.keyText(key)) : [];
    const gone = new Set(keys.length === 0 ? [] : await this.ports.notConnected(jid as Jid, keys));
    const meant = members.filter(({ key }) => !gone.has(this.ports.keyText(key)));
    this.#tellStart({ ...record, members: meant }, rule, tell);
  }

  /** Nothing is sent of a job that could not be written. */
  async #create(record: records.JobRecord, place: string, tell: Tell): Promise<JobCreation | undefined> {
    try {
      return await this.ports.createJob(record, place);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      tell(refused(refusal('store_unavailable', `the job could not be written, so nothing was sent: ${why}`)));
      return undefined;
    }
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
    this.ports.announce(job);
    const timeoutMs = ask.request.timeout * 1000;
    this.jobs.watch(job, timeoutMs, timeoutMs + LATE_MS, ask.request.options[WAITS] === true);
  }

  #record(ask: SignedRequest, jid: Jid, granted: GrantedJob, grant: Signed): records.JobRecord {
    return {
      request: ask.bytes,
      signature: ask.signature,
      jid,
      caller: granted.caller,
      grant,
      instance: this.ports.instance,
      members: [...granted.members],
      missing: [...granted.missing],
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
  async #followStored(record: records.JobRecord, ask: SignedRequest, follow: Follow, tell: Tell): Promise<void> {
    const running = this.jobs.byDigest(placeOf(ask)) ?? (await this.ports.takeOver(ask));
    if (running !== undefined) {
      this.#follow(running, ask, follow, tell);
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

function isSignedAlike(record: records.JobRecord, { signature }: SignedRequest): boolean {
  return signature !== null && record.signature !== null && sameBytes(record.signature, signature);
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
