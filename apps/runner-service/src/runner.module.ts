/** The runner-service's whole wiring. */
import { type DynamicModule, Module } from '@nestjs/common';
import type { ServiceStart } from '@natrium/edge';
import { builtinRunners, builtinWheel, runnerRegistry, wheelRegistry } from '@natrium/runners';
import { setTimeout as pause } from 'node:timers/promises';
import { HereController, RunController } from './controllers.js';
import { tellFigures } from './figures.js';
import { ownRunners } from './own-runners.js';
import { startReactor } from './reactor.js';
import { RunEnds } from './run-ends.js';
import { runnerHost } from './runner-host.js';
import { Runs } from './runs.js';
import { TakenRuns } from './taken-runs.js';

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
    const runs = new Runs(link, new TakenRuns(taken, waits.pause), registries, runnerHost(config.loaded), ends);
    start.beforeStop(() => {
      ends.hurry();
    });
    start.onFinish(() => ends.settled());
    if (start.metrics !== undefined) tellFigures(start.metrics, runs);
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
