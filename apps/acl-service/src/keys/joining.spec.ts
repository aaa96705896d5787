/**
 * Rules of who comes: what is let in and known, and that a key that waits costs a write once, and hears what became of it where
 * it has asked last.
 */
import { MemoryStore, type Opened } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import {
  announce,
  clusterOf,
  identityFrom,
  newIdentitySecret,
  randomBytes,
  readAnnouncement,
  type Signed,
  signJoin,
  SigningKey,
  sodiumReady,
  toHex,
} from '@natrium/envelope';
import { type Admission, Budget, type KeyState } from '@natrium/flow';
import type { Body, contracts } from '@natrium/wire';
import type { AuditLog } from '../audit/audit-log.js';
import { Joining } from './joining.js';
import type { KeyEvents } from './key-events.js';
import { Room } from './room.js';
import { Roster } from '../roster/roster.js';

const NOW = 1_795_000_000_000;
const ADMISSION: Admission = {
  autoAccept: false,
  isInDoubt: () => false,
  rejects: () => false,
  expects: () => false,
  signs: () => false,
  maxPending: 10,
  hasRoom: true,
};

let store: CountingStore;
let acl: SigningKey;
const cluster = clusterOf(new Uint8Array(32).fill(7));

class CountingStore extends MemoryStore {
  writes = 0;
  override put(...of: Parameters<MemoryStore['put']>) {
    this.writes += 1;
    return super.put(...of);
  }
}

beforeAll(sodiumReady);
beforeEach(() => {
  store = new CountingStore('roster');
  acl = SigningKey.generate();
});

/** What its operator set. */
interface Setting {
  readonly admission?: Partial<Admission>;
  readonly maxMinions?: number;
  /** Of each that is accepted, and of all newcomers together. */
  readonly burst?: number;
}

/** One acl-service of several, and what it has told to those that waited: the question that it answers, and its word. */
async function aReplica({ admission, maxMinions, burst }: Setting = {}) {
  const nameKey = { id: 'one', key: new Uint8Array(32).fill(1) };
  const keys = { acl, aclKeys: () => [acl.publicKey], cluster, nameKey, onSpoilt: () => undefined };
  const roster = await Roster.open(store, keys);
  const told: (readonly [place: string, question: string, state: string])[] = [];
  const fired: (readonly [id: string, state: string])[] = [];
  const clock = { ms: NOW };
  const learned: string[] = [];
  const link = {
    clock: { own: () => clock.ms, now: () => NOW, skewMs: 1000 },
    roles: { cluster },
    directory: { learn: ({ owner }: { owner: { key: Uint8Array } }) => learned.push(toHex(owner.key)) },
    bus: {
      sealer: { read: (announcement: Signed) => readAnnouncement(announcement, cluster, NOW, () => [], 1000) },
      answerLater: (_: unknown, reply: string, re: Uint8Array, __: unknown, { state }: Body<typeof contracts.joined>) =>
        told.push([reply, toHex(re), state]),
    },
  } as unknown as RoleLink;
  const nothing = () => undefined;
  const room = new Room(roster, () => ({ max_minions: maxMinions ?? 0 }));
  const rules = {
    ...ADMISSION,
    get hasRoom() {
      return room.left > 0;
    },
    ...admission,
  };
  const joining = new Joining(link, roster, rules, {
    audit: { write: nothing } as unknown as AuditLog,
    room,
    users: undefined,
    events: { asked: (id: string, _: unknown, state: string) => fired.push([id, state]) } as unknown as KeyEvents,
    budget: new Budget({ rate: burst === undefined ? 0 : 1, burst: burst ?? 0 }),
  });
  const telling: Promise<void>[] = [];
  roster.onChange((record, { signed, waiting }) => {
    telling.push(joining.tellWaiting(record, signed, waiting));
  });
  const hasTold = async () => {
    await Promise.all(telling);
    return told;
  };
  return { roster, joining, learned, hasTold, fired, clock };
}

type Replica = Awaited<ReturnType<typeof aReplica>>;

interface Asking {
  readonly use?: 'jobs' | 'session';
  readonly issued?: number;
}

function aJoiner(name = 'web1') {
  const identity = identityFrom(newIdentitySecret());
  const key = { kind: 'minion', name, identity: identity.publicKey, nkey: identity.nkeyPublic } as const;
  const owner = { type: 'identity', key: key.identity } as const;
  let asked = 0;
  /** Asks anew, in another place than before. @returns What was answered at once, and where it hears more. */
  const asks = async ({ joining }: Pick<Replica, 'joining'>, { use = 'jobs', issued = NOW }: Asking = {}) => {
    asked += 1;
    const announcement = announce(identity.signing, cluster, {
      owner,
      use,
      epochKey: randomBytes(32),
      notBefore: NOW,
      notAfter: NOW + 1000,
      rolesSerial: 1,
    });
    const joined = { id: key.name, identity: key.identity, nkey: key.nkey, announcement, issued };
    const request = signJoin(identity.signing, cluster, { ...joined, nonce: randomBytes(16) });
    const [reply, messageId] = [`_INBOX_JOIN.${String(asked)}`, randomBytes(16)];
    const opened = { body: { request, grains: {} }, party: { owner }, reply, messageId };
    const answer = await joining.handle(opened as unknown as Opened<typeof contracts.join>);
    return { state: answer?.state, place: [reply, toHex(messageId)] as const };
  };
  return { key, asks };
}

it('a key that waits and asks again costs no write, and throws nothing away on any replica', async () => {
  const [one, two] = [await aReplica(), await aReplica()];
  const [web1, other] = [aJoiner(), { ...aJoiner().key, name: 'db1', state: 'accepted' } as const];
  await one.roster.write(other);
  expect((await web1.asks(one)).state).toBe('pending');
  const before = [store.writes, one.roster.revision, two.roster.revision];
  const accepted = two.roster.acceptedMinions();
  for (let n = 0; n < 10; n += 1) expect((await web1.asks(one)).state).toBe('pending');
  expect([store.writes, one.roster.revision, two.roster.revision]).toEqual(before);
  expect(two.roster.acceptedMinions()).toBe(accepted);
  expect(one.roster.byKey(web1.key.identity)?.revision).toBe(1);
});

/** Which of two replicas heard the last question, and which of them has the operator's word. */
const WHO = [
  [0, 0],
  [0, 1],
  [1, 0],
] as const;

it.each(['accepted', 'rejected', 'denied'] as const)(
  'a key that becomes %s hears it where it has asked last, whoever decides and whoever heard that',
  async (state: KeyState) => {
    for (const [heardBy, decidedBy] of WHO) {
      store = new CountingStore('roster');
      const replicas = [await aReplica(), await aReplica()] as const;
      const web1 = aJoiner();
      await web1.asks(replicas[0]);
      await web1.asks(replicas[heardBy === 0 ? 1 : 0]);
      const { place } = await web1.asks(replicas[heardBy]);
      await replicas[decidedBy].roster.write({ ...web1.key, state });
      expect(await replicas[heardBy].hasTold()).toEqual([[...place, state]]);
    }
  },
);

it('a key whose record another acl-service writes anew while it waits still hears it where it has asked last', async () => {
  const [one, two] = [await aReplica(), await aReplica()];
  const web1 = aJoiner();
  await web1.asks(one);
  const { place } = await web1.asks(one);
  await two.roster.write({ ...web1.key, state: 'pending' });
  await two.roster.write({ ...web1.key, state: 'accepted' });
  expect(await one.hasTold()).toEqual([[...place, 'accepted']]);
});

it('a key that asked an acl-service that is gone is told where its entry says, and hears it when it asks again', async () => {
  const gone = await aReplica();
  const web1 = aJoiner();
  const { place } = await web1.asks(gone);
  await web1.asks(gone);
  const left = await aReplica();
  await left.roster.write({ ...web1.key, state: 'accepted' });
  expect(await left.hasTold()).toEqual([[...place, 'accepted']]);
  expect((await web1.asks(left)).state).toBe('accepted');
});

it('a key that is deleted, or was and waits to come back, is told nothing that it did not ask for', async () => {
  const one = await aReplica();
  const web1 = aJoiner();
  await web1.asks(one);
  await web1.asks(one);
  await one.roster.write({ ...web1.key, state: 'deleted' });
  expect((await web1.asks(one)).state).toBe('pending');
  expect((await web1.asks(one)).state).toBe('pending');
  expect(one.roster.wasDeleted(web1.key.identity)).toBe(true);
  await one.roster.write({ ...web1.key, state: 'accepted' });
  expect(await one.hasTold()).toEqual([]);
});

it('a host that comes to ask and not to work becomes nobody’s minion, however open the cluster is; one that comes to work does', async () => {
  const one = await aReplica({ admission: { autoAccept: true } });
  const web1 = aJoiner();
  expect((await web1.asks(one, { use: 'session' })).state).toBe('denied');
  expect(one.roster.records()).toEqual([]);
  expect((await web1.asks(one)).state).toBe('accepted');
});

it('an account that comes for its user of the broker is told that it is accepted, however often, and becomes no minion', async () => {
  const one = await aReplica();
  const fred = aJoiner('fred');
  await one.roster.write({ ...fred.key, kind: 'account', state: 'accepted' });
  const before = one.roster.records();
  for (const use of ['session', 'session', 'jobs'] as const)
    expect((await fred.asks(one, { use })).state).toBe('accepted');
  expect(one.roster.records()).toEqual(before);
});

it('a request counts for a minute: one that is older, or was captured and is shown again later, is not heard', async () => {
  const one = await aReplica();
  const web1 = aJoiner();
  expect((await web1.asks(one, { issued: NOW - 60_001 })).state).toBeUndefined();
  expect(one.roster.records()).toEqual([]);
  expect((await web1.asks(one, { issued: NOW - 60_000 })).state).toBe('pending');
});

it('of many that come at once, none is accepted beyond max_minions', async () => {
  const one = await aReplica({ admission: { autoAccept: true }, maxMinions: 2 });
  const states = await Promise.all(
    ['web1', 'web2', 'web3', 'web4'].map(async (id) => (await aJoiner(id).asks(one)).state),
  );
  expect(states).toEqual(['accepted', 'accepted', 'full', 'full']);
  expect(one.roster.count('accepted')).toBe(2);
});

it('newcomers share one budget, whatever keys they make; who is accepted has its own', async () => {
  const one = await aReplica({ burst: 3 });
  const [db1, strangers] = [aJoiner('db1'), ['web1', 'web2', 'web3', 'web4'].map(aJoiner)];
  await one.roster.write({ ...db1.key, state: 'accepted' });
  const states = [];
  for (const stranger of strangers) states.push((await stranger.asks(one)).state);
  expect(states).toEqual(['pending', 'pending', 'pending', 'full']);
  expect((await db1.asks(one)).state).toBe('accepted');
});

it('the bus hears of sixty keys at once that are turned away, and then of one a second; of a key that waits at once', async () => {
  const one = await aReplica({ admission: { maxPending: 1 } });
  await one.roster.write({ ...aJoiner().key, state: 'accepted' });
  const impostors = Array.from({ length: 200 }, () => aJoiner());
  for (const impostor of impostors) expect((await impostor.asks(one)).state).toBe('denied');
  expect(one.fired).toEqual(Array(60).fill(['web1', 'denied']));
  expect((await aJoiner('web2').asks(one)).state).toBe('pending');
  expect(one.fired.splice(0).at(-1)).toEqual(['web2', 'pending']);
  one.clock.ms += 1000;
  for (const impostor of [...impostors.slice(0, 60), ...impostors.slice(-2)]) await impostor.asks(one);
  expect(one.fired).toEqual([['web1', 'denied']]);
});

it('the bus hears once of a key that waits and asks again and again, and anew of one that was deleted and asks again', async () => {
  const one = await aReplica();
  const web1 = aJoiner();
  for (let time = 0; time < 3; time += 1) await web1.asks(one);
  expect(one.fired).toEqual([['web1', 'pending']]);
  await one.roster.write({ ...web1.key, state: 'accepted' });
  await one.roster.write({ ...web1.key, state: 'deleted' });
  for (let time = 0; time < 3; time += 1) await web1.asks(one);
  expect(one.fired).toEqual(Array(2).fill(['web1', 'pending']));
});

it('of a stranger nothing is kept for sealing; of whom the roster knows it is', async () => {
  const one = await aReplica({ admission: { maxPending: 1 } });
  const [web1, stranger] = [aJoiner(), aJoiner('web2')];
  expect((await web1.asks(one)).state).toBe('pending');
  expect((await stranger.asks(one)).state).toBe('full');
  expect((await stranger.asks(one, { use: 'session' })).state).toBe('denied');
  expect(one.learned).toEqual([toHex(web1.key.identity)]);
});
