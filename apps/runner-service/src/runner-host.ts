/** What runners and the wheel know of where they run. */
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { type LoadedConfig, loadMasterConfig, type MasterConfig } from '@natrium/config';
import type { ValueMap } from '@natrium/model';
import { gatherGrains } from '@natrium/modules';
import type { RunnerHost } from '@natrium/runners';
import { shownConfig } from './shown-config.js';

/** Grains are gathered when a runner first wants them. */
export function runnerHost(loaded: LoadedConfig<MasterConfig>): RunnerHost {
  const id = `${hostname()}_master`;
  const config = shownConfig(loaded.config);
  const folder = dirname(loaded.locate([]).file);
  let sound = config;
  let gathered: ValueMap | undefined;
  return {
    id,
    config,
    unused: loaded.unused,
    configNow: () => {
      const now = loadMasterConfig(folder);
      if (now.ok) sound = shownConfig(now.value.config);
      return sound;
    },
    grains: () => (gathered ??= gatherGrains(id, {})),
  };
}
