/** Rules of a succession that is asked for: what has changed is recorded and told, whatever fails after it. */
import { MemoryStore, type Opened } from '@natrium/bus';
import {
  announce,
  type Cluster,
  clusterOf,
  fp,
  type Identity,
  identityFrom,
  newIdentitySecret,
  randomBytes,
  signData,
  type Signed,
  signJoin,
  SigningKey,
  sodiumReady,
  toHex,
} from '@natrium/envelope';
import { Budget } from '@natrium/flow';
import type { Body, contracts } from '@natrium/wire';
import type { BrokerUsers } from '../broker/broker-users.js';
import { Inventory } from '../data/inventory.js';
import { Roster } from '../roster/roster.js';
import { Succeeding } from './succeeding.js';

const NOW = 1_795_000_000_000;
const WEEK_MS = 7 * 86_400_000;

beforeAll(sodiumReady);

/** An acl-service with one accepted minion, and how that vouches for another key. */
async function anAuthority() {
  const cluster = clusterOf(SigningKey.generate().publicKey);
  const acl = SigningKey.generate();
  const nameKey = { id: 'one', key: new Uint8Array(32).fill(1) };
  const store = new MemoryStore('roster');
  const openRoster = () =>
    Roster.open(store, { acl, aclKeys: () => [acl.publicKey], cluster, nameKey, onSpoilt: () => undefined });
  const [roster, old] = [await openRoster(), identityFrom(newIdentitySecret())];
  const owner = { kind: 'minion', name: 'web1', identity: old.publicKey, nkey: old.nkeyPublic } as const;
  await roster.write({ ...owner, state: 'accepted' });
  const asks = (next: Identity, what: Body<typeof contracts.succeed>['what']) => {
    const join = joinOf(next, cluster);
    const signature = old.signing.sign('succession', cluster, join.bytes);
    const data = signData(next.signing, cluster, { number: 1, grains: { id: 'web1' } });
    const body = { what, join, signature, data };
    return { body, party: { owner: { type: 'identity', key: old.publicKey } } } as unknown as Opened<
      typeof contracts.succeed
    >;
  };
  return { cluster, roster, openRoster, old: owner, asks };
}

function joinOf(next: Identity, cluster: Cluster): Signed {
  return signJoin(next.signing, cluster, {
    id: 'web1',
    identity: next.publicKey,
    nkey: next.nkeyPublic,
    announcement: announce(next.signing, cluster, {
      owner: { type: 'identity', key: next.publicKey },
      use: 'jobs',
      epochKey: randomBytes(32),
      notBefore: NOW,
      notAfter: NOW + WEEK_MS,
      rolesSerial: 1,
    }),
    issued: NOW,
    nonce: randomBytes(16),
  });
}

const newKey = () => identityFrom(newIdentitySecret());
const place = { chain: 'acl1', number: 0 };

/** @param failing How many times the data of the old identity cannot be forgotten. */
async function aWorld(failing: number, users?: Pick<BrokerUsers, 'isAnothers'>) {
  const { cluster, roster, old, asks } = await anAuthority();
  const next = newKey();
  const asked = asks(next, 'commit');
  const seen = { recorded: [] as unknown[], told: [] as string[], logged: 0, forgotten: [] as string[] };
  let left = failing;
  const forget = (identity: Uint8Array) => {
    left -= 1;
    if (left >= 0) return Promise.reject(new Error('the broker does not answer'));
    seen.forgotten.push(toHex(identity));
    return Promise.resolve();
  };
  const succeeding = new Succeeding(
    {
      roles: { cluster },
      clock: { skewMs: 1000, now: () => NOW, own: () => NOW },
      announcements: new MemoryStore('announcements'),
    },
    {
      roster,
      inventory: { write: () => Promise.resolve(true), forget },
      mines: { pass: () => Promise.resolve(), forget },
      users: users as BrokerUsers | undefined,
      audit: {
        write: ({ verdict, detail }) => {
          seen.recorded.push([verdict, detail['fun'], detail['id']]);
          return place;
        },
        refuse: ({ code }) => {
          seen.recorded.push(code);
          return place;
        },
      },
      events: { succeeded: (id) => void seen.told.push(id) },
      log: { error: () => void (seen.logged += 1) },
      budget: new Budget({ rate: 0, burst: 1 }),
    },
  );
  return { seen, old, next, ask: () => succeeding.handle(asked), roster };
}

const RECORD = ['allow', 'key.succeed', 'web1'];

it('is recorded and told once, and the old identity’s data are forgotten', async () => {
  const { seen, old, next, ask, roster } = await aWorld(0);
  expect((await ask()).refusal).toBeNull();
  expect(roster.keyOfMinion('web1')).toEqual(next.publicKey);
  const oldKey = toHex(old.identity);
  expect(seen).toEqual({ recorded: [RECORD], told: ['web1'], logged: 0, forgotten: [oldKey, oldKey] });
});

it('is refused where the new identity names somebody else’s NATS key, and nothing is changed', async () => {
  const { seen, old, ask, roster } = await aWorld(0, { isAnothers: () => true });
  expect((await ask()).refusal).toMatchObject({
    code: 'bad_request',
    sentence: expect.stringContaining('NATS key') as string,
  });
  expect(roster.keyOfMinion('web1')).toEqual(old.identity);
  expect(seen).toMatchObject({ recorded: ['bad_request'], told: [] });
});

it.each([1, 2])(
  'is recorded, told and answered when %d of the old identity’s data cannot be forgotten, which is tried again when it is asked again',
  async (failing) => {
    const { seen, ask } = await aWorld(failing);
    const first = await ask();
    expect([first.refusal, first.record]).toEqual([null, expect.anything()]);
    expect(seen).toMatchObject({ recorded: [RECORD], told: ['web1'], logged: failing });
    expect(seen.forgotten).toHaveLength(2 - failing);
    expect(await ask()).toEqual(first);
    expect(seen).toMatchObject({ recorded: [RECORD], told: ['web1'], logged: failing });
    expect(seen.forgotten).toHaveLength(4 - failing);
  },
);

describe('who was introduced and not let in yet', () => {
  /** With all that is stored of anybody. */
  async function anIntroducing() {
    const authority = await anAuthority();
    const { cluster, roster, asks } = authority;
    const [data, announcements] = [new MemoryStore('data'), new MemoryStore('announcements')];
    const pillars = { inDoubt: false, revision: 0, of: () => ({ pillar: {}, revision: 0 }) };
    const clock = { skewMs: 1000, now: () => NOW, own: () => NOW };
    const succeeding = new Succeeding(
      { roles: { cluster }, clock, announcements },
      {
        roster,
        inventory: await Inventory.open(data, cluster, pillars, clock),
        mines: { pass: () => Promise.resolve(), forget: () => Promise.resolve() },
        users: undefined,
        audit: { write: () => place, refuse: () => place },
        events: { succeeded: () => undefined },
        log: { error: () => undefined },
        budget: new Budget({ rate: 0, burst: 1 }),
      },
    );
    const ask = async (next: Identity, what: 'prepare' | 'commit' = 'prepare') =>
      (await succeeding.handle(asks(next, what))).refusal;
    const stored = async () =>
      [await data.list('>'), await announcements.list('>')].map((all) => all.map(({ key }) => key));
    return { ...authority, ask, stored };
  }

  const of = (...keys: readonly Uint8Array[]) => [keys.map(fp), keys.map((key) => `m.${fp(key)}`)];

  it('is one for each old key: nothing stays of who was introduced before', async () => {
    const { ask, stored } = await anIntroducing();
    const [first, second] = [newKey(), newKey()];
    for (const next of [first, first]) expect(await ask(next)).toBeNull();
    expect(await stored()).toEqual(of(first.publicKey));
    expect(await ask(second)).toBeNull();
    expect(await stored()).toEqual(of(second.publicKey));
    expect(await ask(second, 'commit')).toBeNull();
    expect(await stored()).toEqual(of(second.publicKey));
  });

  it('is one also of many at once', async () => {
    const { ask, stored } = await anIntroducing();
    const many = Array.from({ length: 8 }, newKey);
    await Promise.all(many.map((next) => ask(next)));
    expect(await stored()).toEqual(of(many.at(-1)!.publicKey));
  });

  it('keeps nothing here when the old key is taken away, or another came in through another replica', async () => {
    for (const comesIn of [undefined, newKey()]) {
      const { ask, stored, openRoster, old } = await anIntroducing();
      expect(await ask(newKey())).toBeNull();
      const other = await openRoster();
      const held = other.byKey(old.identity)!;
      if (comesIn === undefined) await other.write({ ...held, state: 'deleted' });
      else
        await other.succeed(held, { identity: comesIn.publicKey, nkey: comesIn.nkeyPublic }, joinOf(comesIn, randomBytes(32))); // prettier-ignore
      await new Promise(setImmediate);
      expect(await stored()).toEqual(of());
    }
  });

  it('stays who it is when it came in through another replica', async () => {
    const { ask, stored, openRoster, old } = await anIntroducing();
    const next = newKey();
    expect(await ask(next)).toBeNull();
    const other = await openRoster();
    const { publicKey: identity, nkeyPublic: nkey } = next;
    await other.succeed(other.byKey(old.identity)!, { identity, nkey }, joinOf(next, randomBytes(32)));
    await new Promise(setImmediate);
    expect(await stored()).toEqual(of(identity));
  });
});
