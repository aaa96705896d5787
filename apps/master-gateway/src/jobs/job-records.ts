/**
 * Jobs as they were asked for, in one bucket, each at its place (`j.<place>`: its request's digest, or what its batch
 * is created under), and since which of them an instance has jobs that have not ended (`o.<instance>`).
 *
 * Spec: spec/envelope.md#durability, spec/wire.md#records.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { inSlices, SharedFollowing, type Store } from '@natrium/bus';
import { decode, encode, type Wire } from '@natrium/envelope';
import type { JobCreation } from '@natrium/flow';
import { InFlight } from '@natrium/model';
import { readAs, records, writeAs } from '@natrium/wire';
import type { JobGrants } from './job-grants.js';
import { type JobWrite, JobWrites } from './job-writes.js';

/** A broker of three that has lost its leader has another within seconds. */
const CREATE_TRIES = 2;
const CREATE_AGAIN_MS = 400;
const EXISTS = { type: 'exists' } as const;
/**
 * A write without an acknowledgement may still come into effect: it is looked for, to be removed, at once and after each of these pauses.
 * A job that is to be removed is tried to be removed as often.
 */
const WITHDRAW_AFTER_MS = [0, 1000, 5000, 20_000];
/** Who asks each second for a run that goes on would have all jobs read that began since the oldest one that has not ended. */
const UNDECIDED_AMONG = 2048;

/** A job and the place that it stands under. */
export interface PlacedJob {
  readonly place: string;
  readonly asked: records.AskedJob;
}

/** Jobs that were looked for. */
export interface SomeJobs {
  readonly jobs: readonly records.AskedJob[];
  /** Among how many. */
  readonly looked: number;
  /** These are all that are kept. */
  readonly isAll: boolean;
}

export interface FoundJob {
  readonly asked: records.AskedJob;
  readonly revision: number;
}

interface Begun {
  readonly revision: number;
  readonly jid: string;
  /** Whether its grant is known. Before that, it cannot be told whether the job has ended. */
  readonly isGranted: boolean;
  /** It had ended at the last look. By the next one, all that this instance says of it is on the event bus. */
  readonly isOver?: true;
}

export class JobRecords {
  /** The jobs that this instance has written, by place. */
  readonly #begun = new InFlight<string, Begun>();
  readonly #writes = new JobWrites();
  /** Places of jobs that could not be written, until nothing of them can be there any more. */
  readonly #withdrawn = new Set<string>();
  readonly #looked = new Map<string, number>(); // by instance, at which revision it said what was last read of its jobs
  readonly #jids: SharedFollowing<string | undefined>;
  #newest = 0;
  #told = -1;

  constructor(
    private readonly store: Store,
    private readonly grants: JobGrants,
    private readonly instance: string,
    private readonly onUnreadable: () => void,
  ) {
    this.#jids = new SharedFollowing(store, ({ value }) => (value === undefined ? undefined : this.#read(value)?.jid));
  }

  /**
   * Creates the job; the loser of a race learns that there is one. While the broker has no leader it is tried again, and what was
   * written after all is known by its instance and jid.
   */
  async create(asked: records.AskedJob, place: string): Promise<JobCreation> {
    return this.#writes.during(place, this.#newest + 1, (own) => this.#createOrGiveUp(asked, own));
  }

  async #createOrGiveUp(asked: records.AskedJob, own: JobWrite): Promise<JobCreation> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#create(asked, own, attempt > 1);
      } catch (cause) {
        if (attempt >= CREATE_TRIES) return this.#foundOrGivenUp(asked, own, cause);
        await pause(CREATE_AGAIN_MS * attempt);
      }
    }
  }

  /** Its caller hears of the failure that nothing was sent; a job that is there by now another gateway may be sending. */
  async #foundOrGivenUp(asked: records.AskedJob, own: JobWrite, cause: unknown): Promise<JobCreation> {
    const found = await this.find(own.place).catch(() => undefined);
    if (found !== undefined || own.isTaken) return this.#found(asked, own, found);
    void this.#withdraw(asked, own.place);
    throw cause;
  }

  /**
   * Takes back what may have been written after all: whoever goes on with this instance's jobs must not find it. Its caller may
   * have asked again meanwhile, so that the job is another's now, or has begun here after all: that one stays.
   */
  async #withdraw({ jid }: records.AskedJob, place: string): Promise<void> {
    this.#withdrawn.add(place);
    for (const ms of WITHDRAW_AFTER_MS) {
      await pause(ms, undefined, { ref: false });
      try {
        const found = await this.find(place);
        if (!this.#withdrawn.has(place)) return;
        if (found === undefined) continue;
        const isMine = found.asked.instance === this.instance && found.asked.jid === jid;
        if (isMine) await this.store.delete(`j.${place}`, found.revision);
        break;
      } catch {
        // The broker takes nothing yet.
      }
    }
    this.#withdrawn.delete(place);
  }

  async #create(asked: records.AskedJob, own: JobWrite, again: boolean): Promise<JobCreation> {
    const created = await this.store.create(`j.${own.place}`, encoded(asked));
    if (created !== undefined) return this.#created(asked, own, created);
    return again ? this.#found(asked, own, await this.find(own.place)) : EXISTS;
  }

  /** What an earlier try of this instance has written after all is its own. */
  #found(asked: records.AskedJob, own: JobWrite, found: FoundJob | undefined): JobCreation {
    const isMine = found?.asked.instance === asked.instance && found.asked.jid === asked.jid;
    return isMine ? this.#created(asked, own, found.revision) : EXISTS;
  }

  /** A take-over here that has gone on with it meanwhile has noted a later revision, or will. */
  #created({ jid }: records.AskedJob, { place, isTaken }: JobWrite, revision: number): JobCreation {
    if (isTaken) return EXISTS;
    this.#note(place, { revision, jid, isGranted: false });
    return { type: 'created', revision };
  }

  async find(place: string): Promise<FoundJob | undefined> {
    const entry = await this.store.get(`j.${place}`);
    return entry === undefined ? undefined : { asked: readJob(entry.value), revision: entry.revision };
  }

  /** Removes a job that this instance has created, since it was not granted. An instance that has made it its own since then keeps it. @returns Whether there is none now. */
  async drop(place: string, revision: number): Promise<boolean> {
    if (this.#begun.get(place)?.revision === revision) this.#begun.delete(place);
    for (const ms of WITHDRAW_AFTER_MS) {
      await pause(ms, undefined, { ref: false });
      try {
        await this.store.delete(`j.${place}`, revision);
        return (await this.find(place)) === undefined;
      } catch {
        // The broker takes nothing yet.
      }
    }
    return false;
  }

  /** The job is granted. From now on it counts as open while it is gathered here, or its grant is being written. */
  granted(place: string): void {
    const begun = this.#begun.get(place);
    if (begun !== undefined) this.#begun.set(place, { ...begun, isGranted: true });
  }

  /** Makes another instance's job this one's. false: somebody else changed it first. */
  async move({ asked, revision }: FoundJob, place: string): Promise<boolean> {
    this.#writes.take(place);
    this.#withdrawn.delete(place);
    return this.#writes.during(place, this.#newest + 1, async () => {
      const moved = await this.store.update(`j.${place}`, encoded({ ...asked, instance: this.instance }), revision);
      if (moved !== undefined) this.#note(place, { revision: moved, jid: asked.jid, isGranted: true });
      return moved !== undefined;
    });
  }

  #note(place: string, begun: Begun): void {
    this.#withdrawn.delete(place);
    this.#begun.set(place, begun);
    this.#newest = Math.max(this.#newest, begun.revision);
  }

  /** Before the first job: this instance has none that is older than now. */
  async begin(): Promise<void> {
    this.#newest = await this.store.put(`o.${this.instance}`, encode(1));
    await this.tellOldest(() => false);
  }

  /**
   * Writes down since which revision this instance has jobs that had not ended when this was last called, or whose grant is not written
   * yet: a gateway that takes over reads only from there on. Called now and then; a job that has ended meanwhile only costs it a second look.
   */
  async tellOldest(isOpen: (place: string) => boolean): Promise<void> {
    for (const [place, begun] of this.#begun) {
      if (!begun.isGranted || isOpen(place) || this.grants.isWriting(begun.jid)) continue;
      if (begun.isOver) this.#begun.delete(place);
      else this.#begun.set(place, { ...begun, isOver: true });
    }
    let since = Math.min(this.#newest + 1, this.#writes.since);
    for (const { revision } of this.#begun.values()) since = Math.min(since, revision);
    if (since === this.#told && !(await this.#isRemoved())) return;
    await this.store.put(`o.${this.instance}`, encode(since));
    this.#told = since;
  }

  /** Another gateway that takes this one for gone removes what it has told. A broker that does not answer is asked at the next look. */
  async #isRemoved(): Promise<boolean> {
    return this.store.get(`o.${this.instance}`).then(
      (told) => told === undefined,
      () => false,
    );
  }

  /** The instances that have left jobs here, or are at work on them. */
  async instances(): Promise<readonly string[]> {
    return (await this.store.list('o.*')).map(({ key }) => key.slice(2));
  }

  /** Since which revision an instance has jobs here that have not ended, and at which it said so; undefined: it is not known. */
  async #oldestOf(instance: string): Promise<{ readonly since: number; readonly revision: number } | undefined> {
    const told = await this.store.get(`o.${instance}`);
    return told && { since: Math.max(1, Number(decode(told.value))), revision: told.revision };
  }

  /** Jobs of an instance that is gone, oldest first; many of them have ended. */
  async leftBy(instance: string): Promise<readonly PlacedJob[]> {
    const told = await this.#oldestOf(instance);
    if (told === undefined) return [];
    this.#looked.set(instance, told.revision);
    return (await this.store.list('j.*', told.since)).flatMap(({ key, value }) => {
      const asked = this.#read(value);
      return asked?.instance === instance ? [{ place: key.slice(2), asked }] : [];
    });
  }

  /** All that an instance left is taken care of. What it has said since that was read stays: it was only cut off, and has other jobs. */
  forget(instance: string): Promise<void> {
    return this.store.delete(`o.${instance}`, this.#looked.get(instance));
  }

  /** Between which revisions all is that is kept here. */
  bounds(): ReturnType<Store['bounds']> {
    return this.store.bounds();
  }

  /** The wanted ones of all that are still kept here, or were written from a revision on, which may be very many; and among how many. */
  async all(isWanted: (asked: records.AskedJob) => boolean, since = 1): Promise<Omit<SomeJobs, 'isAll'>> {
    const jobs: records.AskedJob[] = [];
    let looked = 0;
    for await (const { value } of inSlices(this.store.each('j.*', since), (entry) => entry.value.length)) {
      const asked = this.#read(value);
      looked += 1;
      if (asked !== undefined && isWanted(asked)) jobs.push(asked);
    }
    return { jobs, looked };
  }

  /** The place of a job that may not have its grant yet: no instance's are older than its first that has not ended. undefined: it is none of these. */
  async placeOfUndecided(jid: string): Promise<string | undefined> {
    const told = await Promise.all((await this.instances()).map((instance) => this.#oldestOf(instance)));
    const oldest = Math.min(...told.map((one) => one?.since ?? Infinity));
    if (oldest === Infinity) return undefined;
    const from = Math.max(oldest, (await this.bounds()).last - UNDECIDED_AMONG + 1);
    for await (const { key, value } of inSlices(this.store.each('j.*', from), (entry) => entry.value.length))
      if (this.#read(value)?.jid === jid) return key.slice(2);
    return undefined;
  }

  /** Of many: one that another version has stored in another form must not hide the others. */
  #read(value: Uint8Array): records.AskedJob | undefined {
    try {
      return readJob(value);
    } catch {
      this.onUnreadable();
      return undefined;
    }
  }

  /** Tells when the job is not at its place any more, until the signal ends it. */
  whenGone(jid: string, place: string, tell: () => void, signal: AbortSignal): Promise<void> {
    const hear = (now: string | undefined) => {
      if (now !== jid) tell();
    };
    return this.#jids.hear(`j.${place}`, hear, signal);
  }
}

/** @throws {Error} Where another version has stored it otherwise: there is a job, and nothing is known of it. */
function readJob(value: Uint8Array): records.AskedJob {
  return readAs(records.AskedJob, decode(value));
}

function encoded(asked: records.AskedJob): Uint8Array {
  return encode(writeAs(records.AskedJob, asked) as Wire);
}
