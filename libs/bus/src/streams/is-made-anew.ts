/**
 * Whether a stream is another than the one that was read: lost and made anew, or put back from a backup.
 *
 * A node that has just become the stream's leader may not know at once of all that it has, and is asked again.
 */

/** The last message that was heard: its place, and when the broker got it, in milliseconds since 1970. */
export interface Last {
  readonly sequence: number;
  readonly at: number;
}

export interface StreamNow {
  readonly createdAt: number;
  readonly lastSequence: number;
}

/** The leader of the stream. */
export interface Leader {
  now(): Promise<StreamNow>;
  /** When the broker got the message at a place; undefined when it is gone, as a value is that was replaced. */
  gotAt(sequence: number): Promise<number | undefined>;
  /** Waits before it is asked again. @returns false when nobody wants to know any more. */
  again(): Promise<boolean>;
}

const MOST_ASKED = 5;
/** What a consumer tells of a message's time is rounded. */
const ROUNDED_MS = 2;

/**
 * By when it was made, by having less than was read in two answers that are the same, or by another message at the place of the last.
 *
 * @returns undefined when nobody wants to know any more.
 */
export async function isMadeAnew({ sequence, at }: Last, leader: Leader): Promise<boolean | undefined> {
  let before: number | undefined;
  for (let asked = 0; asked < MOST_ASKED; asked += 1) {
    if (asked > 0 && !(await leader.again())) return undefined;
    const { createdAt, lastSequence } = await leader.now();
    if (createdAt > at || lastSequence === before) return true;
    if (lastSequence >= sequence) {
      const gotAt = await leader.gotAt(sequence);
      return gotAt !== undefined && Math.abs(gotAt - at) > ROUNDED_MS;
    }
    before = lastSequence;
  }
  return true;
}
