/** The gateway's doors: each opens one contract and makes one call. */
import { Controller, Inject } from '@nestjs/common';
import type { Opened } from '@natrium/bus';
import { Handles } from '@natrium/edge';
import { type contracts, routes } from '@natrium/wire';
import { Door } from './callers/door.js';
import { MasterEvents } from './events/master-events.js';
import { KeptRuns } from './jobs/kept-runs.js';
import { Reads } from './jobs/reads.js';

@Controller()
export class PublishController {
  constructor(@Inject(Door) private readonly door: Door) {}

  @Handles(routes.peerPublish)
  peer(opened: Opened<typeof contracts.publish>) {
    return this.door.publish(opened, true);
  }

  @Handles(routes.accountPublish, routes.gatewayPublish)
  other(opened: Opened<typeof contracts.publish>) {
    return this.door.publish(opened, false);
  }
}

@Controller()
export class RunnerController {
  constructor(@Inject(Door) private readonly door: Door) {}

  @Handles(routes.accountRunner)
  account(opened: Opened<typeof contracts.runner>) {
    return this.door.run(opened, true);
  }

  @Handles(routes.peerRunner, routes.gatewayRunner)
  other(opened: Opened<typeof contracts.runner>) {
    return this.door.run(opened, false);
  }
}

@Controller()
export class ReturnController {
  constructor(@Inject(Door) private readonly door: Door) {}

  @Handles(routes.jobReturn, routes.jobReturnHere)
  take(returns: readonly Opened<typeof contracts.returned>[]) {
    return returns.map((opened) => this.door.returned(opened));
  }
}

/** Another gateway asks whether this one is there. */
@Controller()
export class HereController {
  @Handles(routes.gatewayHere)
  here(): Promise<{ running: [] }> {
    return Promise.resolve({ running: [] });
  }
}

/** Runner-services ask whether what their runs answered is kept, and hand it over where it is not. */
@Controller()
export class EndedController {
  constructor(@Inject(KeptRuns) private readonly runs: KeptRuns) {}

  @Handles(routes.gatewayKept)
  kept({ body }: Opened<typeof contracts.kept>) {
    return Promise.resolve({ kept: this.runs.kept(body.jids) });
  }

  @Handles(routes.gatewayEnded)
  async take({ body }: Opened<typeof contracts.ended>) {
    const taken = await this.runs.take(body);
    return taken.ok ? { refusal: null, result: null } : { refusal: taken.error, result: null };
  }
}

@Controller()
export class ReadController {
  constructor(@Inject(Reads) private readonly reads: Reads) {}

  @Handles(routes.gatewayRead)
  read(opened: Opened<typeof contracts.read>) {
    return this.reads.handle(opened);
  }
}

@Controller()
export class EventController {
  constructor(@Inject(MasterEvents) private readonly events: MasterEvents) {}

  @Handles(routes.minionEvents)
  minion(opened: Opened<typeof contracts.events>) {
    return this.events.minion(opened);
  }

  @Handles(routes.gatewayFire)
  service(opened: Opened<typeof contracts.fire>) {
    return this.events.service(opened);
  }
}
