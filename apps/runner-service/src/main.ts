/** The process of a runner-service: `node main.mjs -c DIR`. */
import { runService } from '@natrium/edge';
import { RunnerModule } from './runner.module.js';

export const ended = runService('runner', (start) => RunnerModule.create(start));
