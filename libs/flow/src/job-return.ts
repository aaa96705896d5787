/**
 * A return comes in: only a minion that was asked may answer, once; the caller hears it at once, and the minion's spool
 * forgets it only when it is stored.
 *
 * Spec: spec/envelope.md#durability.
 */
import { keepLatest } from '@natrium/model';
import type { Body, contracts, records } from '@natrium/wire';
import type { ActiveJob, ActiveJobs, EndedJob } from './active-jobs.js';
import { asReturn } from './news.js';
import { StoredReturns } from './stored-returns.js';

export type Returned = Body<typeof contracts.returned>;

export interface ReturnPorts {
  /** Resolves when it is durable. @throws {Error} When the broker does not take it; it may be durable all the same. */
  store(stored: records.StoredReturn): Promise<void>;
  /**
   * The same for a return of a job that is not gathered here, once for each sender, without reading what is there.
   * @returns false when it was there already.
   */
  storeLate(stored: records.StoredReturn, key: string): Promise<boolean>;
  findJob(jid: string): Promise<records.JobRecord | undefined>;
  storedReturns(record: records.JobRecord): Promise<readonly records.StoredReturn[]>;
  announce(record: records.JobRecord, stored: records.StoredReturn): void;
  digestOf(request: Uint8Array): string;
  keyText(key: Uint8Array): string;
  /** The id of the minion that is accepted under this key now. */
  idNow(key: string): string | undefined;
  /** A job so old is no longer kept, whoever asks. */
  isForgotten(jid: string): boolean;
  /** Takes from the sender's budget what looking for its job costs, in returns. */
  charge(key: string, returns: number): void;
  /** Counts returns that were not taken, or not taken again, by why. */
  count(what: 'duplicate' | 'stranger' | 'mismatch' | 'too_late'): void;
  now(): number;
}

/** What reading a job that is not at hand costs, in returns, and of how many members one more; a sender may name another job each time. */
const LOOK_RETURNS = 9;
const MEMBERS_OF_A_RETURN = 200;

/** Late returns that are remembered as untold. */
const MAX_UNTOLD = 10_000;

interface Members {
  /** The keys that were asked, by id. */
  readonly keys: ReadonlyMap<string, string>;
  /** The ids, by key. */
  readonly ids: ReadonlyMap<string, string>;
}

export class JobReturns {
  /** Late ones that are being stored, by jid and key. */
  readonly #storingLate = new Map<string, Promise<unknown>>();
  /** Late ones whose store failed, by jid and key, oldest first: it may have come into effect, and nobody has told of it. */
  readonly #untold = new Set<string>();
  readonly #members = new WeakMap<records.JobRecord, Members>();
  readonly #digests = new WeakMap<records.JobRecord, string>();
  readonly #stored: StoredReturns;

  constructor(
    private readonly ports: ReturnPorts,
    private readonly jobs: ActiveJobs,
  ) {
    this.#stored = new StoredReturns((record) => ports.storedReturns(record));
  }

  /**
   * @param key Of the sender's identity, hexadecimal.
   * @returns true when the sender may forget its return: it is stored, or it was already.
   */
  handle(said: Returned, key: string): Promise<boolean> {
    const job = this.jobs.byJid(said.jid);
    if (job !== undefined) return this.#inTime(job, said, this.#askedAs(job, key), key);
    const ended = this.jobs.ended(said.jid);
    return ended === undefined ? this.#late(said, key) : this.#afterItsEnd(ended, said, key);
  }

  /** The key that was asked. A minion that has changed its identity since then answers with another one. */
  #askedAs({ gathering, record }: EndedJob, key: string): string {
    if (gathering.idOf(key) !== undefined) return key;
    return this.#membersOf(record).keys.get(this.ports.idNow(key) ?? '') ?? key;
  }

  /** Without `await`, which would hold each of thousands of messages until its return is stored. */
  #inTime(job: ActiveJob, said: Returned, key: string, sender: string): Promise<boolean> {
    if (job.digest !== this.ports.keyText(said.digest)) return Promise.resolve(this.#count('mismatch'));
    const id = job.gathering.idOf(key);
    if (id === undefined) return Promise.resolve(this.#count('stranger'));
    if (said.status === 'refused') {
      this.jobs.givenUp(job, key, 'refused', `${id} refused the job: ${reasonOf(said.code)}`);
      return Promise.resolve(true);
    }
    if (said.status === 'already_returned') return this.#earlier(job, key, id, sender);
    if (job.gathering.returned(key) === 'again') return this.#again(job, said, key, id);
    const storing = this.#storeOnce(job, said, key, id);
    try {
      this.jobs.heard(job, asReturn({ id, outcome: said.outcome }));
    } catch (cause) {
      // The return is stored even when telling of it fails.
      return storing.then(() => {
        throw cause;
      });
    }
    return storing;
  }

  /** The job is over here: whoever has returned is known without a look at the store. */
  async #afterItsEnd(job: EndedJob, said: Returned, sender: string): Promise<boolean> {
    const key = this.#askedAs(job, sender);
    const id = job.gathering.idOf(key);
    if (job.digest !== this.ports.keyText(said.digest)) return this.#count('mismatch');
    if (id === undefined || !job.gathering.hasReturned(key)) return this.#lateFor(job.record, said, sender);
    return this.#again(job, said, key, id);
  }

  /** A second copy waits for the store of the first; when that failed, one of those that wait is stored in its place. */
  async #again(job: EndedJob, said: Returned, key: string, id: string): Promise<boolean> {
    this.ports.count('duplicate');
    const first = job.unstored.get(key);
    if (first === undefined) return true;
    await first.catch(() => {
      const next = job.unstored.get(key);
      return next === first ? this.#storeOnce(job, said, key, id) : next;
    });
    return true;
  }

  /** It ran before, and another gateway has taken its return: what the job cache holds is told. */
  async #earlier(job: ActiveJob, key: string, id: string, sender: string): Promise<boolean> {
    this.ports.charge(sender, LOOK_RETURNS); // of what is read, all minions of a job have one reading together
    const stored = (await this.#stored.of(job.record)).get(id);
    if (stored === undefined) this.jobs.givenUp(job, key, 'no_answer');
    else if (job.gathering.returned(key) === 'first') this.jobs.heard(job, asReturn(stored));
    return true;
  }

  #storeOnce({ record, unstored }: EndedJob, said: Returned, key: string, id: string): Promise<true> {
    const storing = this.#store(record, id, said, () => {
      unstored.delete(key);
    });
    unstored.set(key, storing);
    return storing;
  }

  async #late(said: Returned, key: string): Promise<boolean> {
    this.ports.charge(key, LOOK_RETURNS); // before it is read: of many that come at once, the next ones are to be refused
    const record = await this.ports.findJob(said.jid);
    if (record === undefined) return this.#unknown(said.jid);
    this.ports.charge(key, sizeOf(record));
    if (this.#digestOf(record) !== this.ports.keyText(said.digest)) return this.#count('mismatch');
    return this.#lateFor(record, said, key);
  }

  async #lateFor(record: records.JobRecord, said: Returned, key: string): Promise<boolean> {
    const { ids, keys } = this.#membersOf(record);
    const id = ids.get(key) ?? this.ports.idNow(key) ?? '';
    const asked = keys.get(id);
    if (asked === undefined) return this.#count('stranger');
    return this.#storeAfterwards(record, said, { id, key: asked });
  }

  /** Of each record once: a request may have megabytes, and many returns of it may be late. */
  #digestOf(record: records.JobRecord): string {
    const known = this.#digests.get(record) ?? this.ports.digestOf(record.request);
    this.#digests.set(record, known);
    return known;
  }

  /** When one return of a large job is late or a stranger's, many are. */
  #membersOf(record: records.JobRecord): Members {
    const known = this.#members.get(record);
    if (known !== undefined) return known;
    const keys = new Map(record.members.map(({ id, key }) => [id, this.ports.keyText(key)]));
    const members = { keys, ids: new Map([...keys].map(([id, key]) => [key, id])) };
    this.#members.set(record, members);
    return members;
  }

  async #storeAfterwards(
    record: records.JobRecord,
    said: Returned,
    { id, key }: { readonly id: string; readonly key: string },
  ): Promise<boolean> {
    const place = placeOf(said, key);
    if (said.status === 'done') await this.#alone(place, () => this.#storeLate(record, id, said, key));
    else if (said.status === 'interrupted') await this.#alone(place, () => this.#storeInterrupted(record, id, said));
    return true;
  }

  /** Taken all the same when the job is so old that nobody can ask for it: its minion would send it for ever. */
  #unknown(jid: string): boolean {
    if (!this.ports.isForgotten(jid)) return this.#count('stranger');
    this.ports.count('too_late');
    return true;
  }

  async #isStored(record: records.JobRecord, id: string): Promise<boolean> {
    const isStored = await this.#stored.has(record, id);
    if (isStored) this.ports.count('duplicate');
    return isStored;
  }

  /** A second copy waits for the store of the first, and is stored in its place when that failed. */
  #alone(place: string, store: () => Promise<unknown>): Promise<unknown> {
    const first = this.#storingLate.get(place);
    if (first !== undefined) return first.catch(() => this.#alone(place, store));
    const storing = store().finally(() => this.#storingLate.delete(place));
    this.#storingLate.set(place, storing);
    return storing;
  }

  /** A minion that calls its run interrupted may have returned it before, so what is stored is read first. */
  async #storeInterrupted(record: records.JobRecord, id: string, said: Returned): Promise<void> {
    if (!(await this.#isStored(record, id))) await this.#store(record, id, said);
  }

  async #storeLate(record: records.JobRecord, id: string, said: Returned, key: string): Promise<void> {
    const stored = { jid: said.jid, id, status: said.status, outcome: said.outcome, at: this.ports.now() };
    const place = placeOf(said, key);
    let isNew: boolean;
    try {
      isNew = await this.ports.storeLate(stored, key);
    } catch (cause) {
      this.#keepUntold(place);
      throw cause;
    }
    const wasUntold = this.#untold.delete(place);
    // Once: after a fail-over many come again and again until their minions hear that they are stored.
    if (isNew || wasUntold) this.ports.announce(record, stored);
  }

  /** Bounded: only this gateway removes it again, and its minion may send its return to another one next. */
  #keepUntold(place: string): void {
    this.#untold.add(place);
    keepLatest(this.#untold, MAX_UNTOLD);
  }

  #store(record: records.JobRecord, id: string, said: Returned, done?: () => void): Promise<true> {
    // The record's jid: thousands of returns share it, and each came with a copy.
    const stored = { jid: record.jid, id, status: said.status, outcome: said.outcome, at: this.ports.now() };
    return this.ports.store(stored).then(() => {
      done?.();
      this.ports.announce(record, stored); // once: a store that fails is tried again
      return true;
    });
  }

  #count(what: 'stranger' | 'mismatch'): false {
    this.ports.count(what);
    return false;
  }
}

/** What the reader of a refusal can do, where its code alone does not say. */
const MENDS: ReadonlyMap<string, string> = new Map([
  [
    'record_unwritable',
    'its disk does not take the record of what runs, so nothing runs there until it has room again',
  ],
  ['agent_stopping', 'its agent was told to stop and only finishes what runs; ask again when it is back'],
  ['record_incomplete', 'it cannot know whether it has run this before; ask again with a new request'],
]);

function reasonOf(code: string | null): string {
  if (code === null) return 'no reason given';
  const mend = MENDS.get(code);
  return mend === undefined ? code : `${code}: ${mend}`;
}

function sizeOf({ members }: records.JobRecord): number {
  return Math.floor(members.length / MEMBERS_OF_A_RETURN);
}

function placeOf({ jid }: Returned, key: string): string {
  return `${jid} ${key}`;
}
