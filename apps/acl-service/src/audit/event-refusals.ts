/** The audit hears of events that a gateway refused: a minion that fires another's tags is forging. */
import type { Opened } from '@natrium/bus';
import type { Body, contracts } from '@natrium/wire';
import type { AuditLog } from './audit-log.js';
import type { Roster } from '../roster/roster.js';

export class EventRefusals {
  constructor(
    private readonly roster: Roster,
    private readonly audit: AuditLog,
  ) {}

  handle({ body: { key, tag, count } }: Opened<typeof contracts.eventRefused>): Promise<Body<typeof contracts.noted>> {
    const caller = this.roster.callerOf(key) ?? null;
    this.audit.refuse({ caller, digest: null, code: 'not_permitted', detail: { event: tag, count } });
    return Promise.resolve({ count });
  }
}
