/**
 * What a host is, as one map: gathered at the minion's start from small files, with no child process and no network.
 *
 * A grain that the platform does not tell is not there. What was set on the host (the file `grains`) comes after it, the
 * `grains` of the minion's configuration come last and win.
 */
import { isMap, type ValueMap } from '@natrium/model';
import { hardwareGrains } from './hardware-grains.js';
import { networkGrains } from './network-grains.js';
import { osGrains } from './os-grains.js';
import { processGrains } from './process-grains.js';

export function gatherGrains(id: string, config: ValueMap, set: ValueMap = {}): ValueMap {
  const own = config['grains'];
  const gathered = { ...osGrains(), ...hardwareGrains(), ...networkGrains(), ...processGrains(id, config) };
  return { ...gathered, ...set, ...(isMap(own) ? own : {}) };
}
