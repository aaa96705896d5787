/** What of this host others see: functions, and the acl-service. */
import { type MinionConfig, shownMinion } from '@natrium/config';
import { countValues, MAX_BRIEF_VALUES, toPlain, type ValueMap } from '@natrium/model';
import { gatherGrains, type GrainsFile } from '@natrium/modules';
import type { Logger } from 'pino';

/**
 * The grains that were set on this host, read anew each time. A file that cannot be read hides no other grain, and what it held when it
 * could be read stays: a slip of an editor would else take a host out of the targets and the pillar that it is chosen for by them.
 */
export function grainsSet(
  file: Pick<GrainsFile, 'read'>,
  log: Pick<Logger, 'error'>,
): (onFault: () => void) => ValueMap {
  let last: ValueMap = {};
  return (onFault) => {
    try {
      last = file.read();
    } catch (error) {
      log.error({ err: error }, 'the grains that were set on this host cannot be read; those from before stay');
      onFault();
    }
    return last;
  };
}

/** What is left of a newcomer's message beside its request: spec/envelope.md#values. */
const MOST_SHOWN = MAX_BRIEF_VALUES - 8;

/** Nobody sees more of this host before it is accepted than what `autosign_grains` names. */
export function shownGrains(config: MinionConfig, log: Logger): ValueMap {
  if (config.autosign_grains.length === 0) return {};
  const all = gatherGrains(config.id, shownMinion(config));
  const shown = Object.fromEntries(Object.entries(all).filter(([name]) => config.autosign_grains.includes(name)));
  if (countValues([toPlain(shown)], MOST_SHOWN) <= MOST_SHOWN) return shown;
  log.error(`the grains that autosign_grains names hold more than ${String(MOST_SHOWN)} values: none of them is shown`);
  return {};
}
