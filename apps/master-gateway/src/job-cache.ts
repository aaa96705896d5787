/**
 * The job cache in JetStream: jobs as they were asked for in several buckets, and in groups by the second of their jids returns
 * (`r.<second>.<instance>-<n>`) and what was granted (`g.<second>.<instance>-<n>`). The first is waited for with an fsync; a stream
 * syncs its messages one after another, so that two of them take more in a second than one.
 *
 * Spec: spec/envelope.md#durability, spec/wire.md#records.
 */
import { GATHERED, type Store } from '@natrium/bus';
import { encode, fromHex, toHex, type Wire } from '@natrium/envelope';
import type { JobCreation, StoredJob } from '@natrium/flow';
import { readAs, records, writeAs } from '@natrium/wire';
import { AtOnce } from './at-once.js';
import { BySecond } from './by-second.js';
import { type GrantOptions, JobGrants } from './job-grants.js';
import { JobRecords, type PlacedJob } from './job-records.js';

/** Late returns are a write each: so many are under way, however many come in one moment. */
const LATE_AT_ONCE = 128;

/** `JOB_BUCKETS`, in their order: which one has a job is told by its place. The first has the groups as well. */
export type JobStores = readonly [Store, ...Store[]];

/** A job that a gateway has left. */
export interface LeftJob extends PlacedJob {
  /** It is written down what was granted of it. */
  readonly isGranted: boolean;
}

export class JobCache {
  readonly #records: readonly JobRecords[];
  readonly #grants: JobGrants;
  readonly #returns: BySecond<records.StoredReturn>;
  readonly #late = new AtOnce(LATE_AT_ONCE);

  constructor(
    private readonly stores: JobStores,
    options: GrantOptions,
  ) {
    const { instance } = options;
    const read = (group: Wire) => readAs(records.ReturnGroup, group);
    this.#returns = new BySecond(stores[0], { letter: 'r', instance, maxWindows: GATHERED.maxWindows, read });
    const grants = new JobGrants(stores[0], options);
    this.#grants = grants;
    this.#records = stores.map((store) => new JobRecords(store, grants, instance));
  }

  /** Returns that are not durable yet. */
  get unstored(): number {
    return this.#returns.waiting;
  }

  /** What is gathered is written first. */
  close(): Promise<void> {
    return this.#grants.close();
  }

  create(asked: records.AskedJob, place: string): Promise<JobCreation> {
    return this.#at(place).create(asked, place);
  }

  /** It was not granted. @returns Whether there is none now. */
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
    return this.#at(place).move(job, place);
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

  /** Jobs of an instance that is gone, oldest first; many of them have ended. */
  async leftBy(instance: string): Promise<readonly LeftJob[]> {
    const left = (await this.#ofAll((one) => one.leftBy(instance))).flat();
    const granted = await this.#grants.findAll(left.map(({ asked }) => asked.jid));
    return left
      .map((job) => ({ ...job, isGranted: granted.has(job.asked.jid) }))
      .sort((a, b) => (a.asked.jid < b.asked.jid ? -1 : 1));
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

  /** The wanted ones of all that are still kept, newest first, as they were asked for: of these some may not be granted. */
  async asked(isWanted: (asked: records.AskedJob) => boolean): Promise<readonly records.AskedJob[]> {
    return (await this.#ofAll((one) => one.all(isWanted))).flat().sort((a, b) => (a.jid < b.jid ? 1 : -1));
  }

  /** Who asked for these jobs, by jid; of those that are granted. */
  callersOf(jids: readonly string[]): Promise<ReadonlyMap<string, records.JobRecord['caller']>> {
    return this.#grants.callersOf(jids);
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

  /** A place is a hash: by its end they are spread evenly. */
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
