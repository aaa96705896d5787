/** Logins as the gateway has them in specs: an acl-service that says who a credential proves, and so many requests for each caller. */
import type { Hearing } from '@natrium/bus';
import type { KnownParty } from '@natrium/envelope';
import type { Budget } from '@natrium/flow';
import type { Body, contracts } from '@natrium/wire';
import type { Allowance } from './sessions.js';

interface Asked {
  readonly body: Body<typeof contracts.auth>;
}

/** @param prove What is told of a credential. */
export function authorityOf(prove: (asked: Asked['body']['credential']) => object) {
  const told = ({ body }: Asked) => prove(body.credential) as Body<typeof contracts.authed>;
  return {
    ask: (asked: Asked) => Promise.resolve({ ok: true, value: { body: told(asked) } }),
    converse: (asked: Asked, _answers: unknown, _silentMs: number, hear: Hearing<typeof contracts.authed>) => {
      const body = told(asked);
      queueMicrotask(() => hear.onAnswer(body, undefined as unknown as KnownParty));
      return () => undefined;
    },
  };
}

/** @param now At a moment that does not pass, where nothing else is said. */
export function allowanceOf(budget: Budget, now = () => 0): Allowance {
  return {
    take: (who) => budget.take(who, now()),
    give: (who, tokens) => {
      budget.give(who, tokens, now());
    },
    charge: (who, tokens) => {
      budget.charge(who, tokens, now());
    },
    isSpent: (who) => budget.isSpent(who, now()),
  };
}
