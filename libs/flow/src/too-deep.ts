/**
 * How deep a return may be nested: messages, records and runners' answers put levels of their own around it, and what is taken
 * has to leave again.
 *
 * Spec: spec/envelope.md#encoding.
 */
import { isList, isMap, type Value } from '@natrium/model';
import type { Outcome } from './job-run.js';

/** Of the 32 levels that the encoding has, those that may be around a return. */
export const AROUND_RETURN = 8;
const MAX_LEVELS = 32 - AROUND_RETURN;
/** What a minion keeps for others has two maps around it when they read it: one by ids, and one by names. */
const KEPT_LEVELS = MAX_LEVELS - 2;

/** What is told in the place of a return that nothing can carry. */
export function tooDeep(outcome: Outcome): Outcome {
  return { ...outcome, ret: 'the return is nested too deeply to be sent', retcode: 1, success: false };
}

/** The outcome itself, or `tooDeep`: for a party that takes a return and cannot know whether its sender has checked it. */
export function withinDepth(outcome: Outcome): Outcome {
  return isWithin(outcome.ret, MAX_LEVELS) ? outcome : tooDeep(outcome);
}

/** Whether grains, or something in a mine, can be read by everyone who may: beside others' in one answer, and in a return. */
export function isReadable(kept: Value): boolean {
  return isWithin(kept, KEPT_LEVELS);
}

function isWithin(value: Value, levels: number): boolean {
  if (isList(value)) return levels > 0 && value.every((item) => isWithin(item, levels - 1));
  if (!isMap(value)) return true;
  if (levels === 0) return false;
  for (const key in value) if (!isWithin(value[key] ?? null, levels - 1)) return false;
  return true;
}
