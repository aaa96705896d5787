/**
 * Hears on the event bus whose returns the other gateways have stored. Only a gateway's own word counts, which the origin proves: what
 * minions or local programs fire has them as its origin, whatever its tag and data say.
 */
import type { EventLog } from '@natrium/events';
import { ORIGIN } from './job-events.js';

const RETURNED = /^salt\/job\/(\d{20})\/ret\/(.+)$/;

export interface HearsReturned {
  /** Another gateway has stored this minion's return. Throws nothing. */
  announced(jid: string, id: string): void;
}

/** @param own This gateway among the senders. */
export function whenReturnedElsewhere(log: Pick<EventLog, 'whenHeard'>, own: string, elsewhere: HearsReturned): void {
  log.whenHeard(({ sender, events }) => {
    if (sender === own) return;
    for (const { tag, origin } of events) {
      if (origin.kind !== ORIGIN.kind || origin.name !== ORIGIN.name) continue;
      const [, jid, id] = RETURNED.exec(tag) ?? [];
      if (jid !== undefined && id !== undefined) elsewhere.announced(jid, id);
    }
  });
}
