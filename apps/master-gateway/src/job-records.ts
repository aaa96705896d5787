/**
 * The records of jobs in one bucket, each under its request's digest (`d.<digest>`), and since which of them an instance has jobs that
 * have not ended (`o.<instance>`).
 *
 * Spec: spec/envelope.md#durability, spec/wire.md#records.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '@natrium/bus';
import { decode, encode, type Wire } from '@natrium/envelope';
import type { JobCreation, StoredJob } from '@natrium/flow';
import { readAs, records, writeAs } from '@natrium/wire';
import type { JobIndex } from './job-index.js';

/** A broker of three that has lost its leader has another within seconds. */
const CREATE_TRIES = 2;
const CREATE_AGAIN_MS = 400;
/** A write without an acknowledgement may still come into effect: it is looked for at once, and after each of these pauses. */
const WITHDRAW_AFTER_MS = [0, 1000, 5000, 20_000];
/** Another gateway that took this one for dead has removed what it told. */
const TELL_AGAIN_MS = 30_000;

/** A job and the digest that it stands under. */
export interface PlacedJob {
  readonly place: string;
  readonly record: records.JobRecord;
}

export class JobRecords {
  /** Revisions of the jobs that this instance has begun, by digest. */
  readonly #begun = new Map<string, number>();
  /** Those that are being written: not older than the newest of which this instance knew. */
  readonly #writing = new Map<string, number>();
  /** Digests of jobs that could not be written, until nothing of them can be there any more. */
  readonly #withdrawn = new Set<string>();
  #newest = 0;
  #told = { since: -1, until: 0 };

  constructor(
    private readonly store: Store,
    private readonly index: JobIndex,
    private readonly instance: string,
  ) {}

  /**
   * Creates the job and takes its jid at once; the loser of a race learns which job there is. While the broker has no leader it
   * is tried again, and what was written after all is known by its instance and jid.
   */
  async create(record: records.JobRecord, digest: string): Promise<JobCreation> {
    this.#writing.set(digest, this.#newest + 1);
    try {
      const creation = await this.#createOrGiveUp(record, digest);
      if (creation.type === 'created') void this.index.keep(record.jid, digest);
      return creation;
    } finally {
      this.#writing.delete(digest);
    }
  }

  async #createOrGiveUp(record: records.JobRecord, digest: string): Promise<JobCreation> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#create(record, digest, attempt > 1);
      } catch (cause) {
        if (attempt >= CREATE_TRIES) {
          void this.#withdraw(record, digest);
          throw cause;
        }
        await pause(CREATE_AGAIN_MS * attempt);
      }
    }
  }

  /**
   * Takes back what may have been written after all: whoever goes on with this instance's jobs must not find it. Its caller may
   * have asked again meanwhile, so that the job is another's now, or has begun here after all: that one stays.
   */
  async #withdraw({ jid }: records.JobRecord, digest: string): Promise<void> {
    this.#withdrawn.add(digest);
    for (const ms of WITHDRAW_AFTER_MS) {
      await pause(ms, undefined, { ref: false });
      try {
        const found = await this.find(digest);
        if (!this.#withdrawn.has(digest)) return;
        if (found === undefined) continue;
        const isMine = found.record.instance === this.instance && found.record.jid === jid;
        if (isMine) await this.store.delete(`d.${digest}`, found.revision);
        break;
      } catch {
        // The broker takes nothing yet.
      }
    }
    this.#withdrawn.delete(digest);
  }

  async #create(record: records.JobRecord, digest: string, again: boolean): Promise<JobCreation> {
    const value = encode(writeAs(records.JobRecord, record) as Wire);
    const [created, taken] = await Promise.all([
      this.store.create(`d.${digest}`, value),
      this.index.take(record.jid, digest),
    ]);
    if (created !== undefined) this.#note(digest, created);
    if (created !== undefined && taken !== undefined) return { type: 'created' };
    const [job, taking] = again ? await this.#mine(record, digest) : [];
    if ((created ?? job) !== undefined && (taken ?? taking) !== undefined) {
      this.#note(digest, created ?? job ?? 0);
      return { type: 'created' };
    }
    if (created === undefined) {
      if (taken !== undefined) await this.index.giveBack(record.jid, taken);
      const existing = (await this.find(digest))?.record;
      if (existing !== undefined) return { type: 'exists', record: existing };
    } else await this.store.delete(`d.${digest}`, created);
    return { type: 'jid_taken' };
  }

  /** Revisions of the job and of its jid's taking where an earlier try of this instance has written them. */
  async #mine(record: records.JobRecord, digest: string): Promise<readonly (number | undefined)[]> {
    const found = await this.find(digest);
    const isMine = found?.record.instance === record.instance && found.record.jid === record.jid;
    return [isMine ? found.revision : undefined, await this.index.takenFor(record.jid, digest)];
  }

  async find(digest: string): Promise<StoredJob | undefined> {
    const entry = await this.store.get(`d.${digest}`);
    return entry === undefined ? undefined : { record: readJob(entry.value), revision: entry.revision };
  }

  /** Makes another instance's job this one's. false: somebody else changed it first, or its jid is another job's. */
  async move({ record, revision }: StoredJob, digest: string): Promise<boolean> {
    const known = await this.index.find(record.jid);
    if (known !== undefined && known !== digest) return false;
    this.#writing.set(digest, this.#newest + 1);
    try {
      return await this.#moveHere({ record, revision }, digest);
    } finally {
      this.#writing.delete(digest);
    }
  }

  async #moveHere({ record, revision }: StoredJob, digest: string): Promise<boolean> {
    const value = encode(writeAs(records.JobRecord, { ...record, instance: this.instance }) as Wire);
    const moved = await this.store.update(`d.${digest}`, value, revision);
    if (moved === undefined) return false;
    this.#note(digest, moved);
    // Its gateway may have died between the job and its index, and the broker has forgotten by now who took the jid of an old one.
    const taken = (await this.index.take(record.jid, digest)) ?? (await this.index.takenFor(record.jid, digest));
    if (taken === undefined) return false;
    void this.index.keep(record.jid, digest);
    return true;
  }

  #note(digest: string, revision: number): void {
    this.#withdrawn.delete(digest);
    this.#begun.set(digest, revision);
    this.#newest = Math.max(this.#newest, revision);
  }

  /** Before the first job: this instance has none that is older than now. */
  async begin(): Promise<void> {
    this.#newest = await this.store.put(`o.${this.instance}`, encode(1));
    await this.tellOldest(() => false);
  }

  /**
   * Writes down since which revision this instance has jobs that have not ended, so that whoever goes on with them need
   * not read all, nor those whose index is not written yet. Called now and then; what has ended since only costs a second look.
   */
  async tellOldest(isOpen: (digest: string) => boolean): Promise<void> {
    for (const digest of this.#begun.keys())
      if (!isOpen(digest) && !this.index.isWriting(digest)) this.#begun.delete(digest);
    let since = this.#newest + 1;
    for (const table of [this.#writing, this.#begun])
      for (const revision of table.values()) since = Math.min(since, revision);
    if (since === this.#told.since && performance.now() < this.#told.until) return;
    await this.store.put(`o.${this.instance}`, encode(since));
    this.#told = { since, until: performance.now() + TELL_AGAIN_MS };
  }

  /** The instances that have left jobs here, or are at work on them. */
  async instances(): Promise<readonly string[]> {
    return (await this.store.list('o.*')).map(({ key }) => key.slice(2));
  }

  /** Jobs of an instance that is gone, oldest first; many of them have ended. */
  async leftBy(instance: string): Promise<readonly PlacedJob[]> {
    const since = await this.store.get(`o.${instance}`);
    if (since === undefined) return [];
    const entries = await this.store.list('d.*', Math.max(1, Number(decode(since.value))));
    return entries
      .map(({ key, value }) => ({ place: key.slice(2), record: readJob(value) }))
      .filter(({ record }) => record.instance === instance);
  }

  /** All that an instance left is taken care of. */
  forget(instance: string): Promise<void> {
    return this.store.delete(`o.${instance}`);
  }

  /** Every job that is still kept here. */
  async all(): Promise<readonly records.JobRecord[]> {
    const entries = await this.store.list('d.*');
    return entries.map(({ value }) => readJob(value));
  }
}

function readJob(value: Uint8Array): records.JobRecord {
  return readAs(records.JobRecord, decode(value));
}
