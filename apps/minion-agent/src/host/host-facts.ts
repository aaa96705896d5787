/** What of this host others see: functions, and the acl-service. */
import { type MinionConfig, shownMinion } from '@natrium/config';
import type { ValueMap } from '@natrium/model';
import { gatherGrains, type GrainsFile } from '@natrium/modules';
import type { Logger } from 'pino';

/** A file that cannot be read hides no other grain. */
export function grainsSet(file: GrainsFile, log: Logger): ValueMap {
  try {
    return file.read();
  } catch (error) {
    log.error({ err: error }, 'the grains that were set on this host are not there');
    return {};
  }
}

/** Nobody sees more of this host before it is accepted than what `autosign_grains` names. */
export function shownGrains(config: MinionConfig): ValueMap {
  if (config.autosign_grains.length === 0) return {};
  const all = gatherGrains(config.id, shownMinion(config));
  return Object.fromEntries(Object.entries(all).filter(([name]) => config.autosign_grains.includes(name)));
}
