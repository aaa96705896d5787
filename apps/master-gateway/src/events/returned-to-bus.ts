/**
 * The returner `master_bus`: a return is also an event under the tag that its job names, `<tag>/<id>`, fired by that minion.
 *
 * The gateway fires it when the return is stored, so that it is there once, and nobody reaches Salt's own tags this way.
 * Spec: docs/event-bus.md#returns-under-a-tag.
 */
import { runnerTagProblem } from '@natrium/events';
import type { Request } from '@natrium/model';

const MASTER_BUS = 'master_bus';
const DEFAULT_TAG = 'returns';

/** @returns The tag; undefined when the job does not ask for it, or for a tag that is not its to fire. */
export function busTagOf({ returner, returnerOptions }: Request, id: string): string | undefined {
  if (!returner.split(',').some((name) => name.trim() === MASTER_BUS)) return undefined;
  const { tag = DEFAULT_TAG } = returnerOptions;
  if (typeof tag !== 'string') return undefined;
  const whole = `${tag.replace(/\/+$/, '')}/${id}`;
  return runnerTagProblem(whole) === undefined ? whole : undefined;
}
