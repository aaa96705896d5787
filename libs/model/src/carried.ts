/**
 * How many values a message may hold: items of lists and entries of maps, all together.
 *
 * Bytes alone bound no work: an empty map is one byte of a message and sixty in memory, and 8 MiB of them hold up a process for seconds. So
 * what a minion, an account or a stranger sends is counted while it is read, and refused before it is made.
 *
 * Spec: spec/envelope.md#values.
 */

/** Of a message or signed object that a host or an account has made. */
export const MAX_VALUES = 1 << 18;
/** Of what is the same few fields in any case, and of what strangers send. */
export const MAX_BRIEF_VALUES = 1024;
/** Of a return, beside what is told of the job. */
export const MAX_RETURNED_VALUES = 250_000;
/** Of an event that is fired on a minion. */
export const MAX_EVENT_VALUES = 100_000;
