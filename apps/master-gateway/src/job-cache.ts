/**
 * The job cache in JetStream: a job under its request's digest (`d.<digest>`), returns in groups by the second of their jid
 * (`r.<second>.<instance>-<n>`), so that many returns cost one write and one job's returns are found without reading all, and
 * in a bucket of its own the index by jid: the broker writes both at the same time.
 *
 * Spec: spec/envelope.md#durability, spec/wire.md#records.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { GroupCommit, type Store } from '@natrium/bus';
import { decode, encode, fromHex, joinLists, toHex, type Wire } from '@natrium/envelope';
import type { JobCreation, StoredJob } from '@natrium/flow';
import { readAs, records, writeAs } from '@natrium/wire';
import { AtOnce } from './at-once.js';

const SECOND_DIGITS = 14;
/** Well below the broker's largest message, so that a full group and one large return still fit. */
const GROUP_BYTES = 1 << 20;
/** How long returns are gathered before they are written together; the caller has them already. */
const WINDOW_MS = 50;
/** A broker of three that has lost its leader has another within seconds. */
const CREATE_TRIES = 2;
const CREATE_AGAIN_MS = 400;
/** A write without an acknowledgement may still come into effect: it is looked for at once, and after each of these pauses. */
const WITHDRAW_AFTER_MS = [0, 1000, 5000, 20_000];

/** Another gateway that took this one for dead has removed what it told. */
const TELL_AGAIN_MS = 30_000;
/** Late returns are a write each: so many are under way, however many come in one moment. */
const LATE_AT_ONCE = 128;

/** A return as the only one of a list: encoded once, and one that cannot be encoded fails alone. */
interface Encoded {
  readonly second: string;
  readonly bytes: Uint8Array;
}

interface Reading {
  readonly now: Promise<readonly records.StoredReturn[]>;
  readonly next?: Promise<readonly records.StoredReturn[]>;
}

export class JobCache {
  readonly #commit: GroupCommit<Encoded>;
  readonly #late = new AtOnce(LATE_AT_ONCE);
  #groups = 0;
  /** Revisions of the jobs that this instance has begun, by digest. */
  readonly #begun = new Map<string, number>();
  /** Those that are being written: not older than the newest of which this instance knew. */
  readonly #writing = new Map<string, number>();
  readonly #readings = new Map<string, Reading>();
  /** Digests of jobs that could not be written, until nothing of them can be there any more. */
  readonly #withdrawn = new Set<string>();
  #newest = 0;
  #told = { since: -1, until: 0 };

  constructor(
    private readonly store: Store,
    /** Digests by jid. */
    private readonly index: Store,
    private readonly instance: string,
  ) {
    this.#commit = new GroupCommit((group) => this.#writeGroup(group), WINDOW_MS);
  }

  /**
   * Creates the job and its index at once; the loser of a race learns which job there is. While the broker has no leader it
   * is tried again, and what was written after all is known by its instance and jid.
   */
  async create(record: records.JobRecord, digest: string): Promise<JobCreation> {
    this.#writing.set(digest, this.#newest + 1);
    try {
      return await this.#createOrGiveUp(record, digest);
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
    const [created, indexed] = await Promise.all([
      this.store.create(`d.${digest}`, value),
      this.index.create(record.jid, fromHex(digest)),
    ]);
    if (created !== undefined) this.#note(digest, created);
    if (created !== undefined && indexed !== undefined) return { type: 'created' };
    const [job, index] = again ? await this.#mine(record, digest) : [];
    if ((created ?? job) !== undefined && (indexed ?? index) !== undefined) {
      this.#note(digest, created ?? job ?? 0);
      return { type: 'created' };
    }
    if (created === undefined) {
      if (indexed !== undefined) await this.index.delete(record.jid, indexed);
      const existing = await this.byDigest(digest);
      if (existing !== undefined) return { type: 'exists', record: existing };
    } else await this.store.delete(`d.${digest}`, created);
    return { type: 'jid_taken' };
  }

  /** Revisions of the job and of its index where an earlier try of this instance has written them. */
  async #mine(record: records.JobRecord, digest: string): Promise<readonly (number | undefined)[]> {
    const found = await this.find(digest);
    const index = await this.index.get(record.jid);
    const isMine = found?.record.instance === record.instance && found.record.jid === record.jid;
    const isIndex = index !== undefined && toHex(index.value) === digest;
    return [isMine ? found.revision : undefined, isIndex ? index.revision : undefined];
  }

  async find(digest: string): Promise<StoredJob | undefined> {
    const entry = await this.store.get(`d.${digest}`);
    return entry === undefined ? undefined : { record: readJob(entry.value), revision: entry.revision };
  }

  /** Makes another instance's job this one's. false: somebody else changed it first, or its jid is another job's. */
  async move({ record, revision }: StoredJob, digest: string): Promise<boolean> {
    const value = encode(writeAs(records.JobRecord, { ...record, instance: this.instance }) as Wire);
    const moved = await this.store.update(`d.${digest}`, value, revision);
    if (moved === undefined) return false;
    this.#note(digest, moved);
    // Its gateway may have died between the job and its index.
    if ((await this.index.create(record.jid, fromHex(digest))) !== undefined) return true;
    const index = await this.index.get(record.jid);
    return index !== undefined && toHex(index.value) === digest;
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
   * not read all. Called now and then; what has ended since only costs a second look.
   */
  async tellOldest(isOpen: (digest: string) => boolean): Promise<void> {
    for (const digest of this.#begun.keys()) if (!isOpen(digest)) this.#begun.delete(digest);
    const since = Math.min(this.#newest + 1, ...this.#writing.values(), ...this.#begun.values());
    if (since === this.#told.since && performance.now() < this.#told.until) return;
    await this.store.put(`o.${this.instance}`, encode(since));
    this.#told = { since, until: performance.now() + TELL_AGAIN_MS };
  }

  /** The instances that have left jobs here, or are at work on them. */
  async instances(): Promise<readonly string[]> {
    return (await this.store.list('o.*')).map(({ key }) => key.slice(2));
  }

  /** Jobs of an instance that is gone, oldest first; many of them have ended. */
  async leftBy(instance: string): Promise<readonly { readonly place: string; readonly record: records.JobRecord }[]> {
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

  async byDigest(digest: string): Promise<records.JobRecord | undefined> {
    return (await this.find(digest))?.record;
  }

  async byJid(jid: string): Promise<records.JobRecord | undefined> {
    const entry = await this.index.get(jid);
    return entry === undefined ? undefined : this.byDigest(toHex(entry.value));
  }

  /** Resolves when the return is durable. */
  async storeReturn(stored: records.StoredReturn): Promise<void> {
    await this.#commit.add({ second: stored.jid.slice(0, SECOND_DIGITS), bytes: encodeGroup([stored]) });
  }

  /** One that came after its gateway was gone, under its sender's key: the same return twice is one. Readers take the first of all. */
  async storeLate(stored: records.StoredReturn, key: string): Promise<boolean> {
    const place = `r.${stored.jid.slice(0, SECOND_DIGITS)}.${stored.jid}-${key}`;
    const value = encodeGroup([stored]);
    return (await this.#late.run(() => this.store.create(place, value))) !== undefined;
  }

  async returnsOf({ jid }: Pick<records.JobRecord, 'jid'>): Promise<readonly records.StoredReturn[]> {
    const all = await this.#returnsIn(jid.slice(0, SECOND_DIGITS));
    const first = new Map<string, records.StoredReturn>();
    for (const stored of all) if (stored.jid === jid && !first.has(stored.id)) first.set(stored.id, stored);
    return [...first.values()];
  }

  /**
   * Reading is dear (the broker makes a consumer of it), and after a fail-over many ask for the same second: one reading at a
   * time, and all who ask meanwhile share the next.
   */
  #returnsIn(second: string): Promise<readonly records.StoredReturn[]> {
    const { now, next } = this.#readings.get(second) ?? {};
    if (next !== undefined) return next;
    const reading = (now?.catch(() => undefined) ?? Promise.resolve()).then(() => {
      this.#readings.set(second, { now: reading });
      return this.#readReturns(second);
    });
    this.#readings.set(second, now === undefined ? { now: reading } : { now, next: reading });
    const done = () => {
      if (this.#readings.get(second)?.now === reading) this.#readings.delete(second);
    };
    reading.then(done, done);
    return reading;
  }

  async #readReturns(second: string): Promise<readonly records.StoredReturn[]> {
    const entries = await this.store.list(`r.${second}.*`);
    return entries.flatMap(({ value }) => readAs(records.ReturnGroup, decode(value)));
  }

  /** Every job that is still kept, oldest first. */
  async all(): Promise<readonly records.JobRecord[]> {
    const entries = await this.store.list('d.*');
    return entries.map(({ value }) => readJob(value)).sort((a, b) => (a.jid < b.jid ? -1 : 1));
  }

  async #writeGroup(group: readonly Encoded[]): Promise<void> {
    const bySecond = new Map<string, Uint8Array[]>(group.map(({ second }) => [second, []]));
    for (const { second, bytes } of group) bySecond.get(second)?.push(bytes);
    await Promise.all([...bySecond].map(([second, list]) => this.#writeSecond(second, list)));
  }

  async #writeSecond(second: string, list: readonly Uint8Array[]): Promise<void> {
    await Promise.all(
      inMessages(list).map((part) => {
        this.#groups += 1;
        return this.store.put(`r.${second}.${this.instance}-${String(this.#groups)}`, joinLists(part));
      }),
    );
  }
}

/** Groups that fit into one message each; a single return always does, its minion has cut it. */
function inMessages(list: readonly Uint8Array[]): readonly Uint8Array[][] {
  const groups: Uint8Array[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const one of list) {
    if (bytes + one.length > GROUP_BYTES) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(one);
    bytes += one.length;
  }
  return groups;
}

function encodeGroup(group: records.StoredReturn[]): Uint8Array {
  return encode(writeAs(records.ReturnGroup, group) as Wire);
}

function readJob(value: Uint8Array): records.JobRecord {
  return readAs(records.JobRecord, decode(value));
}
