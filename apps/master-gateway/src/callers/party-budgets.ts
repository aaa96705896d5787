/** How much each party may ask of this gateway, return to it and fire at it; and that as the HTTP API and the event bus take it. */
import type { RoleLink } from '@natrium/edge';
import { Budget, type BudgetLimits } from '@natrium/flow';
import type { Logger } from 'pino';
import type { DoorBudgets } from './door.js';
import type { Senders } from '../events/minion-events.js';
import type { Allowance } from '../http/sessions.js';
import type { Minions } from '../minions/minions.js';

/** For each request that a minion may make it may return, and fire messages of events, so often: it returns the jobs of many callers. */
const TIMES = 10;
/** An event costs a token for its message, and one more for each of these bytes: all parties share the journal (`keep_events_bytes`). */
const TOKEN_BYTES = 1024;

interface PartyBudgets extends DoorBudgets {
  readonly events: Budget;
}

export function budgetsOf({ rate, burst }: BudgetLimits, { clock }: RoleLink, log: Logger): PartyBudgets {
  const tooFast = (what: string) => (party: string) => {
    log.warn({ party, what }, 'one party asks or sends too much; nothing more of it is taken for a moment');
  };
  const more = { rate: rate * TIMES, burst: burst * TIMES };
  return {
    requests: new Budget({ rate, burst }, tooFast('requests')),
    returns: new Budget(more, tooFast('returns')),
    events: new Budget(more, tooFast('events')),
    now: () => clock.own(),
  };
}

export function allowanceOf({ requests, now }: DoorBudgets): Allowance {
  return {
    take: (caller) => requests.take(caller, now()),
    give: (caller, tokens) => {
      requests.give(caller, tokens, now());
    },
    charge: (caller, tokens) => {
      requests.charge(caller, tokens, now());
    },
    isSpent: (caller) => requests.isSpent(caller, now()),
  };
}

export function sendersOf(minions: Minions, { events, now }: PartyBudgets): Senders {
  return {
    idOf: (key) => minions.idOf(key),
    mayTell: (key) => events.take(key, now()),
    toldBytes: (key, bytes) => {
      events.charge(key, Math.floor(bytes / TOKEN_BYTES), now());
    },
  };
}
