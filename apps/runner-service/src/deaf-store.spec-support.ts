/** A store whose acknowledgements may get lost. */
import { MemoryStore, StreamRefused } from '@natrium/bus';

/** What becomes of a write whose acknowledgement does not come. */
export type Lost = 'made' | 'gone';

export class DeafStore extends MemoryStore {
  readonly lost: Lost[] = [];
  writes = 0;

  override async create(key: string, value: Uint8Array): Promise<number | undefined> {
    this.writes += 1;
    const lost = this.lost.shift();
    const created = lost === 'gone' ? undefined : await super.create(key, value);
    if (lost !== undefined) throw new StreamRefused(408, 'no acknowledgement in time');
    return created;
  }
}
