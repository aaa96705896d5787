/**
 * The job cache in JetStream: the records of jobs in several buckets, and in groups by the second of their jids returns
 * (`r.<second>.<instance>-<n>`) and the index by jid (`i.<second>.<instance>-<n>`). The record alone is waited for with an fsync; a stream
 * syncs its messages one after another, so that two of them take more in a second than one.
 *
 * Spec: spec/envelope.md#durability, spec/wire.md#records.
 */
import { encode, type Wire } from '@natrium/envelope';
import type { JobCreation, StoredJob } from '@natrium/flow';
import { readAs, records, writeAs } from '@natrium/wire';
import { AtOnce } from './at-once.js';
import { BySecond } from './by-second.js';
import { JobIndex } from './job-index.js';
import { JobRecords, type PlacedJob } from './job-records.js';
import type { JobStores } from './job-stores.js';

/** Late returns are a write each: so many are under way, however many come in one moment. */
const LATE_AT_ONCE = 128;

export class JobCache {
  readonly #records: readonly JobRecords[];
  readonly #index: JobIndex;
  readonly #returns: BySecond<records.StoredReturn>;
  readonly #late = new AtOnce(LATE_AT_ONCE);

  constructor(
    private readonly stores: JobStores,
    instance: string,
  ) {
    const { kept, taken } = stores;
    const read = (group: Wire) => readAs(records.ReturnGroup, group);
    this.#returns = new BySecond(kept[0], { letter: 'r', instance, read });
    const index = new JobIndex(taken, kept[0], instance);
    this.#index = index;
    this.#records = kept.map((store) => new JobRecords(store, index, instance));
  }

  /** What is gathered is written first. */
  close(): Promise<void> {
    return this.#index.close();
  }

  create(record: records.JobRecord, place: string): Promise<JobCreation> {
    return this.#at(place).create(record, place);
  }

  find(place: string): Promise<StoredJob | undefined> {
    return this.#at(place).find(place);
  }

  /** Makes another instance's job this one's. false: somebody else changed it first, or its jid is another job's. */
  move(job: StoredJob, place: string): Promise<boolean> {
    return this.#at(place).move(job, place);
  }

  /** As its gateway would have done that died before: its job is found by its jid. */
  keepIndex({ jid }: records.JobRecord, place: string): Promise<void> {
    return this.#index.keep(jid, place);
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
  async leftBy(instance: string): Promise<readonly PlacedJob[]> {
    const left = await this.#ofAll((one) => one.leftBy(instance));
    return left.flat().sort((a, b) => (a.record.jid < b.record.jid ? -1 : 1));
  }

  /** All that an instance left is taken care of. */
  forget(instance: string): Promise<unknown> {
    return this.#ofAll((one) => one.forget(instance));
  }

  async byDigest(place: string): Promise<records.JobRecord | undefined> {
    return (await this.find(place))?.record;
  }

  async byJid(jid: string): Promise<records.JobRecord | undefined> {
    const place = await this.#index.find(jid);
    return place === undefined ? undefined : this.byDigest(place);
  }

  /** Every job that is still kept, oldest first. */
  async all(): Promise<readonly records.JobRecord[]> {
    const all = await this.#ofAll((one) => one.all());
    return all.flat().sort((a, b) => (a.jid < b.jid ? -1 : 1));
  }

  /** Resolves when the return is durable. */
  async storeReturn(stored: records.StoredReturn): Promise<void> {
    await this.#returns.add(stored.jid, encodeGroup([stored]));
  }

  /** One that came after its gateway was gone, under its sender's key: the same return twice is one. Readers take the first of all. */
  async storeLate(stored: records.StoredReturn, key: string): Promise<boolean> {
    const place = this.#returns.placeOf(stored.jid, `${stored.jid}-${key}`);
    const value = encodeGroup([stored]);
    return (await this.#late.run(() => this.stores.kept[0].create(place, value))) !== undefined;
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

function encodeGroup(group: records.StoredReturn[]): Uint8Array {
  return encode(writeAs(records.ReturnGroup, group) as Wire);
}
