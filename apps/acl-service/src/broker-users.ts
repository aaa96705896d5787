/**
 * The broker's users: a JWT for each accepted minion and account, and the end of those who are no longer let in.
 *
 * The revocation list is made from the whole roster each time and pushed until the broker's resolver returns just that
 * list, so that replicas of this service converge whoever writes last.
 *
 * Spec: spec/broker.md#users, #revocation.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NatsTransport } from '@natrium/bus';
import { accountJwt, BrokerKeys, SCOPES, scopedUserJwt } from '@natrium/broker-auth';
import { brokerLogin, endWhenLost, type ServiceConfig } from '@natrium/edge';
import { fp, type NatsKey } from '@natrium/envelope';
import type { KeyRecord } from '@natrium/flow';
import type { Logger } from 'pino';
import { nameOf, RevocationList } from './revocation-list.js';
import type { Roster } from './roster.js';

const ASK_MS = 2000;
const AGAIN_MS = 250;
/** Between two pushes: each costs the broker a look at all its connections, and this process a signature of tens of milliseconds. */
const BETWEEN_MS = 100;
/** A new identity's user before it is accepted: it may speak to nobody who would hear it. */
const CANDIDATE_MS = 60_000;
/** How long an identity that was succeeded may still hear what was on its way to it: a job is granted for a minute. */
const SUCCEEDED_MS = 90_000;
const UPDATE = '$SYS.REQ.CLAIMS.UPDATE';

export class BrokerUsers {
  readonly #account: string;
  readonly #signing: NatsKey;
  readonly #scopeKeys: { readonly minion: NatsKey; readonly account: NatsKey; readonly guest: NatsKey | undefined };
  readonly #list = new RevocationList();
  /** As the broker has it; undefined: not known yet. */
  #revoked: string | undefined;
  #looking: NodeJS.Immediate | undefined;
  #pushing = false;
  #again = false;
  #closed = false;

  private constructor(
    private readonly keys: BrokerKeys,
    private readonly system: NatsTransport,
    private readonly roster: Roster,
    private readonly how: { readonly cluster: string; readonly userMs: number; readonly log: Logger },
  ) {
    this.#account = keys.account;
    this.#signing = keys.operatorSigning;
    this.#scopeKeys = {
      minion: keys.scopeKey('minion'),
      account: keys.scopeKey('account'),
      // A cluster of an earlier version has none, until `natriumctl init` is run again.
      guest: keys.scopeKeys.has('guest') ? keys.scopeKey('guest') : undefined,
    };
  }

  /** @returns undefined when the broker knows no users. */
  static async open(config: ServiceConfig, roster: Roster, log: Logger): Promise<BrokerUsers | undefined> {
    if (config.brokerAuth === 'none') return undefined;
    const keys = new BrokerKeys(join(config.pkiDir, 'broker'));
    const system = await NatsTransport.connect({
      servers: config.servers,
      name: 'natrium-acl-system',
      tls: config.tls,
      ...brokerLogin(keys.credsPath('system')),
      outlivesRefusals: true,
    });
    endWhenLost(system, log);
    const userMs = config.loaded.config.broker_user_hours * 3_600_000;
    const users = new BrokerUsers(keys, system, roster, { cluster: config.cluster, userMs, log });
    roster.onChange((record, { before }) => {
      if (roster.wasSucceeded(record.identity)) users.#spare(record);
      if (users.#list.mayChangeWith(record, before)) users.#pushSoon();
    });
    // Before this service listens: the account as an earlier version signed it may not let it hear all that it does now.
    if (!(await users.#push())) users.#pushSoon();
    return users;
  }

  /** The JWT for an accepted record; undefined for any other. */
  async userOf(record: KeyRecord): Promise<string | undefined> {
    return record.state === 'accepted' ? this.#userFor(record, this.how.userMs) : undefined;
  }

  /** The JWT for a new identity that an accepted one vouches for: it lives for as long as the change takes. */
  candidateOf(next: Pick<KeyRecord, 'identity' | 'nkey'>): Promise<string> {
    return this.#userFor({ kind: 'minion', ...next }, CANDIDATE_MS);
  }

  /** The JWT for somebody without a key of the cluster; undefined where there are no guests. */
  async guestOf({ identity, nkey }: Pick<KeyRecord, 'identity' | 'nkey'>): Promise<string | undefined> {
    const { guest } = this.#scopeKeys;
    return guest === undefined ? undefined : this.#signed(guest, { identity, nkey }, this.how.userMs);
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
    this.#closed = true;
    await this.system.drain();
  }

  /** Services refuse it already. One that the broker refuses too stays refused. */
  #spare(record: KeyRecord): void {
    const name = nameOf(record);
    if (this.#revoked?.includes(name) === true) return;
    this.#list.spare(name);
    setTimeout(() => {
      this.#list.spareNoMore(name);
      this.#pushSoon();
    }, SUCCEEDED_MS).unref();
  }

  #wanted(): readonly string[] {
    return this.#list.of(this.roster.records());
  }

  /** Once for all that changes in one turn of the event loop. */
  #pushSoon(): void {
    this.#looking ??= setImmediate(() => {
      this.#looking = undefined;
      this.#pushIfChanged();
    });
  }

  /** One push at a time; what changed meanwhile is in the next. */
  #pushIfChanged(): void {
    const wanted = this.#wanted().join(' ');
    if (wanted === this.#revoked && !this.#again) return;
    this.#again = true;
    if (!this.#pushing) void this.#pushAll();
  }

  async #pushAll(): Promise<void> {
    this.#pushing = true;
    try {
      while (this.#again && !this.#closed) {
        this.#again = false;
        const isPushed = await this.#push();
        this.#again ||= !isPushed;
        await pause(isPushed ? BETWEEN_MS : AGAIN_MS);
      }
    } finally {
      this.#pushing = false;
    }
  }

  /** @returns true when the resolver returns just this list. */
  async #push(): Promise<boolean> {
    const revoked = this.#wanted();
    try {
      const jwt = await accountJwt(this.#account, this.#signing, {
        cluster: this.how.cluster,
        scopes: SCOPES,
        keys: this.keys.scopeKeys,
        revoked,
      });
      await this.system.request(UPDATE, new TextEncoder().encode(jwt), ASK_MS);
      const kept = await this.system.request(`$SYS.REQ.ACCOUNT.${this.#account}.CLAIMS.LOOKUP`, EMPTY, ASK_MS);
      if (revocationsIn(kept) !== revoked.join(' ')) return false;
    } catch (error) {
      if (!this.#closed)
        this.how.log.error({ err: error }, 'the broker did not take the revocation list; trying again');
      return false;
    }
    this.#revoked = revoked.join(' ');
    return true;
  }
}

const EMPTY = new Uint8Array();

/** The broker's word only tells whether to push again: it is not checked. */
function revocationsIn(jwt: Uint8Array): string {
  const body = new TextDecoder().decode(jwt).split('.')[1] ?? '';
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as {
    readonly nats?: { readonly revocations?: Readonly<Record<string, number>> };
  };
  return Object.keys(claims.nats?.revocations ?? {})
    .sort()
    .join(' ');
}
