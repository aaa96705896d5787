/**
 * What is stored of jobs whose returns may be there already. Reading that is dear, and many ask for the same job at once: after a power cut
 * each minion calls its last run interrupted, as it cannot know that its return was stored.
 *
 * So readings are shared, and who was found is remembered: nothing that is stored goes away while its job is kept.
 */
import { SharedReadings } from '@natrium/model';
import type { records } from '@natrium/wire';

type ById = ReadonlyMap<string, records.StoredReturn>;

export class StoredReturns {
  readonly #found = new WeakMap<records.JobRecord, ReadonlySet<string>>();
  /** By jid. */
  readonly #readings = new SharedReadings<string, ById>();

  constructor(private readonly read: (record: records.JobRecord) => Promise<readonly records.StoredReturn[]>) {}

  /** Whether this minion's return is stored. */
  async has(record: records.JobRecord, id: string): Promise<boolean> {
    return this.#found.get(record)?.has(id) === true || (await this.of(record)).has(id);
  }

  /** By id. */
  of(record: records.JobRecord): Promise<ById> {
    return this.#readings.of(record.jid, () => this.#readNow(record));
  }

  async #readNow(record: records.JobRecord): Promise<ById> {
    const found = new Map((await this.read(record)).map((stored) => [stored.id, stored]));
    this.#found.set(record, new Set(found.keys()));
    return found;
  }
}
