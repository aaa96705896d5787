/** The runner-service's door. */
import { Controller, Inject } from '@nestjs/common';
import type { Opened } from '@natrium/bus';
import { Handles } from '@natrium/edge';
import { type contracts, routes } from '@natrium/wire';
import { Runs } from './runs.js';

/** A gateway asks whether this instance is there, and still at work. */
@Controller()
export class HereController {
  constructor(@Inject(Runs) private readonly runs: Runs) {}

  @Handles(routes.runnerHere)
  here({ body }: Opened<typeof contracts.presence>) {
    return Promise.resolve({ running: this.runs.running(body.jids) });
  }
}

@Controller()
export class RunController {
  constructor(@Inject(Runs) private readonly runs: Runs) {}

  @Handles(routes.runnerRun)
  run(opened: Opened<typeof contracts.run>) {
    return this.runs.handle(opened);
  }

  @Handles(routes.runnerRunHere)
  again(opened: Opened<typeof contracts.run>) {
    return this.runs.again(opened);
  }
}
