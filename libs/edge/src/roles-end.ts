/** Says in a service's log that the roles document ends: once a day while its end is near, and at each look when it has ended. */
import { rolesEnded } from '@natrium/bus';
import type { RolesDocument } from '@natrium/envelope';
import type { Logger } from 'pino';

const DAY_MS = 86_400_000;
/** The root key may be in a safe, with somebody who is away. */
const NEAR_MS = 60 * DAY_MS;

export class RolesEnd {
  #told = Number.NEGATIVE_INFINITY;

  constructor(private readonly log: Pick<Logger, 'warn' | 'error'>) {}

  look(document: RolesDocument, nowMs: number): void {
    const ended = rolesEnded(document, nowMs);
    const left = document.notAfter - nowMs;
    if (ended !== undefined) this.log.error(ended);
    else if (left < NEAR_MS && nowMs - this.#told >= DAY_MS) {
      this.#told = nowMs;
      const days = Math.floor(left / DAY_MS);
      this.log.warn(
        `the roles document ${document.serial} ends in ${days} days, and then no service is heard any more: on the master, with the root key: natriumctl roles renew`,
      );
    }
  }
}
