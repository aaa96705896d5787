/**
 * A gateway that does what a test tells it: it holds the gateway's role key and the storage keys, hears callers and
 * minions as a real one does, and checks nothing. What it sends is sealed with the product's own envelope.
 */
import { type Listening, type Opened, OwnParty } from '@natrium/bus';
import type { Link } from '@natrium/client';
import type { GrantRun } from '@natrium/flow';
import { RoleLink, type ServiceConfig } from '@natrium/edge';
import {
  encode,
  fp,
  type KnownParty,
  PairKeys,
  randomBytes,
  type RoleName,
  sealMessage,
  toHex,
  type Wire,
} from '@natrium/envelope';
import { type Jid, jidOf } from '@natrium/model';
import { type Body, type Contract, contracts, writeAs } from '@natrium/wire';
import type { Apps } from './apps.js';
import { Arrivals } from '../arrivals.js';
import type { Asked } from '../ask.js';
import { LogLines } from '../log-lines.js';
import {
  digestsIn,
  type JobOrder,
  placeOf,
  type Returned,
  unheard,
  type Verdict,
  verdictOf,
  whyNotOpened,
} from './job-order.js';
import type { TestMinion } from './test-minion.js';
import { PATIENCE_MS } from '../until.js';

export type Granted = Body<typeof contracts.granted>;

/** A caller's question as the gateway opened it; it can be answered with whatever news. */
export interface HeardAsk extends Asked {
  readonly opened: Opened<typeof contracts.publish>;
}

/** What of the message is not as an honest gateway would have it. */
export interface Forging {
  readonly as?: OwnParty;
  readonly kind?: string;
  readonly issued?: number;
  readonly lifetime?: number;
  readonly re?: Uint8Array;
  readonly recipients?: readonly KnownParty[];
  /** This for a body, whatever the kind's schema says. */
  readonly wire?: Wire;
}

interface Waiting {
  readonly fp: string;
  readonly digests: readonly string[];
  take(said: Returned): void;
}

const HOUR_MS = 3_600_000;
const LIFETIMES = { epochMs: HOUR_MS, overlapMs: 0, announcementMs: HOUR_MS };

export class GatewayDouble {
  /** Publish requests, in the order in which they came. */
  readonly asks = new Arrivals<HeardAsk>('a publish request at the gateway');
  /** Returns that no `deliver` was waiting for. */
  readonly unasked = new Arrivals<Returned>('a return that nobody waited for');
  /** Returns that were heard and not acknowledged: they stay in the minion's spool. */
  readonly #withheld: Opened<typeof contracts.returned>[] = [];
  #withholds = false;
  readonly #waiting = new Set<Waiting>();
  #lastJid = 0;
  readonly #listening: Listening[] = [];

  private constructor(readonly link: RoleLink) {}

  static async open(config: ServiceConfig, apps: Apps): Promise<GatewayDouble> {
    const log = apps.logTo(new LogLines().hear);
    const link = await RoleLink.open({ role: 'gateway', log, ...config });
    const gateway = new GatewayDouble(link);
    gateway.#listen();
    await link.announce();
    return gateway;
  }

  async close(): Promise<void> {
    for (const listening of this.#listening) await listening.close();
    await this.link.close();
  }

  mintJid(): Jid {
    this.#lastJid = Math.max(this.#lastJid + 1, Math.floor(this.link.clock.now() * 1000));
    return jidOf(this.#lastJid);
  }

  /** The acl-service's answer, a refusal or a grant. */
  async askGrant(
    { request, signature, callerKey }: Asked,
    jid: Jid = this.mintJid(),
    grantRun: GrantRun | null = null,
  ): Promise<Granted> {
    const { link } = this;
    const answer = await link.bus.ask(
      {
        contract: contracts.grant,
        body: { request, signature, credential: null, grantRun, callerKey, jid, batch: null },
        subject: link.subjects.svcAcl('grant'),
        to: () => link.directory.role('acl'),
      },
      contracts.granted,
      PATIENCE_MS,
    );
    if (!answer.ok) throw new Error(`the acl-service did not answer: ${answer.error}`);
    return answer.value.body;
  }

  /** All that a job needs. @throws {Error} When the acl-service refuses. */
  async granted(asked: Asked, jid: Jid = this.mintJid()): Promise<JobOrder> {
    const { refusal, grant, members } = await this.askGrant(asked, jid);
    if (grant === null) throw new Error(`no grant: ${refusal?.sentence ?? 'nobody matched'}`);
    return { request: asked.request, grant, members };
  }

  /** What an honest gateway does for one minion. */
  async runs(asked: Asked, minion: TestMinion): Promise<Verdict> {
    return this.sends(minion, await this.granted(asked));
  }

  sends(minion: TestMinion, order: JobOrder, forging: Forging = {}): Promise<Verdict> {
    return this.deliver(minion, this.sealJob(minion, order, forging), digestsIn(order));
  }

  sealJob(minion: TestMinion, order: JobOrder, forging: Forging = {}): Uint8Array {
    const { request, grant, instance = this.link.own.instance } = order;
    const place = order.place ?? placeOf(order.members, minion);
    return this.seal(contracts.job, { request, grant, instance }, minion.party, forging, place);
  }

  seal<C extends Contract>(
    contract: C,
    body: Body<C>,
    to: KnownParty,
    forging: Forging = {},
    place?: Uint8Array,
  ): Uint8Array {
    const { as = this.link.own, kind = contract.kind, re = null, recipients = [to] } = forging;
    const { issued = this.link.clock.now(), lifetime = contract.lifetimeMs } = forging;
    return sealMessage(
      { kind, messageId: randomBytes(16), from: as.announced, re, issued, lifetime },
      encode(forging.wire ?? (writeAs(contract.schema, body) as Wire)),
      as.keyring,
      recipients.map(({ keyId, epochKey }) =>
        place === undefined ? { keyId, epochKey } : { keyId, epochKey, private: place },
      ),
      new PairKeys(),
    );
  }

  /** Another party than the gateway, for which the test has the role's key. */
  party(role: RoleName): OwnParty {
    const key = this.link.keys.roleKey(role);
    const owner = { type: 'role', role, instance: 'impostor', key: key.publicKey } as const;
    const { cluster, document } = this.link.roles;
    const party = new OwnParty(
      { owner, signing: key, cluster, use: 'service', rolesSerial: document.serial },
      LIFETIMES,
    );
    party.rotate(this.link.clock.now());
    return party;
  }

  /** Sends bytes to a minion's own subject, and tells what came of it. */
  deliver(minion: TestMinion, bytes: Uint8Array, digests: readonly string[] = []): Promise<Verdict> {
    const { transport, subjects } = this.link;
    const inbox = `_INBOX_DOUBLE.${toHex(randomBytes(8))}`;
    return new Promise((resolve, reject) => {
      const settle = (verdict: Verdict | Promise<Verdict>) => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
        void listening.close();
        resolve(verdict);
      };
      const timer = setTimeout(() => {
        settle(Promise.reject(new Error(`${minion.id} said nothing`)));
      }, PATIENCE_MS);
      const waiting = { fp: minion.fp, digests, take: (said: Returned) => { settle(verdictOf(said)); } }; // prettier-ignore
      this.#waiting.add(waiting);
      const listening = transport.subscribe(inbox, ({ payload, noResponders }) => {
        if (noResponders) settle(unheard('no_responders', null));
        else settle(whyNotOpened(minion, payload));
      });
      try {
        transport.publish(subjects.job(minion.fp), bytes, inbox);
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  /** From now on no return is acknowledged. */
  withhold(): void {
    this.#withholds = true;
  }

  /** Returns that were heard and not acknowledged. */
  get withheld(): readonly Opened<typeof contracts.returned>[] {
    return this.#withheld;
  }

  /** Acknowledges what was withheld, and each return from now on. */
  release(): void {
    this.#withholds = false;
    for (const opened of this.#withheld.splice(0)) opened.acknowledge();
  }

  /** Resolves when the minion has heard all that was answered to what it has sent. */
  async settled({ transport }: Link): Promise<void> {
    await transport.flush();
    await this.link.transport.flush();
    await this.link.transport.flush();
    await transport.flush();
  }

  #listen(): void {
    const { bus, subjects, own } = this.link;
    const hear = (opened: Opened<typeof contracts.publish>) => {
      this.#hearAsk(opened);
    };
    const take = (opened: Opened<typeof contracts.returned>) => {
      this.#hearReturn(opened);
    };
    this.#listening.push(
      bus.serve(subjects.up('*', 'publish'), undefined, [contracts.publish], hear),
      bus.serve(subjects.usr('*', 'publish'), undefined, [contracts.publish], hear),
      bus.serve(subjects.up('*', 'return'), undefined, [contracts.returned], take),
      bus.serve(subjects.upReturn('*', own.instance), undefined, [contracts.returned], take),
    );
  }

  #hearAsk(opened: Opened<typeof contracts.publish>): void {
    const { request, signature } = opened.body;
    this.asks.push({ request, signature, callerKey: opened.party.owner.key, opened });
  }

  #hearReturn(opened: Opened<typeof contracts.returned>): void {
    if (this.#withholds) this.#withheld.push(opened);
    else opened.acknowledge();
    const from = fp(opened.party.owner.key);
    const digest = toHex(opened.body.digest);
    const waiting = [...this.#waiting].find((one) => one.fp === from && one.digests.includes(digest));
    if (waiting === undefined) this.unasked.push(opened.body);
    else waiting.take(opened.body);
  }
}
