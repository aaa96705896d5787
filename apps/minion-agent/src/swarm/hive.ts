/**
 * Many simulated minions in one process. Each has its own identity, joins, is accepted or refused, has its own user of the
 * broker, opens and seals for itself and answers under its own key. They share what a process may know once: hello's answer
 * (roles, services, time), the ear for announcements, the signature of a grant's very bytes, and the modules.
 *
 * They run nothing of this host: only the modules `MODULES` are there.
 */
import type { NatsTransport } from '@natrium/bus';
import { type Known, type Link, linkWith, OwnUser, type SwarmKey, type SwarmShare } from '@natrium/client';
import { fp, type Identity, identityFrom, newIdentitySecret, toHex } from '@natrium/envelope';
import { readCredentials } from '@natrium/keystore';
import { builtinModules, type CallContext, gatherGrains, minionRegistry, type Registry } from '@natrium/modules';
import type { ValueMap } from '@natrium/model';
import { inboxOf, joinInboxOf } from '@natrium/wire';
import { type AboutHost, type ComingIn, connect, greet, standingOn } from '../identity/coming-in.js';
import { joinCluster } from '../identity/joining.js';
import type { Gate } from './gate.js';
import { verifyingOnce } from './verifying-once.js';
import { SimulatedMinion } from './simulated-minion.js';
import { Unstored } from './volatile.js';

const MODULES = new Set(['test', 'grains', 'pillar', 'sys']);
/** So many ask to join at once: a user that joins holds at most sixteen subscriptions. */
const JOINING_AT_ONCE = 12;
/** So many connect at once. */
const AT_ONCE = 64;
const TIDY_MS = 60_000;

export interface HiveNews {
  onLive(count: number): void;
  onLost(id: string): void;
}

interface Member {
  readonly id: string;
  readonly identity: Identity;
}

export class Hive {
  readonly verifyGrant = verifyingOnce();
  readonly registry: Registry<CallContext> = minionRegistry(builtinModules.filter(({ name }) => MODULES.has(name)));
  readonly unstored = new Unstored();
  readonly #members: readonly Member[];
  readonly #minions: SimulatedMinion[] = [];
  readonly #shared: Promise<NatsTransport>[] = [];
  readonly #grains: ValueMap;
  #first: Promise<Link> | undefined;
  #tidying: NodeJS.Timeout | undefined;

  constructor(
    private readonly about: Omit<AboutHost, 'grains' | 'signal'>,
    readonly share: SwarmShare,
    private readonly gate: Gate,
    private readonly news: HiveNews,
  ) {
    this.#grains = gatherGrains(share.prefix, { id: share.prefix, grains: {} });
    this.#members = Array.from({ length: share.count }, (_, at) => ({
      id: `${share.prefix}${String(share.from + at)}`,
      identity: identityFrom(newIdentitySecret()),
    }));
  }

  get size(): number {
    return this.#members.length;
  }

  keys(): readonly SwarmKey[] {
    return this.#members.map(({ id, identity }) => ({
      id,
      identity: toHex(identity.publicKey),
      nkey: toHex(identity.nkeyPublic),
    }));
  }

  /** As an agent's, and marked. */
  grainsOf(id: string): ValueMap {
    return { ...this.#grains, id, host: id, nodename: id, simulated: true };
  }

  /** Resolves when all of them can be asked. @throws {Error} When one of them cannot come in. */
  async come(): Promise<void> {
    const joined = await this.#joinAll();
    await inTurns(joined, AT_ONCE, async (one) => {
      this.#minions.push(await this.#bringIn(one));
      this.news.onLive(this.#minions.length);
    });
    this.#tidying = setInterval(() => {
      for (const minion of this.#minions) minion.tidy();
    }, TIDY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#tidying);
  }

  /** All of this process join through one connection: where the broker has users it is that of whoever may only join. */
  async #joinAll(): Promise<readonly Joined[]> {
    const door = await this.#openDoor();
    const joined: Joined[] = [];
    try {
      await inTurns(this.#members, JOINING_AT_ONCE, async (member) => {
        const about = this.#aboutOf(member);
        const link = linkWith(standingOn(about, door.transport, door.hasUsers), door.known);
        const jwt = await joinCluster({ ...about, id: member.id, link });
        await link.bus.close();
        joined.push({ about, user: jwt === null ? undefined : new OwnUser(member.identity, jwt, () => undefined) });
      });
    } finally {
      await door.transport.drain();
    }
    return joined;
  }

  async #openDoor(): Promise<Door> {
    const [first] = this.#members;
    if (first === undefined) throw new Error('a swarm of no minions');
    const about = this.#aboutOf(first);
    const credentials = readCredentials(about.config.join_creds);
    const hasUsers = credentials !== undefined;
    const inbox = joinInboxOf(fp(first.identity.publicKey));
    const login = hasUsers ? { user: { jwt: () => credentials.jwt, key: credentials.key }, inbox } : {};
    const transport = await connect(about, login);
    return { transport, known: await greet(about, transport, hasUsers), hasUsers };
  }

  async #bringIn({ about, user }: Joined): Promise<SimulatedMinion> {
    const transport = await this.#connectionFor(about, user);
    const link = await this.#linkFor(about, transport);
    void transport.lost.then(() => {
      this.news.onLost(about.config.id);
    });
    return SimulatedMinion.begin(this, about, { transport, link, user });
  }

  /** The first listens for services and roles for all of them. */
  async #linkFor(about: ComingIn, transport: NatsTransport): Promise<Link> {
    const gated = this.gate.before(transport);
    if (this.#first !== undefined) return linkWith(standingOn(about, gated, false), await this.#first);
    this.#first = greet(about, gated);
    return this.#first;
  }

  #connectionFor(about: ComingIn, user: OwnUser | undefined): Promise<NatsTransport> {
    const { connections } = this.share;
    if (user !== undefined || connections === undefined)
      return connect(about, { user, inbox: inboxOf(fp(about.identity.publicKey)) });
    const place = this.#minions.length % connections;
    return (this.#shared[place] ??= connect(about, {}));
  }

  #aboutOf({ id, identity }: Member): ComingIn {
    // Each listens for its own end: one signal for all would hold a listener for every question ever asked.
    const { signal } = new AbortController();
    return { ...this.about, config: { ...this.about.config, id }, identity, grains: {}, signal };
  }
}

interface Joined {
  readonly about: ComingIn;
  /** Undefined where the broker has none. */
  readonly user: OwnUser | undefined;
}

interface Door {
  readonly transport: NatsTransport;
  readonly known: Known;
  readonly hasUsers: boolean;
}

async function inTurns<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
