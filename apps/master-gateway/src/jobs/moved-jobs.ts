/** The jobs that this instance has made its own lately, or may have: it may have to tell of them, or to go on with them. */
import { keepLatest } from '@natrium/model';
import type { records } from '@natrium/wire';
import type { PlacedJob } from './job-records.js';

/** How many are remembered, the latest. */
const MAX_MOVED = 2000;

interface Moved {
  /** As it was before. */
  readonly asked: records.AskedJob;
  /** It was acknowledged. Until then its take-over may fail, though the job is not among the other instance's any more. */
  readonly isSure: boolean;
}

export class MovedJobs {
  readonly #moved = new Map<string, Moved>();

  constructor(private readonly own: string) {}

  /** @param move Makes it this instance's. false: somebody else changed it first. */
  async during({ place, asked: now }: PlacedJob, move: () => Promise<boolean>): Promise<boolean> {
    const known = this.#moved.get(place);
    // A try that nobody has acknowledged may have made it this one's already.
    const asked = now.instance === this.own ? (known?.asked ?? now) : now;
    this.#moved.set(place, { asked, isSure: false });
    keepLatest(this.#moved, MAX_MOVED);
    const isMoved = await move();
    if (isMoved) this.#moved.set(place, { asked, isSure: true });
    else if (known === undefined) this.#moved.delete(place);
    else this.#moved.set(place, known);
    return isMoved;
  }

  /** Those that were the instance's. */
  from(instance: string, isSure: boolean): readonly PlacedJob[] {
    return [...this.#moved].flatMap(([place, moved]) =>
      moved.isSure === isSure && moved.asked.instance === instance ? [{ place, asked: moved.asked }] : [],
    );
  }
}
