/**
 * Where those that wait are told what became of their key, as this replica has heard last.
 *
 * The entry of a key has where it asked first. Each later question of it comes with another place: that is for memory alone,
 * since whoever merely waits is to cost no write. A joiner that nobody remembers asks again within seconds.
 */
import { toHex } from '@natrium/envelope';
import type { KeyRecord } from '@natrium/flow';
import type { Waiting } from './roster-entry.js';

export class RosterWaiting {
  readonly #heard = new Map<string, Waiting>();

  /** @param identity Of a key that is pending. */
  hear(identity: Uint8Array, waiting: Waiting): void {
    this.#heard.set(toHex(identity), waiting);
  }

  /** Where to tell of this record; forgotten once that says more than that it waits. @param stored In its entry. */
  placeFor({ identity, state }: KeyRecord, stored: Waiting | undefined): Waiting | undefined {
    const key = toHex(identity);
    const heard = this.#heard.get(key);
    if (state !== 'pending') this.#heard.delete(key);
    return heard ?? stored;
  }
}
