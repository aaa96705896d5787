/**
 * Answers hello, the one unsealed exchange: the roles documents, the live services, the time signed over the nonce.
 *
 * Whoever may join can ask, under whatever name. Each name that is somebody's has a budget of its own; all others share one, so
 * that a stranger keeps nobody but strangers waiting. They hear nothing, and ask again.
 *
 * Spec: spec/broker.md.
 */
import type { Listening } from '@natrium/bus';
import { decode, encode, signTime, type SigningKey, type Wire } from '@natrium/envelope';
import type { RoleLink } from '@natrium/edge';
import { Budget, type BudgetLimits } from '@natrium/flow';
import { MAX_BRIEF_VALUES } from '@natrium/model';
import { contracts, isInbox, readAs, writeAs } from '@natrium/wire';
import type { BrokerUsers } from './broker/broker-users.js';
import type { Roster } from './roster/roster.js';

const MAX_SERVICES = 1024;
const STRANGERS = 'strangers';
/** A minion asks when it starts and at each epoch. Strangers can see its name and use up its budget, so it is a small one of its own. */
const OF_A_MINION = { rate: 1, burst: 20 };

/** Tells what kind of party an inbox of this name belongs to; undefined: to nobody of the cluster. */
export type KnownAs = (name: string) => 'minion' | 'account' | 'service' | undefined;

export class HelloBudget {
  readonly #minions = new Budget(OF_A_MINION);
  readonly #others: Budget;

  /** @param limits Of each account and service, and of all strangers together. */
  constructor(
    private readonly knownAs: KnownAs,
    limits: BudgetLimits,
  ) {
    this.#others = new Budget(limits);
  }

  /** @param inbox Where the answer would go. */
  take(inbox: string, nowMs: number): boolean {
    const [, name = ''] = inbox.split('.');
    const known = this.knownAs(name);
    if (known === 'minion') return this.#minions.take(name, nowMs);
    return this.#others.take(known === undefined ? STRANGERS : name, nowMs);
  }
}

export interface HelloParts {
  readonly roster: Pick<Roster, 'byFp'>;
  /** undefined: the broker asks nobody who comes, and nothing keeps strangers from flooding. */
  readonly users: Pick<BrokerUsers, 'isFixedName'> | undefined;
  readonly limits: BudgetLimits;
  readonly onStop: (stop: () => Promise<void>) => void;
}

/** @returns What begins it. */
export function answeringHello(link: RoleLink, { roster, users, limits, onStop }: HelloParts): () => void {
  return () => {
    const budget = users === undefined ? undefined : new HelloBudget(nameOfWhom(roster, users), limits);
    const listening = answerHello(link, link.keys.roleKey('acl'), budget);
    onStop(() => listening.close());
  };
}

/** A service is known by the name of its broker user, everybody else by the name of a key that is accepted now. */
function nameOfWhom(roster: HelloParts['roster'], users: NonNullable<HelloParts['users']>): KnownAs {
  return (name) => {
    if (users.isFixedName(name)) return 'service';
    const record = roster.byFp(name);
    return record?.state === 'accepted' ? record.kind : undefined;
  };
}

function answerHello(link: RoleLink, acl: SigningKey, budget: HelloBudget | undefined): Listening {
  return link.transport.subscribe(
    link.subjects.hello,
    ({ payload, reply }) => {
      if (!isInbox(reply) || payload.length > 256) return;
      if (budget?.take(reply, link.clock.own()) === false) return;
      const nonce = nonceIn(payload);
      if (nonce === undefined) return;
      const [firstRoot, chain] = link.roles.chain;
      const answer = writeAs(contracts.helloAnswer, {
        version: 1,
        firstRoot,
        chain: [...chain],
        services: link.directory
          .services()
          .flatMap(({ announced }) => announced ?? [])
          .slice(0, MAX_SERVICES),
        time: signTime(acl, link.roles.cluster, nonce, link.clock.now()),
      });
      link.transport.publish(reply, encode(answer as Wire));
    },
    'acl',
  );
}

function nonceIn(payload: Uint8Array): Uint8Array | undefined {
  try {
    return readAs(contracts.helloQuestion, decode(payload, MAX_BRIEF_VALUES)).nonce;
  } catch {
    return undefined;
  }
}
