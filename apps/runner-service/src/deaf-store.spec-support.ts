/** A store whose acknowledgements may get lost, or that is full. */
import { MemoryStore, StreamRefused } from '@natrium/bus';

/** What becomes of a write whose acknowledgement does not come; `full`: it is refused. */
export type Lost = 'made' | 'gone' | 'full';

export class DeafStore extends MemoryStore {
  readonly lost: Lost[] = [];
  writes = 0;

  override async create(key: string, value: Uint8Array): Promise<number | undefined> {
    this.writes += 1;
    const lost = this.lost.shift();
    if (lost === 'full') throw new StreamRefused(503, 'insufficient storage resources available');
    const created = lost === 'gone' ? undefined : await super.create(key, value);
    if (lost !== undefined) throw new StreamRefused(408, 'no acknowledgement in time');
    return created;
  }
}
