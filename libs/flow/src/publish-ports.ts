/** What publishing a job and going on with one need of the world. */
import type { Jid, Principal, Refusal, Result, Signed } from '@natrium/model';
import type { records } from '@natrium/wire';
import type { ActiveJob } from './active-jobs.js';
import type { SignedRequest } from './signed-request.js';

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
export type JobCreation = { readonly type: 'created'; readonly revision: number } | { readonly type: 'exists' };

export interface StoredJob {
  readonly asked: records.AskedJob;
  /** Not there: nobody has decided yet, or its gateway died before that was written. */
  readonly granted: Omit<records.JobGrant, 'place'> | undefined;
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
  /** A job that was created is not granted; whoever has made it his own since then keeps it. @returns Whether the request has none now. */
  dropJob(place: string, revision: number): Promise<boolean>;
  /** While the job is written what can be is prepared for its sending. */
  prepare<T>(record: records.JobRecord, writing: Promise<T>): Promise<T>;
  /** Writes what was granted: in a moment with others, when its sending has left; or at once. Resolves when it is durable. */
  keepGrant(record: records.JobRecord, place: string, when: 'soon' | 'now'): Promise<void>;
  /** A job of which another instance knows what was granted. */
  findJob(place: string): Promise<records.JobRecord | undefined>;
  /** Sends the job to every member; says at once who is not connected, by identity key (hex). @returns Stops listening for that. */
  fanOut(job: ActiveJob, hear: FanHear): () => void;
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
