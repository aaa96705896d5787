/** The process of a runner-service: `node main.mjs -c DIR`. */
import { runService } from '@natrium/edge';
import { RunnerModule } from './runner.module.js';

await runService('runner', (start) => RunnerModule.create(start));
