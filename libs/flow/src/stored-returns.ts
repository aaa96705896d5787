/**
 * What is stored of jobs whose returns may be there already. Reading that is dear, and many ask for the same job at once: after a power cut
 * each minion calls its last run interrupted, as it cannot know that its return was stored.
 *
 * So one reading of a job is under way at a time, and all who ask meanwhile share the next, which begins after they asked. Who was found is
 * remembered: nothing that is stored goes away while its job is kept.
 */
import type { records } from '@natrium/wire';

type ById = ReadonlyMap<string, records.StoredReturn>;

interface Reading {
  readonly now: Promise<ById>;
  readonly next?: Promise<ById>;
}

export class StoredReturns {
  readonly #found = new WeakMap<records.JobRecord, ReadonlySet<string>>();
  /** By jid. */
  readonly #readings = new Map<string, Reading>();

  constructor(private readonly read: (record: records.JobRecord) => Promise<readonly records.StoredReturn[]>) {}

  /** Whether this minion's return is stored. */
  async has(record: records.JobRecord, id: string): Promise<boolean> {
    return this.#found.get(record)?.has(id) === true || (await this.of(record)).has(id);
  }

  /** By id. */
  of(record: records.JobRecord): Promise<ById> {
    const { jid } = record;
    const { now, next } = this.#readings.get(jid) ?? {};
    if (next !== undefined) return next;
    const reading = (now?.catch(() => undefined) ?? Promise.resolve()).then(() => {
      this.#readings.set(jid, { now: reading });
      return this.#readNow(record);
    });
    this.#readings.set(jid, now === undefined ? { now: reading } : { now, next: reading });
    const done = () => {
      if (this.#readings.get(jid)?.now === reading) this.#readings.delete(jid);
    };
    reading.then(done, done);
    return reading;
  }

  async #readNow(record: records.JobRecord): Promise<ById> {
    const found = new Map((await this.read(record)).map((stored) => [stored.id, stored]));
    this.#found.set(record, new Set(found.keys()));
    return found;
  }
}
