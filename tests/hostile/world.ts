/**
 * The world of the hostile gateway: two web minions that may run what they like on each other, one that may do nothing, and
 * a gateway with every key that a gateway has.
 */
import { digestOf } from '@natrium/bus';
import type { Request, SigningKey } from '@natrium/envelope';
import { aGrant, aRequest, type Asked, PATIENCE_MS, signedBy } from '@natrium/testing';
import {
  aCluster,
  type GatewayDouble,
  type HeardAsk,
  type Mark,
  type TestCluster,
  type TestMinion,
} from '@natrium/testing/cluster';
import { contracts } from '@natrium/wire';
import { apps } from './apps.js';

const MASTER = `
peer:
  .*example.com: [test.*, cmd.*, publish.*]
peer_run:
  .*example.com: [manage.*]
runner_grants:
  manage.up: [cmd.*]
`;

export const WEB1 = 'web1.example.com';
export const WEB2 = 'web2.example.com';
export const DB1 = 'db1.foo.org';

export class World {
  #more = 0;

  constructor(readonly cluster: TestCluster) {}

  /** @param more Further lines of the master file. */
  static async start(more = ''): Promise<World> {
    return new World(await aCluster({ apps, minions: [WEB1, WEB2, DB1], master: MASTER + more }));
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }

  get gateway(): GatewayDouble {
    return this.cluster.gateway;
  }

  get web1(): TestMinion {
    return this.cluster.minion(WEB1);
  }

  get web2(): TestMinion {
    return this.cluster.minion(WEB2);
  }

  get db1(): TestMinion {
    return this.cluster.minion(DB1);
  }

  /** One more web minion, with a state folder that no other test has touched. */
  anotherMinion(): Promise<TestMinion> {
    this.#more += 1;
    return this.cluster.addMinion(`web${String(100 + this.#more)}.example.com`);
  }

  get now(): number {
    return this.gateway.link.clock.now();
  }

  /** The acl role's key: for what an acl-service would have signed at another time. */
  get acl(): { readonly key: SigningKey; readonly cluster: Uint8Array } {
    return { key: this.cluster.keys.roleKey('acl'), cluster: this.gateway.link.roles.cluster };
  }

  mark(): Mark {
    return this.cluster.mark();
  }

  /** A request that leaves the mark where it runs. */
  marking(mark: Mark, fields: Partial<Request> = {}): Request {
    return aRequest(this.now, { funs: ['cmd.run'], args: [[mark.command]], tgt: WEB1, ...fields });
  }

  /** The request, signed by a minion and not sent. */
  signed(request: Request, by: TestMinion = this.web1): Asked {
    return signedBy(by.link.identity.signing, by.link.roles.cluster, request);
  }

  /** web1 asks over the broker, and the gateway has opened it. */
  async asked(request: Request): Promise<HeardAsk> {
    const { heard, stop } = await this.asking(request);
    stop();
    return heard;
  }

  /** The same, and web1 goes on listening for answers. */
  async asking(
    request: Request,
    by: TestMinion = this.web1,
    hear: (news: unknown) => void = () => undefined,
  ): Promise<{ readonly heard: HeardAsk; readonly stop: () => void }> {
    const { request: bytes, signature } = this.signed(request, by);
    const { bus, subjects, own } = by.link;
    const stop = bus.converse(
      {
        contract: contracts.publish,
        body: { request: bytes, signature, credential: null, grantRun: null, follow: 'all', batch: null },
        subject: subjects.up(own.fp, 'publish'),
        to: () => by.link.services('gateway'),
      },
      contracts.news,
      PATIENCE_MS,
      {
        onAnswer: (news) => {
          hear(news);
          return 'more';
        },
        onFailure: (failure) => {
          hear(failure);
        },
      },
    );
    return { heard: await this.gateway.asks.next(), stop };
  }

  /** A grant for `members` that the acl-service might have signed. */
  grant(
    request: Uint8Array,
    members: readonly TestMinion[],
    fields: Parameters<typeof aGrant>[2] = {},
    issued = this.now,
  ) {
    const about = { request, members: members.map(({ id, key }) => ({ id, key })), issued };
    return { request, members: about.members, grant: aGrant(this.acl, about, fields) };
  }
}

/** The acl-service's refusal; undefined when it grants. */
export async function refusalOf(world: World, asked: Asked): Promise<string | undefined> {
  return (await world.gateway.askGrant(asked)).refusal?.code;
}

/**
 * Nothing ran, and nothing is about to: a start is recorded before it, so no start of this request is in the record, and
 * a plain job that was sent later has returned.
 */
export async function expectNothingRan(
  world: World,
  minion: TestMinion,
  { request }: { readonly request: Uint8Array },
  mark: Mark,
) {
  expect(minion.recorded()).not.toContain(digestOf(request));
  const plain = world.mark();
  const verdict = await world.gateway.runs(world.signed(world.marking(plain, { tgt: minion.id })), minion);
  expect(verdict).toMatchObject({ heard: 'done' });
  expect(plain.count()).toBe(1);
  expect(mark.count()).toBe(0);
}
