/** Rules of a key that waits: it costs a write once, and hears what became of it where it has asked last. */
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
import type { AuditLog } from './audit-log.js';
import { Joining } from './joining.js';
import type { KeyEvents } from './key-events.js';
import type { Room } from './room.js';
import { Roster } from './roster.js';

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

/** One acl-service of several, and what it has told to those that waited: the question that it answers, and its word. */
async function aReplica() {
  const nameKey = { id: 'one', key: new Uint8Array(32).fill(1) };
  const keys = { acl, aclKeys: () => [acl.publicKey], cluster, nameKey, onSpoilt: () => undefined };
  const roster = await Roster.open(store, keys);
  const told: (readonly [place: string, question: string, state: string])[] = [];
  const link = {
    clock: { own: () => NOW, now: () => NOW, skewMs: 1000 },
    roles: { cluster },
    directory: { learn: () => undefined },
    bus: {
      sealer: { read: (announcement: Signed) => readAnnouncement(announcement, cluster, NOW, () => [], 1000) },
      answerLater: (_: unknown, reply: string, re: Uint8Array, __: unknown, { state }: Body<typeof contracts.joined>) =>
        told.push([reply, toHex(re), state]),
    },
  } as unknown as RoleLink;
  const nothing = () => undefined;
  const joining = new Joining(link, roster, ADMISSION, {
    audit: { write: nothing } as unknown as AuditLog,
    room: {} as Room,
    users: undefined,
    events: { asked: nothing } as unknown as KeyEvents,
    budget: new Budget({ rate: 0, burst: 0 }),
  });
  const telling: Promise<void>[] = [];
  roster.onChange((record, { signed, waiting }) => {
    telling.push(joining.tellWaiting(record, signed, waiting));
  });
  const hasTold = async () => {
    await Promise.all(telling);
    return told;
  };
  return { roster, joining, hasTold };
}

type Replica = Awaited<ReturnType<typeof aReplica>>;

function aJoiner() {
  const identity = identityFrom(newIdentitySecret());
  const key = { kind: 'minion', name: 'web1', identity: identity.publicKey, nkey: identity.nkeyPublic } as const;
  const owner = { type: 'identity', key: key.identity } as const;
  let asked = 0;
  /** Asks anew, in another place than before. @returns What was answered at once, and where it hears more. */
  const asks = async ({ joining }: Replica) => {
    asked += 1;
    const announcement = announce(identity.signing, cluster, {
      owner,
      use: 'jobs',
      epochKey: randomBytes(32),
      notBefore: NOW,
      notAfter: NOW + 1000,
      rolesSerial: 1,
    });
    const joined = { id: key.name, identity: key.identity, nkey: key.nkey, announcement, issued: NOW };
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
