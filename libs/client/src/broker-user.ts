/**
 * An identity as the broker knows it: its own JWT, which the acl-service gives to whoever is accepted and which ends; it is
 * renewed long before, and the connection goes over to a new one without a gap.
 *
 * Spec: spec/broker.md#users.
 */
import type { BrokerUser, NatsTransport } from '@natrium/bus';
import { type Identity, NatsKey } from '@natrium/envelope';
import { claimsIn } from '@natrium/keystore';
import { contracts } from '@natrium/wire';
import type { Link } from './connect.js';

/** Renewed when this part of its life is over. */
const RENEW_AT = 2 / 3;
const AGAIN_MS = 30_000;
/** Also when it has ended, or a clock says so. */
const SOONEST_MS = 1000;
const ASK_MS = 5000;
/** What Node's timers take. */
const LONGEST_MS = 0x7fffffff;

export class OwnUser implements BrokerUser {
  readonly key: NatsKey;
  #jwt: string;

  /** @param keep Called with each JWT that this one gets, to be kept for the next start. */
  constructor(
    identity: Identity,
    jwt: string,
    private readonly keep: (jwt: string) => void,
  ) {
    this.key = NatsKey.fromSeed('user', identity.nkeySeed);
    this.#jwt = jwt;
  }

  readonly jwt = (): string => this.#jwt;

  /** Milliseconds since 1970. */
  get expires(): number {
    return claimsIn(this.#jwt)?.expires ?? 0;
  }

  get issued(): number {
    return claimsIn(this.#jwt)?.issued ?? 0;
  }

  take(jwt: string): void {
    this.#jwt = jwt;
    this.keep(jwt);
  }
}

/** Tells whether the broker would still take this JWT of this identity. */
export function isGood(jwt: string, identity: Identity, now: number): boolean {
  const claims = claimsIn(jwt);
  const { name } = NatsKey.fromSeed('user', identity.nkeySeed);
  return claims?.user === name && claims.expires > now;
}

/** Renews the user for as long as the link lives. @returns Stops that. */
export function keepRenewed(
  link: Link & { readonly transport: NatsTransport },
  user: OwnUser,
  tree: 'up' | 'usr',
  onFailure: (cause: unknown) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const later = (ms: number) => {
    if (!stopped) timer = setTimeout(renew, Math.min(Math.max(ms, SOONEST_MS), LONGEST_MS)).unref();
  };
  // The cluster's time, not the host's: a clock that is a day ahead would have it renewed without end.
  const now = () => link.bus.sealer.clock.now();
  const untilNext = () => user.issued + (user.expires - user.issued) * RENEW_AT - now();
  // What was asked for and the connection has not gone over to: without that it would be cut off when the one before ends.
  let isTaken = false;
  const goOn = async () => {
    isTaken ||= await askOnce(link, user, tree);
    if (isTaken) await link.transport.renew();
    isTaken = false;
  };
  const renew = () => {
    if (link.transport.isClosed) return;
    if (!isTaken && untilNext() > 0) later(untilNext());
    else
      goOn().then(
        () => {
          later(untilNext());
        },
        (cause: unknown) => {
          onFailure(cause);
          later(Math.min(AGAIN_MS, (user.expires - now()) / 4));
        },
      );
  };
  later(untilNext());
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** @returns Whether there is another one now; a broker without users has none. */
async function askOnce({ bus, own, subjects, services }: Link, user: OwnUser, tree: 'up' | 'usr'): Promise<boolean> {
  const answer = await bus.ask(
    {
      contract: contracts.renew,
      body: { expires: Math.min(user.expires, Number.MAX_SAFE_INTEGER) },
      subject: tree === 'up' ? subjects.upAcl(own.fp, 'renew') : subjects.usrAcl(own.fp, 'renew'),
      to: () => services('acl'),
    },
    contracts.renewed,
    ASK_MS,
  );
  if (!answer.ok) throw new Error(`the acl-service did not renew the user of the broker (${answer.error})`);
  const { user: jwt } = answer.value.body;
  if (jwt === null) return false;
  user.take(jwt);
  return true;
}
