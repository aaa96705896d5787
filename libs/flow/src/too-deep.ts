/**
 * How deep a return may be nested: messages, records and runners' answers put levels of their own around it, and what is taken
 * has to leave again.
 *
 * Spec: spec/envelope.md#encoding.
 */
import { isWithin } from '@natrium/model';
import type { Outcome } from './job-run.js';

/** Of the 32 levels that the encoding has, those that may be around a return. */
export const AROUND_RETURN = 8;
const MAX_LEVELS = 32 - AROUND_RETURN;

/** What is told in the place of a return that nothing can carry. */
export function tooDeep(outcome: Outcome): Outcome {
  return { ...outcome, ret: 'the return is nested too deeply to be sent', retcode: 1, success: false };
}

/** The outcome itself, or `tooDeep`: for a party that takes a return and cannot know whether its sender has checked it. */
export function withinDepth(outcome: Outcome): Outcome {
  return isWithin(outcome.ret, MAX_LEVELS) ? outcome : tooDeep(outcome);
}
