/**
 * A gateway goes on with a job that another one has left: the same jid, a new grant, and only the minions without a return.
 *
 * The order is the safety argument: the job becomes this instance's by compare-and-swap, its returns are read, and only
 * then does a minion hear of it again. A minion that runs it already sends its return here, one that ran it sends the
 * return that it has: nothing runs twice, also where the returns cannot be read and every minion is asked again.
 *
 * Spec: spec/envelope.md#durability.
 */
import { type Jid, ok, type Refusal, type Result, Unanswered } from '@natrium/model';
import type { records } from '@natrium/wire';
import type { ActiveJob, ActiveJobs } from './active-jobs.js';
import { asReturn } from './news.js';
import type { FanHear, FanRound, GrantedJob, StoredJob } from './publish-ports.js';
import { canBeAskedAgain, placeOf, type SignedRequest, WAITS } from './signed-request.js';

export interface TakeoverPorts {
  readonly instance: string;
  findJob(place: string): Promise<StoredJob | undefined>;
  /** Makes the job this instance's. false: somebody else changed it first. */
  moveJob(job: StoredJob, place: string): Promise<boolean>;
  /** What was granted of a job of which nobody knew that. Resolves when it is durable. */
  keepGrant(record: records.JobRecord, place: string, when: 'soon' | 'now'): Promise<void>;
  storedReturns(record: records.JobRecord): Promise<readonly records.StoredReturn[]>;
  askGrant(ask: SignedRequest, jid: Jid): Promise<Result<GrantedJob, Refusal>>;
  fanOut(job: ActiveJob, hear: FanHear, round: FanRound): () => void;
  keyText(key: Uint8Array): string;
  pause(ms: number): Promise<void>;
  now(): number;
}

const TRIES = 3;
/** A broker of three that has just lost a node answers nobody for seconds. */
const AGAIN_MS = 1000;
/** The least time that the minions get to answer here. */
const LEAST_MS = 2000;
/** How long reading what was stored may take at most, with all its tries. */
const READING_MS = 30_000;

/** For a minion that is not connected now: it may have got the job from the gateway that is gone. */
const NOT_THERE =
  'its gateway is gone, and so was it when another one went on with the job; whether it ran the job is unknown';

type DecidedJob = StoredJob & { readonly granted: NonNullable<StoredJob['granted']> };

/** A job that is this instance's now; `anew` is its grant where nobody knew that and it was decided just now. */
interface Claimed {
  readonly record: records.JobRecord;
  readonly anew?: Pick<records.JobGrant, 'grant' | 'members'>;
}

interface Claiming {
  readonly from: string | undefined;
  readonly isLast: boolean;
}

export class JobTakeover {
  /** Take-overs under way: two callers of one job wait for the same one. */
  readonly #now = new Map<string, Promise<ActiveJob | undefined>>();

  constructor(
    private readonly ports: TakeoverPorts,
    private readonly jobs: ActiveJobs,
  ) {}

  /**
   * @param from Takes the job only while it is that instance's, or this one's: a third one that goes on with it is left alone.
   * @returns undefined when the job is not to be had, is not granted, or others are always quicker.
   * @throws {Error} When nobody decides.
   */
  take(ask: SignedRequest, from?: string): Promise<ActiveJob | undefined> {
    const place = placeOf(ask);
    const known = this.#now.get(place);
    if (known !== undefined) return known;
    const taking = this.#take(ask, place, from).finally(() => this.#now.delete(place));
    this.#now.set(place, taking);
    return taking;
  }

  async #take(ask: SignedRequest, place: string, from: string | undefined): Promise<ActiveJob | undefined> {
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const running = this.jobs.byPlace(place);
      if (running !== undefined) return running;
      const claimed = await this.#claim(ask, place, { from, isLast: attempt === TRIES });
      if (claimed === 'not to be had') return undefined;
      // It may have begun here meanwhile: its write was under way.
      if (claimed !== 'not yet') return this.jobs.byPlace(place) ?? this.#goOn(ask, claimed);
    }
    return undefined;
  }

  /**
   * Finds out what was granted of a job whose time is over: a minion may have run it, and its return needs a job to belong to. No minion
   * hears of the job again.
   */
  async settle(ask: SignedRequest): Promise<void> {
    const place = placeOf(ask);
    const found = await this.ports.findJob(place);
    if (found === undefined || found.granted !== undefined) return;
    const decided = await this.#decided(ask, found);
    if (decided !== undefined) await this.ports.keepGrant(recordOf(decided), place, 'soon');
  }

  /** A write that nobody has acknowledged may be one: the next try finds the job as it is. */
  async #claim(
    ask: SignedRequest,
    place: string,
    { from, isLast }: Claiming,
  ): Promise<Claimed | 'not to be had' | 'not yet'> {
    const { ports } = this;
    try {
      const found = await ports.findJob(place);
      const of = found?.asked.instance;
      if (from !== undefined && of !== from && of !== ports.instance) return 'not to be had';
      const decided = found === undefined ? undefined : await this.#decided(ask, found);
      if (decided === undefined) return 'not to be had';
      if (!(await ports.moveJob(decided, place))) return 'not yet';
      const record = { ...recordOf(decided), instance: ports.instance };
      if (found?.granted !== undefined) return { record };
      const written = ports.keepGrant(record, place, canBeAskedAgain(ask) ? 'soon' : 'now');
      if (!canBeAskedAgain(ask)) await written;
      return { record, anew: decided.granted };
    } catch (cause) {
      if (isLast) throw cause;
      await ports.pause(AGAIN_MS);
      return 'not yet';
    }
  }

  /**
   * The job with its grant. Its gateway may have died while the acl-service decided, or before it had written the decision. Then it is decided
   * now, and the job belongs to the caller who is proved now: the one who is written down was never proved.
   *
   * @returns undefined when it is not granted. It stays as it is: another gateway may have begun it.
   * @throws {Error} When nobody decides.
   */
  async #decided(ask: SignedRequest, found: StoredJob): Promise<DecidedJob | undefined> {
    const { asked, granted, revision } = found;
    if (granted !== undefined) return { asked, granted, revision };
    const answer = await this.ports.askGrant(ask, asked.jid as Jid);
    if (!answer.ok) {
      if (answer.error.code === 'acl_unavailable') throw new Unanswered(answer.error.sentence);
      return undefined;
    }
    const { caller, grant, members, missing } = answer.value;
    if (grant === null) return undefined;
    const { signature, callerKey } = ask;
    return {
      asked: { ...asked, signature, callerKey },
      granted: { jid: asked.jid, caller, grant, members: [...members], missing: [...missing] },
      revision,
    };
  }

  async #goOn(ask: SignedRequest, { record, anew }: Claimed): Promise<ActiveJob> {
    const { ports, jobs } = this;
    // From here on the job is open here, and returns that come in meanwhile are heard.
    const job = jobs.start(record, ask.digest, (key) => ports.keyText(key), ask.place);
    // Watched before the reading, which may fail: callers who wait for a job that is open here hear its end in any case.
    this.#watch(ask, job, READING_MS);
    const keys = new Map(record.members.map(({ id, key }) => [id, ports.keyText(key)]));
    for (const stored of await this.#storedReturns(record)) {
      if (job.gathering.returned(keys.get(stored.id) ?? '') === 'first') jobs.heard(job, asReturn(stored));
    }
    if (job.gathering.ended) return job;
    this.#watch(ask, job);
    await this.#sendAgain(ask, job, anew);
    return job;
  }

  /** @param moreMs Beyond its own time. */
  #watch({ request }: SignedRequest, job: ActiveJob, moreMs = 0): void {
    const { timeout, issued, lifetime, options } = request;
    const now = this.ports.now();
    const left = Math.max(job.record.started + timeout * 1000 - now, LEAST_MS) + moreMs;
    this.jobs.watch(job, left, Math.max(issued + lifetime - now, left), options[WAITS] === true);
  }

  /** None when they cannot be read: whoever has returned says so when it is asked again. */
  async #storedReturns(record: records.JobRecord): Promise<readonly records.StoredReturn[]> {
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      try {
        return await this.ports.storedReturns(record);
      } catch {
        if (attempt < TRIES) await this.ports.pause(AGAIN_MS);
      }
    }
    return [];
  }

  async #sendAgain(ask: SignedRequest, job: ActiveJob, anew?: Claimed['anew']): Promise<void> {
    const { ports, jobs } = this;
    const granted = anew === undefined ? await this.#grantedAnew(ask, job) : ok(anew);
    // No minion would take the request any more. Those that have it return it, and are found at work until then.
    if (!granted.ok && granted.error.code === 'request_expired') return;
    const silent = new Set(job.gathering.silent);
    if (!granted.ok || granted.value.grant === null) {
      const why = granted.ok ? 'nobody is meant any more' : granted.error.sentence;
      for (const key of silent)
        jobs.givenUp(job, key, 'no_answer', `its gateway is gone, and it was not asked again: ${why}`);
      return;
    }
    const { grant, members } = granted.value;
    const meant = new Set(members.map(({ key }) => ports.keyText(key)));
    for (const key of silent) if (!meant.has(key)) jobs.givenUp(job, key, 'no_answer', 'it is no longer meant');
    const hear = {
      notConnected: (key: string) => {
        jobs.givenUp(job, key, 'no_answer', NOT_THERE);
      },
    };
    jobs.sent(job, ports.fanOut(job, hear, { grant, members: [...members], only: silent }));
  }

  /** Nobody to decide is no refusal: whoever has returned meanwhile is heard. */
  async #grantedAnew(ask: SignedRequest, job: ActiveJob) {
    for (let attempt = 1; ; attempt += 1) {
      const granted = await this.ports.askGrant(ask, job.record.jid as Jid);
      if (granted.ok || granted.error.code !== 'acl_unavailable' || attempt === TRIES) return granted;
      await this.ports.pause(AGAIN_MS);
    }
  }
}

function recordOf({ asked, granted: { caller, grant, members, missing } }: DecidedJob): records.JobRecord {
  return { ...asked, caller, grant, members, missing };
}
