/**
 * The job cache in JetStream: jobs as they were asked for, and in groups by the second of their jids what was returned
 * (`r.<second>.<instance>-<n>`) and what was granted (`g.<second>.<instance>-<n>`).
 *
 * Each job is a write of its own that its caller waits for, with an fsync at the broker. A stream syncs its messages one after another,
 * so jobs are spread over several buckets: together they take more in a second.
 *
 * Spec: spec/envelope.md#durability, spec/wire.md#records.
 */
import { GATHERED, type Store } from '@natrium/bus';
import { encode, fromHex, toHex, type Wire } from '@natrium/envelope';
import type { JobCreation, StoredJob } from '@natrium/flow';
import { endedAlsoBy } from '@natrium/model';
import { readAs, records, writeAs } from '@natrium/wire';
import { AtOnce } from '../at-once.js';
import { BySecond, secondOf } from './by-second.js';
import { type GrantOptions, JobGrants } from './job-grants.js';
import { JobRecords, type PlacedJob, type SomeJobs } from './job-records.js';
import { MovedJobs } from './moved-jobs.js';

/** Late returns are a write each; only so many writes are under way, however many returns come in one moment. */
const LATE_AT_ONCE = 128;

/** Where one in so many of all changes is to be read, all are: who does not find what he wants among these reads them again. */
const MOST = 4;

/** The name of a return that was written by itself begins with its jid, that of a group with an instance. */
const JID = /^\d{20}-/;

/** The stores of `JOB_BUCKETS`, in their order. A job's place tells which one has it; the first has the groups as well. */
export type JobStores = readonly [Store, ...Store[]];

/** A job that a gateway has left. */
export interface LeftJob extends PlacedJob {
  /** It is written down what was granted of it. */
  readonly isGranted: boolean;
}

/** Of the jobs that a gateway has left, the granted ones whose jids are of one second. */
export interface LeftSecond {
  readonly jobs: readonly records.JobRecord[];
  /** What is stored of them, but not by this instance. */
  readonly returns: readonly LeftReturn[];
}

interface LeftReturn {
  readonly record: records.JobRecord;
  readonly stored: records.StoredReturn;
  /** The gateway that has stored it. undefined: it was written by itself, and nobody knows by whom. */
  readonly by: string | undefined;
}

export class JobCache {
  readonly #records: readonly JobRecords[];
  readonly #grants: JobGrants;
  readonly #returns: BySecond<records.StoredReturn>;
  readonly #late = new AtOnce(LATE_AT_ONCE);
  readonly #moved: MovedJobs;
  readonly #own: string;

  constructor(
    private readonly stores: JobStores,
    options: GrantOptions,
  ) {
    const { instance, onUnreadable = () => undefined } = options;
    this.#own = instance;
    this.#moved = new MovedJobs(instance);
    const read = (group: Wire) => readAs(records.ReturnGroup, group);
    const how = { letter: 'r', maxWindows: GATHERED.maxWindows, read };
    this.#returns = new BySecond(stores[0], { ...how, instance, onUnreadable: () => { onUnreadable('return'); } }); // prettier-ignore
    const grants = new JobGrants(stores[0], options);
    this.#grants = grants;
    this.#records = stores.map((store) => new JobRecords(store, grants, instance, () => { onUnreadable('job'); })); // prettier-ignore
  }

  /** Returns that are not durable yet. */
  get unstored(): number {
    return this.#returns.waiting;
  }

  /** How long the oldest of them has waited, in ms; 0 where there is none. */
  get unstoredMs(): number {
    return this.#returns.oldestMs;
  }

  /** What is gathered is written first. */
  close(): Promise<void> {
    return this.#grants.close();
  }

  create(asked: records.AskedJob, place: string): Promise<JobCreation> {
    return this.#at(place).create(asked, place);
  }

  /** Removes a job that was not granted. @returns Whether there is none at its place now. */
  drop(place: string, revision: number): Promise<boolean> {
    return this.#at(place).drop(place, revision);
  }

  /** What was granted of it. Resolves when that is durable. */
  keepGrant(record: records.JobRecord, place: string, when: 'soon' | 'now' = 'soon'): Promise<void> {
    const { jid, caller, grant, members, missing } = record;
    const written = this.#grants.keep({ jid, place: fromHex(place), caller, grant, members, missing }, when);
    this.#at(place).granted(place);
    return written;
  }

  async find(place: string): Promise<StoredJob | undefined> {
    const found = await this.#at(place).find(place);
    return found === undefined ? undefined : { ...found, granted: await this.#grants.find(found.asked.jid) };
  }

  /** Makes another instance's job this one's. false: somebody else changed it first. */
  move(job: StoredJob, place: string): Promise<boolean> {
    return this.#moved.during({ place, asked: job.asked }, () => this.#at(place).move(job, place));
  }

  /** Jobs that were the instance's, and that this one has made its own lately. */
  movedFrom(instance: string): readonly PlacedJob[] {
    return this.#moved.from(instance, true);
  }

  /** Before the first job: this instance has none that is older than now. */
  begin(): Promise<unknown> {
    return this.#ofAll((one) => one.begin());
  }

  /** Writes down since when this instance has jobs that have not ended. */
  tellOldest(isOpen: (place: string) => boolean): Promise<unknown> {
    return this.#ofAll((one) => one.tellOldest(isOpen));
  }

  /** The instances that have left jobs here, or are at work on them. */
  async instances(): Promise<readonly string[]> {
    return [...new Set((await this.#ofAll((one) => one.instances())).flat())];
  }

  /** Jobs of an instance that is gone, oldest first; many of them have ended. With them those that may be this one's by now, and nobody knows. */
  async leftBy(instance: string): Promise<readonly LeftJob[]> {
    const found = (await this.#ofAll((one) => one.leftBy(instance))).flat();
    const unsure = this.#moved.from(instance, false); // afterwards: what is moved meanwhile may not be among those that were found
    const places = new Set(found.map(({ place }) => place));
    const left = [...found, ...unsure.filter(({ place }) => !places.has(place))];
    const granted = await this.#grants.findAll(left.map(({ asked }) => asked.jid));
    return left
      .map((job) => ({ ...job, isGranted: granted.has(job.asked.jid) }))
      .sort((a, b) => (a.asked.jid < b.asked.jid ? -1 : 1));
  }

  /** What is kept of jobs that an instance has left. One second at a time: of very many returns only those are in memory. */
  async *secondsLeft(left: readonly PlacedJob[]): AsyncGenerator<LeftSecond> {
    const seconds = new Map<string, PlacedJob[]>(left.map(({ asked }) => [secondOf(asked.jid), []]));
    for (const job of left) seconds.get(secondOf(job.asked.jid))?.push(job);
    for (const some of seconds.values()) yield await this.#secondLeft(some);
  }

  async #secondLeft(left: readonly PlacedJob[]): Promise<LeftSecond> {
    const granted = await this.#grants.findAll(left.map(({ asked }) => asked.jid));
    const jobs = left.flatMap(({ asked }) => {
      const grant = granted.get(asked.jid);
      return grant === undefined ? [] : [jobOf(asked, grant)];
    });
    const byJid = new Map(jobs.map((record) => [record.jid, record]));
    const [jid] = byJid.keys();
    const groups = jid === undefined ? [] : await this.#returns.groupsAround(jid);
    const returns = groups.flatMap(({ name, values }) => {
      const by = JID.test(name) ? undefined : name.slice(0, name.lastIndexOf('-'));
      if (by === this.#own) return [];
      return values.flatMap((stored) => {
        const record = byJid.get(stored.jid);
        return record === undefined ? [] : [{ record, stored, by }];
      });
    });
    return { jobs, returns };
  }

  /** All that an instance left is taken care of. */
  forget(instance: string): Promise<unknown> {
    return this.#ofAll((one) => one.forget(instance));
  }

  /** undefined also while nobody has granted it. */
  async byPlace(place: string): Promise<records.JobRecord | undefined> {
    const found = await this.find(place);
    return found?.granted === undefined ? undefined : jobOf(found.asked, found.granted);
  }

  async byJid(jid: string): Promise<records.JobRecord | undefined> {
    const granted = await this.#grants.find(jid);
    if (granted === undefined) return undefined;
    const place = toHex(granted.place);
    const found = await this.#at(place).find(place);
    return found?.asked.jid === jid ? jobOf(found.asked, granted) : undefined;
  }

  /**
   * The wanted ones of all that are still kept, newest first, as they were asked for: of these some may not be granted.
   *
   * @param depth Of about the last so many changes only. A job that was moved to another instance lately is among these by that.
   */
  async asked(isWanted: (asked: records.AskedJob) => boolean, depth = Infinity): Promise<SomeJobs> {
    const since = depth === Infinity ? undefined : await this.#sinceOf(depth);
    const all = await Promise.all(this.#records.map((one, at) => one.all(isWanted, since?.[at])));
    return {
      jobs: all.flatMap(({ jobs }) => jobs).sort((a, b) => (a.jid < b.jid ? 1 : -1)),
      looked: all.reduce((sum, { looked }) => sum + looked, 0),
      isAll: since === undefined,
    };
  }

  /** Since which revision of each bucket: the same part of each, since one has groups as well. undefined where that is most of them. */
  async #sinceOf(depth: number): Promise<readonly number[] | undefined> {
    const bounds = await this.#ofAll((one) => one.bounds());
    const part = depth / Math.max(...bounds.map(({ first, last }) => last - first + 1), 1);
    if (part * MOST >= 1) return undefined;
    return bounds.map(({ first, last }) => Math.max(Math.floor(last - (last - first) * part), 1));
  }

  /**
   * Who asked for these jobs, by jid; of those that are granted.
   *
   * @param of Among how many jobs these were found.
   */
  callersOf(jids: readonly string[], of?: number): Promise<ReadonlyMap<string, records.JobRecord['caller']>> {
    return this.#grants.callersOf(jids, of);
  }

  /** The jids of all granted jobs from this one on; undefined where they are too many to tell. */
  grantedFrom(jid: string): Promise<readonly string[] | undefined> {
    return this.#grants.jidsFrom(jid);
  }

  /** The place of a job whose gateway may still wait for the decision, or be writing it; undefined: no gateway does. */
  async placeOfUndecided(jid: string): Promise<string | undefined> {
    return (await this.#ofAll((one) => one.placeOfUndecided(jid))).find((place) => place !== undefined);
  }

  /** Resolves when such a job has its grant or is gone, or when the signal ends it. */
  async whenDecided(jid: string, place: string, signal: AbortSignal): Promise<void> {
    const decided = endedAlsoBy(signal);
    const end = () => {
      decided.abort();
    };
    const written = this.#grants.whenWritten(jid, end, decided.signal);
    await Promise.all([written, this.#at(place).whenGone(jid, place, end, decided.signal)]).finally(end);
  }

  /** Resolves when the return is durable. `async` so that one that cannot be encoded fails as one that is not taken. */
  async storeReturn(stored: records.StoredReturn): Promise<void> {
    return this.#returns.add(stored.jid, encodeGroup([stored]));
  }

  /** One that came after its gateway was gone, under its sender's key: the same return twice is one. Readers take the first of all. */
  async storeLate(stored: records.StoredReturn, key: string): Promise<boolean> {
    const place = this.#returns.placeOf(stored.jid, `${stored.jid}-${key}`);
    const value = encodeGroup([stored]);
    return (await this.#late.run(() => this.stores[0].create(place, value))) !== undefined;
  }

  async returnsOf({ jid }: Pick<records.JobRecord, 'jid'>): Promise<readonly records.StoredReturn[]> {
    const all = await this.#returns.around(jid);
    const first = new Map<string, records.StoredReturn>();
    for (const stored of all) if (stored.jid === jid && !first.has(stored.id)) first.set(stored.id, stored);
    return [...first.values()];
  }

  /** A place is a hash, so its last digits spread the jobs evenly. */
  #at(place: string): JobRecords {
    const at = Number.parseInt(place.slice(-2), 16) % this.#records.length;
    const found = this.#records[at];
    if (found === undefined) throw new RangeError(`${place} is no place of a job`);
    return found;
  }

  #ofAll<T>(ask: (records: JobRecords) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#records.map(ask));
  }
}

function jobOf(
  asked: records.AskedJob,
  { caller, grant, members, missing }: Omit<records.JobGrant, 'place'>,
): records.JobRecord {
  return { ...asked, caller, grant, members, missing };
}

function encodeGroup(group: records.StoredReturn[]): Uint8Array {
  return encode(writeAs(records.ReturnGroup, group) as Wire);
}
