/** What one caller asked or one minion returned, beside that of others: it may not be what keeps theirs from being told. */
import { isWithin, type Value } from '@natrium/model';

/** Levels that an answer of a runner carries, but for one: some numbers are a map on their way. */
const LEVELS = 23;
const TOO_DEEP = '[cut: nested too deeply to be shown]';

/**
 * The value itself, or a sentence where an answer cannot carry it: as a whole it would be refused.
 *
 * @param around Levels of the answer that stand around it.
 */
export function withinAnswer(value: Value, around: number): Value {
  return isWithin(value, LEVELS - around) ? value : TOO_DEEP;
}
