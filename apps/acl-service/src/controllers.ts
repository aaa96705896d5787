/** The acl-service's doors: each opens one contract and makes one call. */
import { Controller, Inject } from '@nestjs/common';
import type { Opened } from '@natrium/bus';
import { Handles } from '@natrium/edge';
import { type contracts, routes } from '@natrium/wire';
import { Logins } from './eauth/logins.js';
import { EventRefusals } from './audit/event-refusals.js';
import { Granting } from './granting.js';
import { Guests } from './broker/guests.js';
import { InventoryReads } from './inventory-reads.js';
import { Joining } from './keys/joining.js';
import { Admin } from './admin.js';
import { MineDoor } from './mine-door.js';
import { MinionData } from './data/minion-data.js';
import { Renewing } from './broker/renewing.js';
import { Succeeding } from './keys/succeeding.js';
import { WheelKeys } from './keys/wheel-keys.js';

@Controller()
export class GrantController {
  constructor(@Inject(Granting) private readonly granting: Granting) {}

  @Handles(routes.aclGrant, routes.aclGrantAgain)
  async grant(opened: Opened<typeof contracts.grant>) {
    return this.granting.handle(opened);
  }
}

@Controller()
export class AuthController {
  constructor(@Inject(Logins) private readonly logins: Logins) {}

  @Handles(routes.aclAuth, routes.accountAuth)
  async auth(opened: Opened<typeof contracts.auth>) {
    return this.logins.handle(opened);
  }
}

@Controller()
export class JoinController {
  constructor(@Inject(Joining) private readonly joining: Joining) {}

  @Handles(routes.join)
  join(opened: Opened<typeof contracts.join>) {
    return this.joining.handle(opened);
  }
}

@Controller()
export class DataController {
  constructor(@Inject(MinionData) private readonly data: MinionData) {}

  @Handles(routes.minionData)
  take(opened: Opened<typeof contracts.data>) {
    return this.data.handle(opened);
  }
}

@Controller()
export class MineController {
  constructor(@Inject(MineDoor) private readonly mine: MineDoor) {}

  @Handles(routes.minionMine)
  handle(opened: Opened<typeof contracts.mine>) {
    return this.mine.handle(opened);
  }
}

@Controller()
export class RenewController {
  constructor(@Inject(Renewing) private readonly renewing: Renewing) {}

  @Handles(routes.minionRenew, routes.accountRenew)
  renew(opened: Opened<typeof contracts.renew>) {
    return this.renewing.handle(opened);
  }
}

@Controller()
export class GuestController {
  constructor(@Inject(Guests) private readonly guests: Guests) {}

  @Handles(routes.guest)
  letIn(opened: Opened<typeof contracts.guest>) {
    return this.guests.handle(opened);
  }
}

@Controller()
export class SucceedController {
  constructor(@Inject(Succeeding) private readonly succeeding: Succeeding) {}

  @Handles(routes.minionSucceed)
  handle(opened: Opened<typeof contracts.succeed>) {
    return this.succeeding.handle(opened);
  }
}

@Controller()
export class AdminController {
  constructor(@Inject(Admin) private readonly admin: Admin) {}

  @Handles(routes.accountAdmin)
  handle(opened: Opened<typeof contracts.admin>) {
    return this.admin.handle(opened);
  }
}

@Controller()
export class WheelController {
  constructor(@Inject(WheelKeys) private readonly wheel: WheelKeys) {}

  @Handles(routes.aclWheel)
  carryOut(opened: Opened<typeof contracts.wheel>) {
    return this.wheel.handle(opened);
  }
}

@Controller()
export class ReadController {
  constructor(@Inject(InventoryReads) private readonly reads: InventoryReads) {}

  @Handles(routes.aclRead)
  async read(opened: Opened<typeof contracts.read>) {
    return this.reads.handle(opened);
  }
}

@Controller()
export class EventController {
  constructor(@Inject(EventRefusals) private readonly refusals: EventRefusals) {}

  @Handles(routes.aclEventRefused)
  refused(opened: Opened<typeof contracts.eventRefused>) {
    return this.refusals.handle(opened);
  }
}
