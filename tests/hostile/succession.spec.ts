/**
 * A new identity for a running minion: only the accepted key of an id vouches for its next one, once, and only with its own
 * signature over the next one's own request. Each attack differs from its twin in one thing, and changes nothing.
 */
import { join } from 'node:path';
import { digestOf, OwnParty } from '@natrium/bus';
import type { Link } from '@natrium/client';
import {
  type Cluster,
  fingerprint,
  fp,
  type Identity,
  identityFrom,
  newIdentitySecret,
  randomBytes,
  type Signed,
  signData,
  type SignedWhat,
  signJoin,
  type SigningKey,
  toHex,
} from '@natrium/envelope';
import { readIdentity, writeKeyFile } from '@natrium/keystore';
import { PATIENCE_MS, signedBy, until } from '@natrium/testing';
import type { TestMinion } from '@natrium/testing/cluster';
import { type Body, contracts } from '@natrium/wire';
import { AgentSocket } from '../support/agent-socket.js';
import { Enrolling, newIdentity } from './enrolling.js';
import { refusalOf, World } from './world.js';

type Asked = Body<typeof contracts.succeed>;

const HOUR_MS = 3_600_000;

let world: World;
let keys: Enrolling;
beforeAll(async () => {
  world = await World.start();
  keys = await Enrolling.in(world);
});
afterAll(() => world.stop());

/** What differs from an honest request for a new identity. */
interface Forging {
  readonly id?: string;
  /** Who signs the request to join in the next key's place. */
  readonly joinedBy?: SigningKey;
  /** Who vouches for it. */
  readonly vouchedBy?: SigningKey | 'nobody';
  readonly vouchedAs?: SignedWhat;
  readonly vouchedIn?: Cluster;
  readonly issued?: number;
  readonly use?: 'jobs' | 'session';
}

function announcement(of: Identity, use: 'jobs' | 'session' = 'jobs'): Signed {
  const { document, cluster } = world.gateway.link.roles;
  const own = new OwnParty(
    {
      owner: { type: 'identity', key: of.publicKey },
      signing: of.signing,
      cluster,
      use,
      rolesSerial: document.serial,
    },
    { epochMs: HOUR_MS, overlapMs: 0, announcementMs: HOUR_MS },
  );
  return own.rotate(world.now);
}

function asks(old: Identity, next: Identity, id: string, forging: Forging = {}): Asked {
  const { cluster } = world.acl;
  const { joinedBy = next.signing, vouchedBy = old.signing, vouchedAs = 'succession', vouchedIn = cluster } = forging;
  const request = signJoin(joinedBy, cluster, {
    id: forging.id ?? id,
    identity: next.publicKey,
    nkey: next.nkeyPublic,
    announcement: announcement(next, forging.use),
    issued: forging.issued ?? world.now,
    nonce: randomBytes(16),
  });
  const signature = vouchedBy === 'nobody' ? new Uint8Array(64) : vouchedBy.sign(vouchedAs, vouchedIn, request.bytes);
  const data = signData(next.signing, cluster, { number: world.now, grains: { id } });
  return { what: 'commit', join: request, signature, data };
}

/** The code of a refusal, or `accepted`. */
async function sends(from: Link, asked: Asked): Promise<string> {
  const answer = await from.bus.ask(
    {
      contract: contracts.succeed,
      body: asked,
      subject: from.subjects.upAcl(from.own.fp, 'succeed'),
      to: () => from.services('acl'),
    },
    contracts.succeeded,
    PATIENCE_MS,
  );
  if (!answer.ok) return answer.error;
  const { refusal, record } = answer.value.body;
  return refusal?.code ?? (record === null ? 'prepared' : 'accepted');
}

let count = 0;
/** An accepted minion whose every word is the test's. */
async function anAcceptedKey() {
  count += 1;
  const { link, pair } = await keys.aPendingKey(`rolling-${String(count)}.example.com`);
  expect(await keys.admin(keys.account, 'key.accept', [pair])).toEqual([pair.id]);
  return { link, pair, id: pair.id, identity: link.identity };
}

const pairOf = (id: string, identity: Identity) => ({ id, fingerprint: fingerprint(identity.publicKey) });

/** Whether requests of this identity are heeded. */
function refused(by: Identity): Promise<string | undefined> {
  return refusalOf(world, signedBy(by.signing, world.acl.cluster, world.marking(world.mark())));
}

describe('a new identity', () => {
  it('is accepted when the old one signs it; from then on the old one is refused, and hears the same again', async () => {
    const { link, id, identity } = await anAcceptedKey();
    const next = newIdentity();
    const asked = asks(identity, next, id);
    expect(await refused(identity)).toBeUndefined();
    expect(await sends(link, { ...asked, what: 'prepare' })).toBe('prepared');
    expect([await refused(identity), await refused(next)]).toEqual([undefined, 'unknown_caller']);
    expect(await sends(link, asked)).toBe('accepted');
    expect([await refused(identity), await refused(next)]).toEqual(['unknown_caller', undefined]);
    expect(await sends(link, asked)).toBe('accepted');
    expect(await keys.joins(link, id)).toBe('denied');
    expect(await keys.roster()).toContainEqual(expect.objectContaining({ ...pairOf(id, next), state: 'accepted' }));
    expect(await keys.roster()).not.toContainEqual(expect.objectContaining(pairOf(id, identity)));
  });

  it.each<readonly [string, (next: Identity) => Forging, string]>([
    ['that another minion’s key signs', () => ({ vouchedBy: world.web2.link.identity.signing }), 'bad_signature'],
    ['that the gateway’s key signs', () => ({ vouchedBy: world.cluster.keys.roleKey('gateway') }), 'bad_signature'],
    ['that signs itself', ({ signing }) => ({ vouchedBy: signing }), 'bad_signature'],
    ['that nobody signs', () => ({ vouchedBy: 'nobody' }), 'bad_signature'],
    ['that is signed for another purpose', () => ({ vouchedAs: 'join' }), 'bad_signature'],
    ['that is signed for another cluster', () => ({ vouchedIn: randomBytes(32) }), 'bad_signature'],
    ['that does not show that it has its key', () => ({ joinedBy: newIdentity().signing }), 'bad_signature'],
    ['for another id', () => ({ id: 'db1.foo.org' }), 'key_mismatch'],
    ['for an id that nobody has', () => ({ id: 'nobody.example.com' }), 'key_mismatch'],
    ['that announces a session', () => ({ use: 'session' }), 'bad_request'],
    ['of two minutes ago', () => ({ issued: world.now - 120_000 }), 'request_expired'],
    ['of two minutes from now', () => ({ issued: world.now + 120_000 }), 'request_from_future'],
  ])('%s is refused, and nothing changes; its twin is accepted', async (_about, forging, code) => {
    const { link, id, identity } = await anAcceptedKey();
    const next = newIdentity();
    const before = await keys.roster();
    for (const what of ['prepare', 'commit'] as const)
      expect(await sends(link, { ...asks(identity, next, id, forging(next)), what })).toBe(code);
    expect(await keys.roster()).toEqual(before);
    expect([await refused(identity), await refused(next)]).toEqual([undefined, 'unknown_caller']);
    expect(await sends(link, asks(identity, next, id))).toBe('accepted');
  });

  it('is refused from another minion, which sends what the old one has signed; from that one it is accepted', async () => {
    const { link, id, identity } = await anAcceptedKey();
    const asked = asks(identity, newIdentity(), id);
    const before = await keys.roster();
    expect(await sends(world.web2.link, asked)).toBe('bad_signature');
    expect(await sends(await world.cluster.newcomer(newIdentity()), asked)).toBe('bad_signature');
    expect(await keys.roster()).toEqual(before);
    expect(await sends(link, asked)).toBe('accepted');
  });

  it('is refused from whoever is no accepted minion; from one who is, it is accepted', async () => {
    const { link, pair } = await keys.aPendingKey('waits.example.com');
    const account = world.cluster.account;
    const asked = () => asks(link.identity, newIdentity(), pair.id);
    expect(await sends(link, asked())).toBe('unknown_caller');
    expect(await sends(keys.account, asks(account, newIdentity(), pair.id))).toBe('unknown_caller');
    await keys.admin(keys.account, 'key.reject', [pair]);
    expect(await sends(link, asked())).toBe('unknown_caller');
    await keys.admin(keys.account, 'key.accept', [pair]);
    expect(await sends(link, asked())).toBe('accepted');
  });

  it('is refused when its key is known: its own, another minion’s, one that was taken away; a fresh one is accepted', async () => {
    const { link, id, identity } = await anAcceptedKey();
    const other = await anAcceptedKey();
    const before = await keys.roster();
    expect(await sends(link, asks(identity, identity, id))).toBe('key_state');
    expect(await sends(link, asks(identity, other.identity, id))).toBe('key_state');
    expect(await keys.roster()).toEqual(before);
    await keys.admin(keys.account, 'key.delete', [other.pair]);
    expect(await sends(link, asks(identity, other.identity, id))).toBe('key_state');
    expect(await sends(link, asks(identity, newIdentity(), id))).toBe('accepted');
  });

  it('that was taken away is not brought back by a replay, nor is the one before it, though a file names that', async () => {
    const { link, pair } = await keys.anExpectedKey('rolled.example.com');
    const { identity } = link;
    expect(await keys.joins(link, pair.id)).toBe('accepted');
    const next = newIdentity();
    const asked = asks(identity, next, pair.id);
    expect(await sends(link, asked)).toBe('accepted');
    expect(await keys.joins(link, pair.id)).toBe('denied');
    expect(await keys.admin(keys.account, 'key.delete', [pairOf(pair.id, next)])).toEqual([pair.id]);
    expect(await sends(link, asked)).toBe('unknown_caller');
    expect(await keys.joins(link, pair.id)).toBe('denied');
    expect(await keys.admin(keys.account, 'key.accept', [pair])).toBe('key_mismatch');
    expect([await refused(identity), await refused(next)]).toEqual(['unknown_caller', 'unknown_caller']);
  });

  it('too often in a short time is told to slow down; another minion is not', async () => {
    const { link, id, identity } = await anAcceptedKey();
    const asked = asks(identity, newIdentity(), id);
    const codes = await Promise.all(Array.from({ length: 80 }, () => sends(link, { ...asked, what: 'prepare' })));
    expect(new Set(codes)).toEqual(new Set(['prepared', 'slow_down']));
    const other = await anAcceptedKey();
    expect(await sends(other.link, asks(other.identity, newIdentity(), other.id))).toBe('accepted');
  });
});

describe('an agent', () => {
  const keyPath = ({ config }: TestMinion) => join(config.pki_dir, 'minion.key');
  const keyOnDisk = (minion: TestMinion) => readIdentity(keyPath(minion))?.publicKey;
  const nextOnDisk = (minion: TestMinion) => readIdentity(`${keyPath(minion)}.next`);

  /** What the disk holds when the agent dies before the change is decided. */
  function begun(minion: TestMinion): Identity {
    const secret = newIdentitySecret();
    writeKeyFile(`${keyPath(minion)}.next`, secret);
    return identityFrom(secret);
  }

  /** Its agent has gone over to this identity. */
  async function isNow(minion: TestMinion, identity: Identity): Promise<void> {
    await until('it has gone over', () => minion.fp === fp(identity.publicKey));
    await world.gateway.settled(minion.link);
  }

  async function runsJobs(minion: TestMinion): Promise<void> {
    const mark = world.mark();
    const request = world.marking(mark, { tgt: minion.id });
    expect(await world.gateway.runs(world.signed(request, world.web2), minion)).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(1);
  }

  it('changes on demand: it runs jobs under the new identity; a job for the old one that was on its way runs once', async () => {
    const minion = await world.anotherMinion();
    const [old, mark] = [minion.party, world.mark()];
    const before = minion.key;
    const asked = world.signed(world.marking(mark, { tgt: minion.id }), world.web2);
    const order = await world.gateway.granted(asked);
    const late = world.gateway.sealJob(minion, order);
    const [oldSubject, socket] = [minion.fp, await AgentSocket.open(join(minion.config.sock_dir, 'minion.sock'))];
    const { ret } = await socket.call('saltutil.regen_keys');
    socket.close();
    expect(ret).toBe(fingerprint(minion.key));
    expect(minion.key).not.toEqual(before);
    expect(old.owner.key).toEqual(before);
    expect(keyOnDisk(minion)).toEqual(minion.key);
    expect(nextOnDisk(minion)).toBeUndefined();
    await runsJobs(minion);
    const { transport, subjects } = world.gateway.link;
    transport.publish(subjects.job(oldSubject), late);
    const returned = await world.gateway.unasked.next(({ digest }) => toHex(digest) === digestOf(asked.request));
    expect(returned.status).toBe('done');
    expect(mark.count()).toBe(1);
  });

  it('that died before the change was decided lives as the old one and finishes it', async () => {
    const minion = await world.anotherMinion();
    let next = newIdentity();
    await minion.restart(() => {
      next = begun(minion);
    });
    await isNow(minion, next);
    expect(keyOnDisk(minion)).toEqual(next.publicKey);
    expect(nextOnDisk(minion)).toBeUndefined();
    await runsJobs(minion);
  });

  it('that died after the change was decided, and before it heard so, starts as the new one', async () => {
    const minion = await world.anotherMinion();
    const next = begun(minion);
    expect(await sends(minion.link, asks(minion.link.identity, next, minion.id))).toBe('accepted');
    await minion.restart();
    expect(minion.key).toEqual(next.publicKey);
    expect(keyOnDisk(minion)).toEqual(next.publicKey);
    await runsJobs(minion);
  });

  it('whose new identity is refused stays who it was', async () => {
    const minion = await world.anotherMinion();
    const [before, secret] = [minion.key, newIdentitySecret()];
    expect(await keys.joins(await world.cluster.newcomer(identityFrom(secret)), minion.id)).toBe('denied');
    await minion.restart(() => {
      writeKeyFile(`${keyPath(minion)}.next`, secret);
    });
    await until('the next one is dropped', () => nextOnDisk(minion) === undefined);
    expect(minion.key).toEqual(before);
    expect(keyOnDisk(minion)).toEqual(before);
    await runsJobs(minion);
  });

  it('whose old identity was taken away before the change was decided is not let in by it', async () => {
    const minion = await world.anotherMinion();
    const { identity } = minion.link;
    await minion.stop();
    const next = begun(minion);
    await keys.admin(keys.account, 'key.reject', [pairOf(minion.id, identity)]);
    const started = minion.start();
    await until('the next one is dropped', () => nextOnDisk(minion) === undefined);
    expect(await refused(next)).toBe('unknown_caller');
    await keys.admin(keys.account, 'key.accept', [pairOf(minion.id, identity)]);
    await started;
    expect(minion.key).toEqual(identity.publicKey);
    await runsJobs(minion);
  });
});
