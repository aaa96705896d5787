/**
 * Deletes what is stored of keys that belong to nobody: of one that was taken away, and of a new identity that was introduced and
 * never let in.
 *
 * A key is swept only when two looks in a row find it: one that was just being let in at the first has its record by the second.
 */
import type { Store } from '@natrium/bus';
import { fromHex, toHex } from '@natrium/envelope';
import type { Logger } from 'pino';
import type { Inventory } from './inventory.js';
import type { Mines } from './mines.js';
import { announcementPlace } from './minion-data.js';
import type { Roster } from '../roster/roster.js';

interface Parts {
  readonly roster: Pick<Roster, 'isNobodys'>;
  readonly inventory: Pick<Inventory, 'keys' | 'forget'>;
  readonly mines: Pick<Mines, 'keys' | 'forget'>;
  readonly announcements: Pick<Store, 'delete'>;
  readonly log: Pick<Logger, 'error'>;
}

const LOOK_MS = 300_000;

export class Sweeping {
  /** What the last look has found, hexadecimal. */
  #nobodys: ReadonlySet<string> = new Set();

  constructor(private readonly parts: Parts) {}

  /** Looks now, and again and again. */
  begin(): void {
    void this.look();
    setInterval(() => void this.look(), LOOK_MS).unref();
  }

  /** What fails goes with the next look. */
  async look(): Promise<void> {
    const { roster, inventory, mines, log } = this.parts;
    const nobodys = [...inventory.keys, ...mines.keys].filter((key) => roster.isNobodys(key)).map(toHex);
    const before = this.#nobodys;
    this.#nobodys = new Set(nobodys);
    try {
      for (const key of this.#nobodys) {
        // Asked once more: it may have come back while others were deleted.
        if (before.has(key) && roster.isNobodys(fromHex(key))) await this.#forget(fromHex(key));
      }
    } catch (cause) {
      log.error({ err: cause }, 'data of keys that nobody has are still stored');
    }
  }

  async #forget(key: Uint8Array): Promise<void> {
    const { inventory, mines, announcements } = this.parts;
    await announcements.delete(announcementPlace(key));
    await mines.forget(key);
    await inventory.forget(key);
  }
}
