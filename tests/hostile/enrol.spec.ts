/**
 * A hostile gateway enrols keys: by a roster record in the store it can write to, by a request about keys, by joining. Only
 * the acl-service's signature makes a record, and only an account's signature makes the acl-service sign.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Link } from '@natrium/client';
import {
  encode,
  encodeRequest,
  fingerprint,
  fp,
  type RosterRecord,
  type Signed,
  type SigningKey,
  signRoster,
  randomBytes,
  toHex,
  type Wire,
} from '@natrium/envelope';
import { Arrivals, aRequest, type Asked, signedBy } from '@natrium/testing';
import { contracts, records, writeAs } from '@natrium/wire';
import { Enrolling, newIdentity } from './enrolling.js';
import { refusalOf, World } from './world.js';

let world: World;
let keys: Enrolling;
let account: Link;
/** `autosign_grains_dir`. */
const grains = mkdtempSync(join(tmpdir(), 'nt-grains-'));

beforeAll(async () => {
  writeFileSync(join(grains, 'serial'), 'sn-7\n');
  world = await World.start(`autosign_grains_dir: ${grains}\n`);
  keys = await Enrolling.in(world);
  ({ account } = keys);
});
afterAll(async () => {
  await world.stop();
  rmSync(grains, { recursive: true });
});

describe('a roster record in the store', () => {
  /** Writes what a record says, and resolves when the acl-service tells the one that it concerns. */
  async function writes(signed: Signed, { own }: Link): Promise<{ told(): Promise<null> }> {
    const { transport } = world.gateway.link;
    const reply = `_INBOX_ENROL.${fp(randomBytes(32))}`;
    const told = new Arrivals<null>('the acl-service’s word on a record');
    transport.subscribe(reply, () => {
      told.push(null);
    });
    const store = await world.gateway.link.store('roster', 'roster');
    const entry = { record: signed, reply, question: randomBytes(16), announcement: own.announced };
    await store.put(`k.${fp(own.owner.key)}`, encode(writeAs(records.RosterEntry, entry) as Wire));
    return { told: () => told.next() };
  }

  function recordOf({ identity }: Link, name: string, fields: Partial<RosterRecord> = {}): RosterRecord {
    const { publicKey, nkeyPublic } = identity;
    return { kind: 'minion', name, identity: publicKey, nkey: nkeyPublic, state: 'accepted', revision: 1, ...fields };
  }

  function signedWith(key: SigningKey, record: RosterRecord): Signed {
    return signRoster(key, world.acl.cluster, record);
  }

  const forgers: readonly (readonly [string, (record: RosterRecord) => Signed])[] = [
    ['the gateway', (record) => signedWith(world.cluster.keys.roleKey('gateway'), record)],
    ['the key itself', (record) => signedWith(world.web1.link.identity.signing, record)],
    ['nobody', (record) => ({ ...signedWith(world.acl.key, record), signature: new Uint8Array(64) })],
    ['the acl-service of another cluster', (record) => signRoster(world.acl.key, randomBytes(32), record)],
  ];

  it.each(forgers)(
    'that is signed by %s lets nobody in; signed by the acl-service it does, and that key’s request runs',
    async (who, forge) => {
      const [rogue, twin] = [await world.cluster.newcomer(newIdentity()), await world.cluster.newcomer(newIdentity())];
      const before = await keys.roster();
      const name = `rogue-${String(forgers.findIndex(([one]) => one === who))}.example.com`;
      await writes(forge(recordOf(rogue, name)), rogue);
      const { told } = await writes(signedWith(world.acl.key, recordOf(twin, `twin-${name}`)), twin);
      await told(); // and what was written before it has been looked at
      const mark = world.mark();
      const request = world.marking(mark);
      const refused = signedBy(rogue.identity.signing, world.acl.cluster, request);
      expect(await refusalOf(world, refused)).toBe('unknown_caller');
      expect(mark.count()).toBe(0);
      const asked = signedBy(twin.identity.signing, world.acl.cluster, request);
      expect(await world.gateway.runs(asked, world.web1)).toMatchObject({ heard: 'done' });
      expect(mark.count()).toBe(1);
      const { publicKey } = twin.identity;
      const added = {
        id: `twin-${name}`,
        fingerprint: fingerprint(publicKey),
        state: 'accepted',
        publicKey: toHex(publicKey),
      };
      expect(await keys.roster()).toEqual([...(before as unknown[]), added]);
    },
  );

  it('that the gateway signed shuts nobody out; signed by the acl-service it does', async () => {
    const minion = await world.anotherMinion();
    const asked = (): Asked => world.signed(world.marking(world.mark()), minion);
    const out = recordOf(minion.link, minion.id, { state: 'rejected', revision: 50 });
    await writes(signedWith(world.cluster.keys.roleKey('gateway'), out), minion.link);
    const other = await world.cluster.newcomer(newIdentity());
    const fence = await writes(signedWith(world.acl.key, recordOf(other, 'fence-1.example.com')), other);
    await fence.told();
    expect(await refusalOf(world, asked())).toBeUndefined();
    const { told } = await writes(signedWith(world.acl.key, out), minion.link);
    await told();
    expect(await refusalOf(world, asked())).toBe('unknown_caller');
  });

  it('that is an old one put back brings nobody back; a newer one does', async () => {
    const { link, pair } = await keys.aPendingKey('back.example.com');
    const asked = (): Asked => signedBy(link.identity.signing, world.acl.cluster, world.marking(world.mark()));
    expect(await keys.admin(account, 'key.accept', [pair])).toEqual([pair.id]);
    const old = signedWith(world.acl.key, recordOf(link, pair.id, { revision: 2 }));
    expect(await refusalOf(world, asked())).toBeUndefined();
    expect(await keys.admin(account, 'key.delete', [pair])).toEqual([pair.id]);
    await writes(old, link);
    const other = await world.cluster.newcomer(newIdentity());
    const fence = await writes(signedWith(world.acl.key, recordOf(other, 'fence-2.example.com')), other);
    await fence.told();
    expect(await refusalOf(world, asked())).toBe('unknown_caller');
    const { told } = await writes(signedWith(world.acl.key, recordOf(link, pair.id, { revision: 9 })), link);
    await told();
    expect(await refusalOf(world, asked())).toBeUndefined();
  });

  it('that is none at all does not make the acl-service deaf to the next one', async () => {
    const store = await world.gateway.link.store('roster', 'roster');
    await store.put(`k.${fp(randomBytes(32))}`, encode(['not', 'a', 'record']));
    await store.put(`k.${fp(randomBytes(32))}`, Uint8Array.of(0xc1));
    const link = await world.cluster.newcomer(newIdentity());
    const { told } = await writes(signedWith(world.acl.key, recordOf(link, 'next.example.com')), link);
    await told();
    const asked = signedBy(link.identity.signing, world.acl.cluster, world.marking(world.mark()));
    expect(await refusalOf(world, asked)).toBeUndefined();
  });

  it('that was written over with another’s signature can still be revoked by an account', async () => {
    const { link, pair } = await keys.aPendingKey('stolen.example.com');
    expect(await keys.admin(account, 'key.accept', [pair])).toEqual([pair.id]);
    const forged = recordOf(link, pair.id, { revision: 3 });
    await writes(signedWith(world.cluster.keys.roleKey('gateway'), forged), link);
    const other = await world.cluster.newcomer(newIdentity());
    const fence = await writes(signedWith(world.acl.key, recordOf(other, 'fence-3.example.com')), other);
    await fence.told();
    expect(await keys.admin(account, 'key.delete', [pair])).toEqual([pair.id]);
    const asked = signedBy(link.identity.signing, world.acl.cluster, world.marking(world.mark()));
    expect(await refusalOf(world, asked)).toBe('unknown_caller');
  });
});

describe('a request about keys', () => {
  it('is refused from the gateway itself; from an account it is carried out', async () => {
    const { pair } = await keys.aPendingKey('wanted-1.example.com');
    const before = await keys.roster();
    const request = encodeRequest(aRequest(world.now, { what: 'key', funs: ['key.accept'], args: [[pair]], tgt: '' }));
    const signature = account.identity.signing.sign('request', world.acl.cluster, request);
    const [acl] = account.services('acl');
    if (acl === undefined) throw new Error('no acl-service is known');
    const bytes = world.gateway.seal(contracts.admin, { request, signature }, acl);
    const answer = new Arrivals<Uint8Array>('the acl-service’s outward answer');
    const { transport } = world.gateway.link;
    transport.subscribe('_INBOX_GATE.1', ({ payload }) => {
      answer.push(payload);
    });
    transport.publish(account.subjects.usrAcl(account.own.fp, 'admin'), bytes, '_INBOX_GATE.1');
    expect(await answer.next()).toHaveLength(0);
    expect(await world.cluster.aclLog.turnedAway.next()).toBe('kind');
    expect(await keys.roster()).toEqual(before);
    expect(await keys.admin(account, 'key.accept', [pair])).toEqual([pair.id]);
  });

  it.each([
    ['with the gateway’s signature', (): SigningKey => world.cluster.keys.roleKey('gateway'), 'bad_signature'],
    ['with nobody’s signature', (): 'nobody' => 'nobody', 'bad_signature'],
    ['with a minion’s signature', (): SigningKey => world.web1.link.identity.signing, 'bad_signature'],
  ] as const)('is refused %s; with the account’s own it is carried out', async (how, signer, code) => {
    const { pair, link } = await keys.aPendingKey(`wanted-${String(how.length)}.example.com`);
    const asked = (): Asked => signedBy(link.identity.signing, world.acl.cluster, world.marking(world.mark()));
    const before = await keys.roster();
    expect(await keys.admin(account, 'key.accept', [pair], signer())).toBe(code);
    expect(await keys.roster()).toEqual(before);
    expect(await refusalOf(world, asked())).toBe('unknown_caller');
    expect(await keys.admin(account, 'key.accept', [pair])).toEqual([pair.id]);
    expect(await refusalOf(world, asked())).toBeUndefined();
  });

  it('is refused from an identity that the gateway made up, whoever signed; from an account it is carried out', async () => {
    const { pair } = await keys.aPendingKey('wanted-2.example.com');
    const before = await keys.roster();
    const stranger = await world.cluster.newcomer(newIdentity());
    expect(await keys.admin(stranger, 'key.accept', [pair])).toBe('unknown_caller');
    expect(await keys.admin(stranger, 'key.accept', [pair], world.cluster.keys.roleKey('gateway'))).toBe(
      'unknown_caller',
    );
    expect(await keys.admin(stranger, 'key.accept', [pair], account.identity.signing)).toBe('unknown_caller');
    expect(await keys.roster()).toEqual(before);
    expect(await keys.admin(account, 'key.accept', [pair])).toEqual([pair.id]);
  });

  it('is refused from a minion, which is no account; from an account it is carried out', async () => {
    const { pair } = await keys.aPendingKey('wanted-3.example.com');
    const before = await keys.roster();
    expect(await keys.admin(world.web1.link, 'key.accept', [pair])).toBe('not_permitted');
    expect(await keys.roster()).toEqual(before);
    expect(await keys.admin(account, 'key.accept', [pair])).toEqual([pair.id]);
  });

  it('is refused for another key than the one that was looked at; for that one it is carried out', async () => {
    const { pair } = await keys.aPendingKey('wanted-4.example.com');
    const before = await keys.roster();
    const other = { ...pair, fingerprint: fingerprint(randomBytes(32)) };
    expect(await keys.admin(account, 'key.accept', [other])).toBe('key_mismatch');
    expect(await keys.roster()).toEqual(before);
    expect(await keys.admin(account, 'key.accept', [pair])).toEqual([pair.id]);
  });
});

describe('a key that is named beforehand', () => {
  it('is refused from a minion and from a stranger; from an account it lets in that key alone', async () => {
    const [wanted, rogue] = [await world.cluster.newcomer(newIdentity()), await world.cluster.newcomer(newIdentity())];
    const id = 'beforehand.example.com';
    const { publicKey, nkeyPublic } = wanted.identity;
    const card = { id, identity: toHex(publicKey), nkey: toHex(nkeyPublic) };
    const before = await keys.roster();
    expect(await keys.admin(world.web1.link, 'key.enrol', [card])).toBe('not_permitted');
    expect(await keys.admin(rogue, 'key.enrol', [card])).toBe('unknown_caller');
    expect(await keys.admin(account, 'key.enrol', [card], 'nobody')).toBe('bad_signature');
    expect(await keys.roster()).toEqual(before);
    expect(await keys.admin(account, 'key.enrol', [card])).toEqual([id]);
    expect(await keys.joins(rogue, id)).toBe('denied');
    expect(await keys.joins(wanted, id)).toBe('accepted');
  });

  it('in a file lets it in until the key is taken away; then it waits, however often it asks, until it is accepted', async () => {
    const { link, pair } = await keys.anExpectedKey('expected.example.com');
    expect(await keys.joins(link, pair.id)).toBe('accepted');
    expect(await keys.admin(account, 'key.delete', [pair])).toEqual([pair.id]);
    for (let times = 0; times < 3; times += 1) expect(await keys.joins(link, pair.id)).toBe('pending');
    const asked = signedBy(link.identity.signing, world.acl.cluster, world.marking(world.mark()));
    expect(await refusalOf(world, asked)).toBe('unknown_caller');
    expect(await keys.admin(account, 'key.accept', [pair])).toEqual([pair.id]);
    expect(await keys.joins(link, pair.id)).toBe('accepted');
  });
});

describe('many newcomers', () => {
  it('are told that it is full; who is accepted already is answered', async () => {
    const crowded = await World.start('request_rate: 1\nrequest_burst: 8\n');
    try {
      const own = await Enrolling.in(crowded);
      const stranger = await crowded.cluster.newcomer(newIdentity());
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, at) => own.joins(stranger, `crowd-${String(at)}.example.com`)),
      );
      expect(answers).toContain('full');
      expect(await own.joins(crowded.web1.link, crowded.web1.id)).toBe('accepted');
    } finally {
      await crowded.stop();
    }
  });
});

describe('joining', () => {
  it('under the id of another is denied, and leaves that one alone; under a free id it waits', async () => {
    const rogue = await world.cluster.newcomer(newIdentity());
    expect(await keys.joins(rogue, world.web1.id)).toBe('denied');
    const mark = world.mark();
    const asked = signedBy(rogue.identity.signing, world.acl.cluster, world.marking(mark));
    expect(await refusalOf(world, asked)).toBe('unknown_caller');
    expect(await world.gateway.runs(world.signed(world.marking(mark)), world.web1)).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(1);
    const free = await world.cluster.newcomer(newIdentity());
    expect(await keys.joins(free, 'free.example.com')).toBe('pending');
  });

  it('with a grain that lets it in is believed of the joiner itself; of another that hands its request in, it is not', async () => {
    const host = await world.cluster.newcomer(newIdentity());
    const before = await keys.roster();
    const fits = { serial: 'sn-7' };
    for (const other of [await world.cluster.newcomer(newIdentity()), world.web1.link])
      expect(await keys.joins(host, 'grain.example.com', fits, other)).toBe('pending');
    expect(await keys.joins(host, 'grain.example.com', { serial: 'sn-8' })).toBe('pending');
    const { publicKey } = host.identity;
    const waits = { id: 'grain.example.com', fingerprint: fingerprint(publicKey), state: 'pending' };
    expect(await keys.roster()).toEqual([...(before as unknown[]), { ...waits, publicKey: toHex(publicKey) }]);
    expect(await keys.joins(host, 'grain.example.com', fits)).toBe('accepted');
  });
});
