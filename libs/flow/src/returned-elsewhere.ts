/**
 * A return of a job that is gathered here went to another gateway, as it does when its minion was killed and sends it in its next life:
 * that gateway stores it and then announces it on the event bus, and here the caller is told what is stored.
 *
 * Of the announcement only counts whose return it is: what is told comes from the job cache, where only gateways write. Reading that is
 * expensive, so one reading of a job is under way at a time, and all that is announced meanwhile shares the next one.
 *
 * Spec: spec/envelope.md#durability.
 */
import { InFlight } from '@natrium/model';
import type { records } from '@natrium/wire';
import type { ActiveJob, ActiveJobs } from './active-jobs.js';

export interface ElsewherePorts {
  storedReturns(record: records.JobRecord): Promise<readonly records.StoredReturn[]>;
  /** The caller hears of it when its time is up, or with the next that is announced. */
  onProblem(record: records.JobRecord, cause: unknown): void;
}

export class ReturnedElsewhere {
  /** Ids that were announced and not looked for yet, of each job that is being read. */
  readonly #announced = new InFlight<ActiveJob, Set<string>>();

  constructor(
    private readonly ports: ElsewherePorts,
    private readonly jobs: ActiveJobs,
  ) {}

  /** Another gateway has stored this minion's return. */
  announced(jid: string, id: string): void {
    const job = this.jobs.byJid(jid);
    if (job === undefined || job.gathering.ended) return;
    const announced = this.#announced.get(job);
    if (announced !== undefined) announced.add(id);
    else void this.#tellAll(job, new Set([id]));
  }

  async #tellAll(job: ActiveJob, announced: Set<string>): Promise<void> {
    this.#announced.set(job, announced);
    await Promise.resolve(); // thousands are announced in one turn
    while (isWaitedFor(job, announced)) {
      announced.clear();
      await this.#tell(job);
    }
    this.#announced.delete(job);
  }

  async #tell(job: ActiveJob): Promise<void> {
    try {
      const returned = await this.ports.storedReturns(job.record);
      if (!job.gathering.ended) this.jobs.found(job, returned);
    } catch (cause) {
      this.ports.onProblem(job.record, cause);
    }
  }
}

/** Somebody waits for one of them still: a minion that was not answered in time has sent its return to two gateways. */
function isWaitedFor({ gathering }: ActiveJob, ids: ReadonlySet<string>): boolean {
  if (gathering.ended || ids.size === 0) return false;
  return gathering.silent.some((key) => ids.has(gathering.idOf(key) ?? ''));
}
