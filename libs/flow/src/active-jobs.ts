/**
 * The jobs that this gateway instance is gathering: who listens, what has come, when it ends.
 *
 * A job leaves when nobody is outstanding, or when its request's own end has passed; a return that comes later finds it
 * in the job cache. Time and timers come in through the ports.
 */
import { type Absent, type AbsentWhy, InFlight, type JobReturn, parseJid } from '@natrium/model';
import { Gathering } from '@natrium/jobs';
import type { records } from '@natrium/wire';
import { asReturn, type News, NO_NEWS, returns, type Tell, withEnd } from './news.js';

export interface ActiveJob {
  readonly record: records.JobRecord;
  readonly digest: string;
  /** What it was created under: the digest, or another for each batch. */
  readonly place: string;
  readonly gathering: Gathering;
  /** Everything that was told so far but the start: a caller that comes back hears it again. */
  readonly told: JobReturn[];
  readonly listeners: Set<Tell>;
  /** Stop listening to the minions that it was sent to; called when it is over here. */
  readonly hangUps: (() => void)[];
  /** Stores of its returns that are under way or have failed, by key: no minion is told that its return is stored before it is. */
  readonly unstored: InFlight<string, Promise<unknown>>;
}

/** Of minions that are silent, by identity key (hexadecimal). */
export interface Seen {
  /** No longer connected. */
  readonly gone: readonly string[];
  /** They say that they are at work on the job. */
  readonly running: readonly string[];
  /** What is stored of the others: another gateway took their returns. */
  readonly returned: readonly records.StoredReturn[];
}

export interface TimerPort {
  /** @returns Cancels. */
  after(ms: number, run: () => void): () => void;
  /** The caller has heard the end of the job; called once, whatever comes late. @param isWhole Nobody is missing. */
  ended?(record: records.JobRecord, isWhole: boolean): void;
  /** Tells what has become of these minions since the job was sent: in a moment, or for a caller who waits when each was given time to say. */
  lookAt?(record: records.JobRecord, keys: readonly string[], waits: boolean, tell: (seen: Seen) => void): void;
}

/** What is left of a job that is over here: whoever returns again is known. */
export type EndedJob = Pick<ActiveJob, 'record' | 'digest' | 'gathering' | 'unstored'>;

/** What has happened here since the start. */
export interface JobCounts {
  jobs: number;
  returns: number;
  /** Minions that had not returned when their job ended for its caller, by why. */
  readonly missing: Map<AbsentWhy, number>;
}

const GONE = 'it was connected when the job was sent and is not now; whether it ran the job is unknown';

/**
 * How many jobs that are over here are still known, with how many minions and bytes of requests in all; the last one always is. A return whose
 * receipt was lost comes again after five seconds and more: of a job that is forgotten by then it would be stored and told a second time.
 */
const MAX_ENDED = 512;
const MAX_ENDED_MINIONS = 20_000;
const MAX_ENDED_BYTES = 16 << 20;

export class ActiveJobs {
  /** The oldest first. */
  readonly #ended = new InFlight<string, EndedJob>();
  #endedMinions = 0;
  #endedBytes = 0;
  readonly #byJid = new InFlight<string, ActiveJob>();
  readonly #byPlace = new InFlight<string, ActiveJob>();
  readonly #timers = new InFlight<string, () => void>();
  readonly counts: JobCounts = { jobs: 0, returns: 0, missing: new Map() };

  constructor(private readonly timers: TimerPort) {}

  byJid(jid: string): ActiveJob | undefined {
    return this.#byJid.get(jid);
  }

  /**
   * A job that ended here a moment ago. Thousands of its minions may not have heard yet that their returns are stored; without this, each
   * that returns again would cost a reading of the job's record, which names all of them, and a write.
   */
  ended(jid: string): EndedJob | undefined {
    return this.#ended.get(jid);
  }

  /** @param place The request's digest, or what its batch is created under. */
  byPlace(place: string): ActiveJob | undefined {
    return this.#byPlace.get(place);
  }

  /** Jobs in progress, for `jobs.active`. */
  all(): readonly ActiveJob[] {
    return [...this.#byJid.values()];
  }

  /** @param keyText Hexadecimal of an identity key. */
  start(record: records.JobRecord, digest: string, keyText: (key: Uint8Array) => string, place = digest): ActiveJob {
    const jid = parseJid(record.jid);
    if (jid === undefined) throw new RangeError(`not a jid: ${record.jid}`);
    const members = new Map(record.members.map(({ key, id }) => [keyText(key), id]));
    const gathering = new Gathering(members);
    const job: ActiveJob = {
      record,
      digest,
      place,
      gathering,
      told: [],
      listeners: new Set(),
      hangUps: [],
      unstored: new InFlight(),
    };
    this.#byJid.set(jid, job);
    this.#byPlace.set(place, job);
    this.counts.jobs += 1;
    return job;
  }

  /** @param hangUp Stops listening to those whom the job was sent to. A job that is over has nothing to hear from them. */
  sent(job: ActiveJob, hangUp: () => void): void {
    if (this.#byJid.get(job.record.jid) === job) job.hangUps.push(hangUp);
    else hangUp();
  }

  /**
   * Gathering ends at `timeoutMs`; late returns are taken until `keepMs`. Called again, the new times count.
   *
   * @param waits It goes on for as long as a minion says that it is at work, asked every `timeoutMs`.
   */
  watch(job: ActiveJob, timeoutMs: number, keepMs: number, waits = false): void {
    if (job.gathering.complete) {
      this.#end(job, NO_NEWS);
      return;
    }
    const timeIsUp = () => {
      const end = () => {
        this.#endSilent(job, keepMs - timeoutMs);
      };
      this.#judgeSilent(job, waits, { waitOn, end });
    };
    const waitOn = () => {
      this.#after(job, timeoutMs, timeIsUp);
    };
    waitOn();
  }

  #after({ record: { jid } }: ActiveJob, ms: number, run: () => void): void {
    this.#timers.get(jid)?.();
    this.#timers.set(jid, this.timers.after(ms, run));
  }

  /** The time is up. While the caller waits for minions that are still at work, one that is gone may come back. */
  #judgeSilent(job: ActiveJob, waits: boolean, become: { waitOn(): void; end(): void }): void {
    const judge = ({ gone, running, returned }: Seen) => {
      if (this.found(job, returned)) return;
      const silent = new Set(job.gathering.silent);
      if (waits && running.some((key) => silent.has(key))) {
        become.waitOn();
        return;
      }
      // Else the end would call a minion that went away with the job running, and one that did not say that it is at work when asked.
      for (const key of gone) job.gathering.givenUp(key, 'no_answer', GONE);
      if (waits) for (const key of silent) job.gathering.givenUp(key, 'no_answer');
      become.end();
    };
    if (this.timers.lookAt === undefined) become.end();
    else this.timers.lookAt(job.record, job.gathering.silent, waits, judge);
  }

  /** @param lateMs How long returns are still taken here after the end. */
  #endSilent(job: ActiveJob, lateMs: number): void {
    this.#after(job, Math.max(lateMs, 0), () => {
      this.#forget(job);
    });
    this.#end(job, NO_NEWS);
  }

  /**
   * Takes what is stored of a job that is gathered here: other gateways may have taken those returns. All that was not heard yet is told at
   * once, so that the end comes after all of it.
   *
   * @returns Whether the job has ended, by it or before.
   */
  found(job: ActiveJob, returned: Seen['returned']): boolean {
    const missed = this.#missed(job, returned).map(asReturn);
    if (missed.length > 0) this.#heardAll(job, missed);
    return job.gathering.ended;
  }

  /** Those of minions that were waited for until now. */
  #missed({ gathering }: ActiveJob, returned: Seen['returned']): Seen['returned'] {
    const keys = new Map(gathering.silent.map((key) => [gathering.idOf(key), key]));
    return returned.filter(({ id }) => gathering.returned(keys.get(id) ?? '') === 'first');
  }

  heard(job: ActiveJob, ret: JobReturn): void {
    this.#heardAll(job, [ret]);
  }

  #heardAll(job: ActiveJob, list: readonly JobReturn[]): void {
    for (const ret of list) job.told.push(ret);
    this.counts.returns += list.length;
    this.#tellOrEnd(job, returns(list));
  }

  givenUp(job: ActiveJob, key: string, why: AbsentWhy, sentence?: string): void {
    if (job.gathering.givenUp(key, why, sentence)) this.#tellOrEnd(job, NO_NEWS);
  }

  /** All that a caller who comes back has missed. */
  catchUp(job: ActiveJob, tell: Tell): void {
    const news = returns(job.told);
    if (job.gathering.ended) tell(withEnd(news, job.gathering.end()));
    else {
      if (job.told.length > 0) tell(news);
      job.listeners.add(tell);
    }
  }

  #tellOrEnd(job: ActiveJob, news: News): void {
    if (job.gathering.ended) {
      if (job.gathering.complete) this.#forget(job);
    } else if (job.gathering.complete) {
      this.#end(job, news);
    } else if (news !== NO_NEWS) {
      for (const tell of job.listeners) tell(news);
    }
  }

  #end(job: ActiveJob, news: News): void {
    // A job that could be sent to nobody ends before it is watched, and again when it is, for callers who have come in between.
    const isFirst = !job.gathering.ended;
    const absent = job.gathering.end();
    if (isFirst) this.#count(job, absent);
    const last = withEnd(news, absent);
    for (const tell of job.listeners) tell(last);
    job.listeners.clear();
    if (job.gathering.complete) this.#forget(job);
  }

  #count({ record }: ActiveJob, absent: readonly Absent[]): void {
    const { missing } = this.counts;
    for (const { why } of absent) missing.set(why, (missing.get(why) ?? 0) + 1);
    this.timers.ended?.(record, absent.length === 0);
  }

  #forget(job: ActiveJob): void {
    this.#timers.get(job.record.jid)?.();
    this.#timers.delete(job.record.jid);
    this.#byJid.delete(job.record.jid);
    this.#byPlace.delete(job.place);
    for (const hangUp of job.hangUps.splice(0)) hangUp();
    this.#keepEnded(job);
  }

  #keepEnded({ record, digest, gathering, unstored }: ActiveJob): void {
    this.#dropEnded(record.jid);
    this.#ended.set(record.jid, { record, digest, gathering, unstored });
    this.#endedMinions += record.members.length;
    this.#endedBytes += record.request.length;
    for (const oldest of this.#ended.keys()) {
      const isMany = this.#ended.size > MAX_ENDED || this.#endedMinions > MAX_ENDED_MINIONS;
      if ((!isMany && this.#endedBytes <= MAX_ENDED_BYTES) || this.#ended.size === 1) return;
      this.#dropEnded(oldest);
    }
  }

  #dropEnded(jid: string): void {
    const record = this.#ended.get(jid)?.record;
    this.#endedMinions -= record?.members.length ?? 0;
    this.#endedBytes -= record?.request.length ?? 0;
    this.#ended.delete(jid);
  }
}
