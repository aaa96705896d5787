/**
 * The broker's users: a JWT for each accepted minion and account, and the end of those who are no longer let in.
 *
 * Spec: spec/broker.md#users, #revocation.
 */
import { join } from 'node:path';
import type { NatsTransport } from '@natrium/bus';
import { accountJwt, BrokerKeys, fixedName, SCOPES, scopedUserJwt } from '@natrium/broker-auth';
import { connectBroker, endWhenLost, type RoleLink, type ServiceConfig } from '@natrium/edge';
import { equalBytes, fp, type NatsKey } from '@natrium/envelope';
import type { KeyRecord } from '@natrium/flow';
import type { Logger } from 'pino';
import { nameOf } from './revocation-list.js';
import { type Resolver, RevocationPush } from './revocation-push.js';
import type { Roster } from '../roster/roster.js';

const ASK_MS = 2000;
/** A new identity's user before it is accepted: it may speak to nobody who would hear it. */
const CANDIDATE_MS = 60_000;
const UPDATE = '$SYS.REQ.CLAIMS.UPDATE';
const MAX_CUTS = 5;

export class BrokerUsers {
  readonly #account: string;
  /** Of the fixed users: NATS keys, and what the broker calls them. */
  readonly #fixed: { readonly keys: ReadonlySet<string>; readonly names: ReadonlySet<string> };
  readonly #scopeKeys: { readonly minion: NatsKey; readonly account: NatsKey; readonly guest: NatsKey | undefined };

  private constructor(
    keys: BrokerKeys,
    private readonly roster: Roster,
    private readonly system: NatsTransport,
    private readonly revocations: RevocationPush,
    private readonly userMs: number,
  ) {
    this.#account = keys.account;
    const fixed = [...keys.fixedUsers];
    this.#fixed = {
      keys: new Set(fixed.map(([, key]) => key)),
      // Those who may only join share a name that anybody can take, and so do those who knock.
      names: new Set(fixed.map(([scope, key]) => fixedName(scope, key)).filter((name) => name.includes('-'))),
    };
    this.#scopeKeys = {
      minion: keys.scopeKey('minion'),
      account: keys.scopeKey('account'),
      // A cluster of an earlier version has none, until `natriumctl init` is run again.
      guest: keys.scopeKeys.has('guest') ? keys.scopeKey('guest') : undefined,
    };
  }

  /** @param link Is back at the broker when this is done. @returns undefined when the broker knows no users. */
  static async open(
    { transport }: Pick<RoleLink, 'transport'>,
    config: ServiceConfig,
    roster: Roster,
    log: Logger,
  ): Promise<BrokerUsers | undefined> {
    if (config.brokerAuth === 'none') return undefined;
    const keys = new BrokerKeys(join(config.pkiDir, 'broker'));
    const coming = { name: 'natrium-acl-system', credentials: keys.credsPath('system') };
    const own = { servers: config.servers, tls: config.tls, log: log.child({ connection: 'system' }) };
    const system = await connectBroker(own, coming);
    endWhenLost(system, own.log);
    const fixed = new Set(keys.fixedUsers.values());
    const revocations = new RevocationPush(resolverAt(system, keys, config.cluster), roster, log, fixed);
    roster.onChange((record, { before }) => {
      revocations.heed(record, before);
    });
    // Before this service listens: the account as an earlier version signed it may not let it hear all that it does now.
    await revocations.begin();
    await untilBack(transport);
    return new BrokerUsers(keys, roster, system, revocations, config.loaded.config.broker_user_hours * 3_600_000);
  }

  /**
   * Whether a NATS key that a party names as its own is a fixed user's, or that of another party that is accepted. Nobody proves
   * the NATS key that he names: who is let in with another's could have that one cut off, or keep it from being cut off.
   */
  isAnothers({ identity, nkey }: Pick<KeyRecord, 'identity' | 'nkey'>): boolean {
    const holders = this.roster.acceptedWith(nkey);
    return this.#fixed.keys.has(nameOf({ nkey })) || holders.some((holder) => !equalBytes(holder.identity, identity));
  }

  /** Whether the broker calls a service so, or a reader of what is stored. */
  isFixedName(name: string): boolean {
    return this.#fixed.names.has(name);
  }

  /** The JWT for an accepted record; undefined for any other. */
  async userOf(record: KeyRecord): Promise<string | undefined> {
    return record.state === 'accepted' ? this.#userFor(record, this.userMs) : undefined;
  }

  /** The JWT for a new identity that an accepted one vouches for: it lives for as long as the change takes. */
  candidateOf(next: Pick<KeyRecord, 'identity' | 'nkey'>): Promise<string> {
    return this.#userFor({ kind: 'minion', ...next }, CANDIDATE_MS);
  }

  /** The JWT for somebody without a key of the cluster; undefined where there are no guests. */
  async guestOf({ identity, nkey }: Pick<KeyRecord, 'identity' | 'nkey'>): Promise<string | undefined> {
    const { guest } = this.#scopeKeys;
    return guest === undefined ? undefined : this.#signed(guest, { identity, nkey }, this.userMs);
  }

  #userFor({ kind, identity, nkey }: Pick<KeyRecord, 'kind' | 'identity' | 'nkey'>, ms: number): Promise<string> {
    return this.#signed(this.#scopeKeys[kind], { identity, nkey }, ms);
  }

  #signed(scope: NatsKey, { identity, nkey }: Pick<KeyRecord, 'identity' | 'nkey'>, ms: number): Promise<string> {
    return scopedUserJwt(this.#account, scope, {
      name: fp(identity),
      user: nkey,
      expires: Math.ceil((Date.now() + ms) / 1000),
    });
  }

  async close(): Promise<void> {
    this.revocations.close();
    await this.system.drain();
  }
}

/**
 * Where the account's permissions have changed with its new signature, the broker cuts every connection under it, the service's
 * own too, and what is written before that one is back is lost.
 */
async function untilBack(transport: NatsTransport): Promise<void> {
  for (let tries = 0; tries < MAX_CUTS && !transport.isClosed; tries += 1) {
    const isThere = await transport.flush().then(
      () => true,
      () => false,
    );
    if (isThere) return;
  }
}

/** The account as this service signs it, and as the broker has it. */
function resolverAt(system: NatsTransport, keys: BrokerKeys, cluster: string): Resolver {
  const { account, operatorSigning } = keys;
  return {
    write: async (revoked) => {
      const about = { cluster, scopes: SCOPES, keys: keys.scopeKeys, revoked };
      const jwt = await accountJwt(account, operatorSigning, about);
      await system.request(UPDATE, new TextEncoder().encode(jwt), ASK_MS);
    },
    read: async () => revocationsIn(await system.request(`$SYS.REQ.ACCOUNT.${account}.CLAIMS.LOOKUP`, EMPTY, ASK_MS)),
  };
}

const EMPTY = new Uint8Array();

/** The broker's word only tells whether to push again, and whom it cuts off already: it is not checked. */
function revocationsIn(jwt: Uint8Array): readonly string[] {
  const body = new TextDecoder().decode(jwt).split('.')[1] ?? '';
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as {
    readonly nats?: { readonly revocations?: Readonly<Record<string, number>> };
  };
  return Object.keys(claims.nats?.revocations ?? {}).sort();
}
