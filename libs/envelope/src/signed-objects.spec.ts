/** Roster records, time, a minion's data, joining: each signed object with the twin that is refused. */
import { ok } from '@natrium/model';
import type { KnownParty } from './announcement.js';
import { readData, signData } from './data.js';
import { encode } from './encoding.js';
import { type JoinRequest, readJoin, signJoin } from './join.js';
import { clusterOf } from './keys.js';
import { aMinion, CLUSTER, identityOf, NOW, rootOf, seedOf, SKEW } from './parties.spec-support.js';
import { readRoster, type RosterRecord, signRoster } from './roster.js';
import { signed } from './signing.js';
import { sodiumReady } from './sodium.js';
import { readTime, signTime } from './time.js';

await sodiumReady();

const acl = identityOf('acl role');
const newAcl = identityOf('new acl role');
const web1 = identityOf('web1');
const other = clusterOf(rootOf('other').publicKey);
const refused = (error: string): unknown => ({ ok: false, error });

describe('a roster record', () => {
  const record: RosterRecord = {
    kind: 'minion',
    name: 'web1',
    identity: web1.publicKey,
    nkey: web1.nkeyPublic,
    state: 'accepted',
    revision: 5,
  };
  const object = signRoster(acl.signing, CLUSTER(), record);

  it('is read under any of the acl keys', () => {
    expect(readRoster(object, CLUSTER(), [newAcl.publicKey, acl.publicKey])).toEqual({ ok: true, value: record });
  });

  it('of another key or cluster is refused', () => {
    expect(readRoster(object, CLUSTER(), [newAcl.publicKey])).toEqual(refused('signature'));
    expect(readRoster(object, CLUSTER(), [])).toEqual(refused('signature'));
    expect(readRoster(object, other, [acl.publicKey])).toEqual(refused('signature'));
  });

  it.each<[string, Parameters<typeof encode>[0]]>([
    ['kind', ['runner', 'web1', web1.publicKey, web1.nkeyPublic, 'accepted', 5]],
    ['name', ['minion', '', web1.publicKey, web1.nkeyPublic, 'accepted', 5]],
    ['identity', ['minion', 'web1', seedOf('x').subarray(1), web1.nkeyPublic, 'accepted', 5]],
    ['state', ['minion', 'web1', web1.publicKey, web1.nkeyPublic, 'loved', 5]],
    ['revision', ['minion', 'web1', web1.publicKey, web1.nkeyPublic, 'accepted', 0]],
  ])('with a %s that does not fit is refused', (_name, wire) => {
    expect(readRoster(signed(acl.signing, 'roster', CLUSTER(), encode(wire)), CLUSTER(), [acl.publicKey])).toEqual(
      refused('shape'),
    );
  });

  it('that does not fit is not signed', () => {
    expect(() => signRoster(acl.signing, CLUSTER(), { ...record, name: 'x'.repeat(256) })).toThrow(RangeError);
  });
});

describe('the time', () => {
  const nonce = seedOf('nonce');
  const object = signTime(acl.signing, CLUSTER(), nonce, NOW);

  it('is what the acl role signed over my nonce', () => {
    expect(readTime(object, CLUSTER(), [acl.publicKey], nonce)).toEqual({ ok: true, value: NOW });
  });

  it('over another nonce is an old answer', () => {
    expect(readTime(object, CLUSTER(), [acl.publicKey], seedOf('nonce 2'))).toEqual(refused('nonce'));
  });

  it('of another key or cluster is refused', () => {
    expect(readTime(object, CLUSTER(), [newAcl.publicKey], nonce)).toEqual(refused('signature'));
    expect(readTime(object, other, [acl.publicKey], nonce)).toEqual(refused('signature'));
  });

  it('over a nonce that is too short to be one is refused', () => {
    const short = nonce.subarray(0, 15);
    expect(readTime(signTime(acl.signing, CLUSTER(), short, NOW), CLUSTER(), [acl.publicKey], short)).toEqual(
      refused('shape'),
    );
  });
});

describe("a minion's data", () => {
  const object = signData(web1.signing, CLUSTER(), { number: 7, grains: { os: 'Debian' } });

  it('is read under its identity', () => {
    expect(readData(object, CLUSTER(), web1.publicKey, 7)).toEqual({
      ok: true,
      value: { number: 7, grains: { os: 'Debian' } },
    });
  });

  it('of another identity or cluster is refused', () => {
    expect(readData(object, CLUSTER(), identityOf('web2').publicKey, 0)).toEqual(refused('signature'));
    expect(readData(object, other, web1.publicKey, 0)).toEqual(refused('signature'));
  });

  it('with a lower number is an old document put back', () => {
    expect(readData(object, CLUSTER(), web1.publicKey, 8)).toEqual(refused('number'));
  });

  it('with another shape is refused', () => {
    const wrong = signed(web1.signing, 'data', CLUSTER(), encode([7, {}, {}]));
    expect(readData(wrong, CLUSTER(), web1.publicKey, 0)).toEqual(refused('shape'));
  });
});

describe('a join request', () => {
  const minion = aMinion('web1');
  const check = { now: NOW, skewMs: SKEW, maxAgeMs: 60_000 };
  const join: JoinRequest = {
    id: 'web1',
    identity: web1.publicKey,
    nkey: web1.nkeyPublic,
    announcement: minion.announced(),
    issued: NOW,
    nonce: seedOf('nonce'),
  };
  const read = (change: Partial<JoinRequest>, key = web1, at = NOW): unknown =>
    readJoin(signJoin(key.signing, CLUSTER(), { ...join, ...change }), CLUSTER(), { ...check, now: at });

  it('tells id, keys and the party to answer to', () => {
    expect(read({})).toEqual({ ok: true, value: { ...join, party: minion.known() } });
  });

  it('is signed by the identity that it names', () => {
    expect(read({}, identityOf('web2'))).toEqual(refused('signature'));
    expect(readJoin(signJoin(web1.signing, other, join), CLUSTER(), check)).toEqual(refused('signature'));
  });

  it("with another's announcement is refused, and so is one that is expired", () => {
    expect(read({ announcement: aMinion('web2').announced() })).toEqual(refused('announcement'));
    expect(read({}, web1, minion.keyring.current.notAfter + 1)).toEqual(refused('announcement'));
  });

  it('is an identity’s, whoever reads its announcement', () => {
    const known = minion.known();
    const readsAs = (party: KnownParty) =>
      readJoin(signJoin(web1.signing, CLUSTER(), join), CLUSTER(), { ...check, readAnnouncement: () => ok(party) });
    expect(readsAs(known)).toMatchObject({ ok: true });
    const role = { type: 'role', role: 'gateway', instance: 'g1', key: web1.publicKey } as const;
    expect(readsAs({ ...known, owner: role })).toEqual(refused('announcement'));
    expect(readsAs(aMinion('web2').known())).toEqual(refused('announcement'));
  });

  it('is fresh for as long as is said, and not from the future', () => {
    expect(read({}, web1, NOW + 60_000)).toMatchObject({ ok: true });
    expect(read({}, web1, NOW + 60_001)).toEqual(refused('expired'));
    expect(read({ issued: NOW + SKEW })).toMatchObject({ ok: true });
    expect(read({ issued: NOW + SKEW + 1 })).toEqual(refused('future'));
  });

  it('with another shape is refused, and not made', () => {
    const wrong = signed(web1.signing, 'join', CLUSTER(), encode(['web1', web1.publicKey]));
    expect(readJoin(wrong, CLUSTER(), check)).toEqual(refused('shape'));
    expect(() => read({ nonce: new Uint8Array(15) })).toThrow(RangeError);
  });
});
