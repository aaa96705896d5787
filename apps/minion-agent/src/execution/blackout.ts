/**
 * A minion that is put on hold, in Salt a blackout: `minion_blackout` in its pillar or its grains. Its jobs run nothing then but what brings
 * it back, and what the `minion_blackout_whitelist` beside it names; the host's own administrator calls what he likes.
 */
import { isList, isTrue, type ValueMap } from '@natrium/model';
import type { Outcome } from '@natrium/modules';

const BRINGS_BACK = 'saltutil.refresh_pillar';
const SENTENCE =
  "Minion in blackout mode. Set 'minion_blackout' to False in pillar or grains to resume operations. " +
  'Only saltutil.refresh_pillar allowed in blackout mode.';

/** @returns What a job hears in its place; undefined: it runs. */
export function heldBack(fun: string, places: readonly ValueMap[]): Outcome | undefined {
  if (fun === BRINGS_BACK || !places.some((data) => forbids(data, fun))) return undefined;
  const problem = { sentence: SENTENCE };
  return {
    ...{ ret: `ERROR executing '${fun}': ${SENTENCE}`, retcode: 1, success: false, notes: [], out: 'nested' },
    ...{ fault: 'failed', problem },
  };
}

/** Each place has a whitelist of its own. */
function forbids(data: ValueMap, fun: string): boolean {
  if (!isTrue(data['minion_blackout'] ?? false)) return false;
  const allowed = data['minion_blackout_whitelist'];
  return !isList(allowed) || !allowed.includes(fun);
}
