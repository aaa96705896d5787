/** Between the wire and the flows: what was opened becomes what a flow takes, and what it tells becomes answers. */
import { digestOf, isStoreFailure, type Opened, readAsked } from '@natrium/bus';
import {
  type Budget,
  type JobReturns,
  type PeerPublish,
  type PeerRun,
  refused,
  refusedRun,
  type Follow,
  type SignedRequest,
  TOO_FAST,
  withinDepth,
} from '@natrium/flow';
import { encode, fromHex, namesOf } from '@natrium/envelope';
import { refusal } from '@natrium/model';
import { type Body, contracts } from '@natrium/wire';
import type { Logger } from 'pino';
import type { Minions } from '../minions/minions.js';
import type { TwoAtOnce } from '../minions/two-at-once.js';
import { NewsTeller } from './news-teller.js';
import { Refusals } from './refusals.js';
import type { Waiting } from './waiting.js';

/** A peer's `publish` answers when all have returned: what comes before the last may share a message. */
const PEER_WINDOW_MS = 20;
const ALIVE_MS = 1000;
/** How long a caller who asks too much waits to be told so. */
const SLOW_MS = 250;
/** How many may wait for that at once; beyond them, a caller who asks too much hears nothing. */
const MAX_SLOWED = 10_000;
/** Of whom no key is accepted; such a one may ask with a token only. */
const GUESTS = 'guests';
const NOT_A_REQUEST = refusal('bad_request', 'the signed request is not one that any party would accept');
const NOT_ACCEPTED = refusal('not_accepted', 'this key is not an accepted one');

/** How much each party may ask; beyond it nothing is read, decided or stored for it. */
export interface DoorBudgets {
  readonly requests: Budget;
  readonly returns: Budget;
  readonly now: () => number;
}

interface Flows {
  readonly publish: PeerPublish;
  readonly run: PeerRun;
  readonly returns: JobReturns;
  readonly twoAtOnce: Pick<TwoAtOnce, 'heard'>;
}

export class Door {
  readonly refusals = new Refusals();
  #slowed = 0;
  /** The last return that came could not be stored. */
  #unstored = false;

  constructor(
    private readonly flows: Flows,
    private readonly minions: Minions,
    private readonly waiting: Waiting,
    private readonly budgets: DoorBudgets,
    private readonly log: Logger,
  ) {}

  /** Answers with news, as many times as there are any. */
  async publish(opened: Opened<typeof contracts.publish>, peer: boolean): Promise<void> {
    const send = (news: Body<typeof contracts.news>) => {
      this.refusals.count(news.refusal);
      if (news.refusal !== null || this.#mayHear(opened)) opened.answer(contracts.news, news);
    };
    const { follow } = opened.body;
    if (!this.#affords(opened.party)) {
      this.#slowDown(() => {
        send(refused(TOO_FAST));
      });
      return;
    }
    const windowMs = peer && follow === 'all' ? PEER_WINDOW_MS : 0;
    const teller = new NewsTeller(send, windowMs, follow !== 'all', (cause) => {
      this.log.error({ err: cause }, 'a caller could not be told the news of its job: it has to ask another gateway');
    });
    this.waiting.add(teller);
    const tell = (news: Body<typeof contracts.news>) => {
      teller.tell(news);
    };
    const ask = inBatch(asked(opened, opened.body.grantRun), opened.body.batch);
    if (ask === undefined) tell(refused(NOT_A_REQUEST));
    else if (this.#mayAsk(ask, opened.party)) await this.#publish(ask, peer, follow, teller);
    else tell(refused(NOT_ACCEPTED));
  }

  /** @param soon An account hears the run's jid as soon as there is one: a person may not wait for the next sign of life. */
  async run(opened: Opened<typeof contracts.runner>, soon: boolean): Promise<void> {
    const tell = (ran: Body<typeof contracts.ran>) => {
      this.refusals.count(ran.refusal);
      if (ran.refusal !== null || this.#mayHear(opened)) opened.answer(contracts.ran, ran);
    };
    if (!this.#affords(opened.party)) {
      this.#slowDown(() => {
        tell(refusedRun('', TOO_FAST));
      });
      return;
    }
    const ask = asked(opened, null);
    if (ask === undefined) tell(refusedRun('', NOT_A_REQUEST));
    else if (this.#mayAsk(ask, opened.party)) await this.#run(ask, { follow: opened.body.follow, soon }, tell);
    else tell(refusedRun('', NOT_ACCEPTED));
  }

  async #publish(ask: SignedRequest, peer: boolean, follow: Follow, teller: NewsTeller): Promise<void> {
    try {
      await this.flows.publish.handle(ask, peer, follow, (news) => {
        teller.tell(news);
      });
    } catch (cause) {
      teller.giveUp();
      throw cause;
    }
  }

  /** While it runs, the caller hears every second that somebody works on it, and under which jid. */
  async #run(
    ask: SignedRequest,
    { follow, soon }: { readonly follow: Body<typeof contracts.runner>['follow']; readonly soon: boolean },
    tell: (ran: Body<typeof contracts.ran>) => void,
  ): Promise<void> {
    let known = '';
    const sayAlive = () => {
      tell({ refusal: null, jid: known, outcome: null });
    };
    const alive = setInterval(sayAlive, ALIVE_MS);
    const end = (ran: Body<typeof contracts.ran>) => {
      clearInterval(alive);
      tell(ran);
    };
    try {
      await this.flows.run.handle(ask, follow, end, (jid) => {
        if (follow === 'jid') return; // it ends with the jid
        known = jid;
        if (soon) sayAlive();
      });
    } finally {
      clearInterval(alive);
    }
  }

  /** Whether the sender may ask at all. An external user has no key: the acl-service looks at the token that speaks for him. */
  #mayAsk({ signature, credential }: Pick<SignedRequest, 'signature' | 'credential'>, party: Opened['party']): boolean {
    return (signature === null && (credential?.token ?? '') !== '') || this.minions.knows(party);
  }

  /** A caller whose key is taken away hears nothing more of what it asked for. */
  #mayHear({ body, party }: { readonly body: Asking; readonly party: Opened['party'] }): boolean {
    return this.minions.mayHear(party) || this.#mayAsk(body, party);
  }

  /**
   * `async`, so that a return that fails at once fails alone; without `await`, which would hold the whole message until it is stored.
   *
   * @returns Whether the minion's spool may forget it; never for one that is not accepted any more.
   */
  async returned({ body, party }: Opened<typeof contracts.returned>): Promise<boolean> {
    const { key } = namesOf(party);
    if (!this.minions.knows(party) || !this.budgets.returns.take(key, this.budgets.now())) return false;
    this.flows.twoAtOnce.heard(party);
    const outcome = withinDepth(body.outcome);
    const said = outcome === body.outcome ? body : { ...body, outcome };
    return this.flows.returns.handle(said, key).then(this.#wasTaken, this.#wasNotTaken);
  }

  readonly #wasTaken = (settled: boolean): boolean => {
    this.#unstored = false;
    return settled;
  };

  readonly #wasNotTaken = (cause: unknown): boolean => {
    if (!isStoreFailure(cause)) throw cause;
    // Told when it begins, not for each: after an outage there are thousands, and each comes again every few seconds.
    if (!this.#unstored)
      this.log.error({ err: cause }, 'returns cannot be stored: their minions keep them and send them again');
    this.#unstored = true;
    return false;
  };

  /** Later: a caller who is told at once, and asks again at once, would cost the others as much as one who is served. */
  #slowDown(tell: () => void): void {
    if (this.#slowed >= MAX_SLOWED) {
      this.refusals.count(TOO_FAST);
      return;
    }
    this.#slowed += 1;
    setTimeout(() => {
      this.#slowed -= 1;
      tell();
    }, SLOW_MS).unref();
  }

  /** Services are not counted: what they pass on was counted where it came in. */
  #affords(party: Opened['party']): boolean {
    return party.owner.type === 'role' || this.budgets.requests.take(this.#payer(party), this.budgets.now());
  }

  /** Guests have as many keys as they like to make: together they may ask as often as one caller. */
  #payer(party: Opened['party']): string {
    return this.minions.knows(party) ? namesOf(party).key : GUESTS;
  }
}

type Asking = Pick<Body<typeof contracts.runner>, 'request' | 'signature' | 'credential'>;

function asked(
  { body, party }: { readonly body: Asking; readonly party: Opened['party'] },
  grantRun: SignedRequest['grantRun'],
): SignedRequest | undefined {
  const request = readAsked(body.request);
  if (request === undefined) return undefined;
  // A runner is proved by its grant-run, the reactor by the key of its role.
  const isCaller = party.owner.type === 'identity' || party.owner.role === 'reactor';
  const callerKey = isCaller ? party.owner.key : null;
  const { request: bytes, signature, credential } = body;
  return { bytes, signature, credential, grantRun, callerKey, request, digest: digestOf(bytes) };
}

/** A batch of a request is a job of its own: the same batch again is the same job, never a second one. */
function inBatch(ask: SignedRequest | undefined, batch: readonly string[] | null): SignedRequest | undefined {
  if (ask === undefined || batch === null) return ask;
  return { ...ask, batch, place: digestOf(encode([fromHex(ask.digest), [...batch]])) };
}
