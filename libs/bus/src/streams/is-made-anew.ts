/**
 * Whether a stream is another than the one that was read: lost and made anew, or put back from a backup.
 *
 * A node that has just become the stream's leader may not know at once of all that it has, and is asked again.
 */

/** A message, as the last that was heard: its place, and when the broker got it, in milliseconds since 1970. */
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
  /** The first message from a place on: a value that was replaced is gone. */
  nextFrom(sequence: number): Promise<Last | undefined>;
  /** Waits before it is asked again. @returns false when nobody wants to know any more. */
  again(): Promise<boolean>;
}

const MOST_ASKED = 5;
/** What a consumer tells of a message's time is rounded. */
const ROUNDED_MS = 2;
/** The clock of the node that leads the stream now may be behind that of the one before. */
export const SLACK_MS = 60_000;

/**
 * By when it was made, by having less than was read in two answers that are the same, or by another message at the place of the last. Where
 * a value at that place was replaced, by what is left before it: that came later, if it was written since the stream was put back. With
 * nothing of it left, all that it has since comes after that place, and is heard.
 *
 * @returns undefined when nobody wants to know any more.
 */
export async function isMadeAnew(last: Last, leader: Leader): Promise<boolean | undefined> {
  let before: number | undefined;
  for (let asked = 0; asked < MOST_ASKED; asked += 1) {
    if (asked > 0 && !(await leader.again())) return undefined;
    const { createdAt, lastSequence } = await leader.now();
    if (createdAt > last.at || lastSequence === before) return true;
    if (lastSequence >= last.sequence) return hasAnother(last, leader);
    before = lastSequence;
  }
  return true;
}

async function hasAnother({ sequence, at }: Last, leader: Leader): Promise<boolean> {
  const there = await leader.nextFrom(sequence);
  if (there?.sequence === sequence) return Math.abs(there.at - at) > ROUNDED_MS;
  const before = await lastBefore(sequence, leader);
  if (before === undefined || before.at <= at + SLACK_MS) return false;
  // Later than what comes after it as well: the broker's clock was ahead when it came.
  return there === undefined || before.at <= there.at;
}

/** By halves, since the broker only tells what comes next. */
async function lastBefore(sequence: number, leader: Leader): Promise<Last | undefined> {
  let found: Last | undefined;
  for (let [from, to] = [1, sequence - 1]; from <= to;) {
    const middle = from + Math.floor((to - from) / 2);
    const next = await leader.nextFrom(middle);
    if (next === undefined || next.sequence >= sequence) to = middle - 1;
    else {
      found = next;
      from = next.sequence + 1;
    }
  }
  return found;
}
