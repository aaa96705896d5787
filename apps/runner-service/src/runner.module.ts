/** The runner-service's whole wiring. */
import { type DynamicModule, Module } from '@nestjs/common';
import type { ServiceStart } from '@natrium/edge';
import type { MasterConfig } from '@natrium/config';
import { builtinRunners, builtinWheel, type RunnerHost, runnerRegistry, wheelRegistry } from '@natrium/runners';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { gatherGrains } from '@natrium/modules';
import type { ValueMap } from '@natrium/model';
import { shownConfig } from './shown-config.js';
import { HereController, RunController } from './controllers.js';
import { ownRunners } from './own-runners.js';
import { startReactor } from './reactor.js';
import { RunEnds } from './run-ends.js';
import { Runs } from './runs.js';

/** A run's record is kept for as long as its request could be sent again. */
const KEEP_RUNS_MS = 25 * 3_600_000;

@Module({})
export class RunnerModule {
  static async create(start: ServiceStart): Promise<DynamicModule> {
    const { link, config } = start;
    const taken = await link.store('runs', 'roster', { ttlMs: KEEP_RUNS_MS });
    const registries = { run: runnerRegistry(builtinRunners), wheel: wheelRegistry(builtinWheel) };
    const waits = { now: () => performance.now(), pause: (ms: number) => pause(ms) };
    const ends = new RunEnds(link, start.log, waits);
    const runs = new Runs(link, taken, registries, hostOf(config.loaded.config), ends);
    start.onFinish(() => ends.settled());
    start.metrics?.gauge('natrium_queue_depth', 'What is under way here, by queue', 'queue', () => [
      ['runs', runs.size],
    ]);
    await ownRunners(start, (own) => {
      runs.use(runnerRegistry(builtinRunners).with(own));
    });
    await startReactor(start, taken);
    return {
      module: RunnerModule,
      controllers: [RunController, HereController],
      providers: [{ provide: Runs, useValue: runs }],
    };
  }
}

/** Grains are gathered when a runner first wants them. */
function hostOf(config: MasterConfig): RunnerHost {
  const id = `${hostname()}_master`;
  let gathered: ValueMap | undefined;
  return { id, config: shownConfig(config), grains: () => (gathered ??= gatherGrains(id, {})) };
}
