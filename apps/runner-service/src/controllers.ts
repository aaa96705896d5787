/** The runner-service's door. */
import { Controller, Inject } from '@nestjs/common';
import type { Opened } from '@natrium/bus';
import { Handles } from '@natrium/edge';
import { type contracts, routes } from '@natrium/wire';
import { Runs } from './runs.js';

@Controller()
export class RunController {
  constructor(@Inject(Runs) private readonly runs: Runs) {}

  @Handles(routes.runnerRun)
  run(opened: Opened<typeof contracts.run>) {
    return this.runs.handle(opened);
  }
}
