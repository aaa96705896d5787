/**
 * Which replica reacts to an event: every one hears it, and the one that creates the record of the reaction does, so that nothing
 * runs twice. The record stays for longer than the event could come again.
 */
import { digestOf, isStoreFailure, type Store } from '@natrium/bus';
import { encode, equalBytes } from '@natrium/envelope';

export interface Claim {
  readonly event: string;
  readonly reaction: string;
  readonly instance: string;
  /** ms since 1970, when it is claimed: it tells this claim from an earlier one of the same instance. */
  readonly at: number;
}

const TRIES = 3;
const AGAIN_MS = 500;

/**
 * Whether it is this claim that has the reaction. A write without an acknowledgement may have been made: the next try then finds
 * the record, and by its instance and time whose it is.
 *
 * @throws {Error} When nobody knows; the reaction may be taken by then.
 */
export async function claim(taken: Store, claimed: Claim, pause: (ms: number) => Promise<unknown>): Promise<boolean> {
  const { event, reaction, instance, at } = claimed;
  const key = `e.${digestOf(new TextEncoder().encode(`${reaction}\n${event}`))}`;
  const record = encode([instance, at]);
  for (let attempt = 1; ; attempt += 1) {
    try {
      if ((await taken.create(key, record)) !== undefined) return true;
      const found = attempt === 1 ? undefined : await taken.get(key);
      return found !== undefined && equalBytes(found.value, record);
    } catch (cause) {
      if (attempt === TRIES || !isStoreFailure(cause)) throw cause;
      await pause(AGAIN_MS);
    }
  }
}
