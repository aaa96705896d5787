import { announce, type Announcement, type AnnouncementProblem, ownerName, readAnnouncement } from './announcement.js';
import { encode, type Wire } from './encoding.js';
import { epochKeyFrom } from './epoch.js';
import { clusterOf, keyId } from './keys.js';
import { CLUSTER, identityOf, NOW, rootOf, seedOf, SKEW } from './parties.spec-support.js';
import { type Signed, signed } from './signing.js';
import { sodiumReady } from './sodium.js';

await sodiumReady();

const web1 = identityOf('web1');
const web2 = identityOf('web2');
const gateway = identityOf('gateway role');
const epochKey = epochKeyFrom(seedOf('epoch'), 0, 1).publicKey;
const owner = { type: 'identity', key: web1.publicKey } as const;
const service = { type: 'role', role: 'gateway', instance: 'g1', key: gateway.publicKey } as const;
const jobs: Announcement = { owner, use: 'jobs', epochKey, notBefore: NOW, notAfter: NOW + 1000, rolesSerial: 3 };

const by = (key: typeof web1, change: Partial<Announcement> = {}): Signed =>
  announce(key.signing, CLUSTER(), { ...jobs, ...change });

function problemOf(announced: Signed, now = NOW, gatewayKeys = [gateway.publicKey]): AnnouncementProblem | undefined {
  const read = readAnnouncement(announced, CLUSTER(), now, (role) => (role === 'gateway' ? gatewayKeys : []), SKEW);
  return read.ok ? undefined : read.error;
}

describe('an announcement', () => {
  it('tells the party and its key id; of a service also the bytes that prove it, to be passed on', () => {
    const announced = by(web1);
    const read = readAnnouncement(announced, CLUSTER(), NOW, () => [], SKEW);
    expect(read).toEqual({ ok: true, value: { ...jobs, keyId: keyId(web1.publicKey, epochKey) } });
    const ofService = by(gateway, { owner: service, use: 'service' });
    const passedOn = readAnnouncement(ofService, CLUSTER(), NOW, () => [gateway.publicKey], SKEW);
    expect(passedOn).toMatchObject({ ok: true, value: { owner: service, announced: ofService } });
  });

  it('leaves the keys of one for jobs in a buffer with others, as they are kept for an epoch, and those of a session by themselves', () => {
    const buffers = (use: 'jobs' | 'session') =>
      [web1, web2].map((key) => {
        const announced = by(key, { use, owner: { type: 'identity', key: key.publicKey } });
        const read = readAnnouncement(announced, CLUSTER(), NOW, () => [], SKEW);
        return read.ok ? read.value.epochKey.buffer : undefined;
      });
    const [one, two] = [new Set([1, 2, 3].flatMap(() => buffers('jobs'))), new Set(buffers('session'))];
    expect(one.size).toBeLessThan(4); // six parties
    expect([...two].map((buffer) => buffer?.byteLength)).toEqual([96, 96]);
  });

  it.each(['jobs', 'session'] as const)('of an identity may be for %s', (use) => {
    expect(problemOf(by(web1, { use }))).toBeUndefined();
  });

  it('of an identity is worth nothing when another key signed it', () => {
    expect(problemOf(by(web2))).toBe('signature');
  });

  it('is worth nothing in another cluster', () => {
    expect(problemOf(announce(web1.signing, clusterOf(rootOf('other').publicKey), jobs))).toBe('signature');
  });

  it('of a role counts only under a key that the roles document names for this role', () => {
    const announced = by(gateway, { owner: service, use: 'service' });
    expect(problemOf(announced)).toBeUndefined();
    expect(problemOf(announced, NOW, [web2.publicKey, gateway.publicKey])).toBeUndefined();
    expect(problemOf(announced, NOW, [web2.publicKey])).toBe('role_key');
    expect(problemOf(by(gateway, { owner: { ...service, role: 'acl' }, use: 'service' }))).toBe('role_key');
  });

  it('of a role needs the signature of that very key', () => {
    expect(problemOf(by(web1, { owner: service, use: 'service' }))).toBe('signature');
  });

  it("of another's epoch key makes another key id: nothing sealed to its owner is for the thief", () => {
    const stolen = readAnnouncement(
      by(web2, { owner: { type: 'identity', key: web2.publicKey } }),
      CLUSTER(),
      NOW,
      () => [],
      SKEW,
    );
    expect(stolen.ok && stolen.value.keyId).not.toEqual(keyId(web1.publicKey, epochKey));
  });

  it('of an epoch key of low order is refused', () => {
    expect(problemOf(by(web1, { epochKey: new Uint8Array(32) }))).toBe('epoch_key');
  });

  it('holds until its end and not a millisecond longer', () => {
    expect(problemOf(by(web1), NOW + 1000)).toBeUndefined();
    expect(problemOf(by(web1), NOW + 1001)).toBe('expired');
  });

  it('from the future is refused beyond the skew', () => {
    expect(problemOf(by(web1), NOW - SKEW)).toBeUndefined();
    expect(problemOf(by(web1), NOW - SKEW - 1)).toBe('future');
  });

  it.each<[string, Partial<Announcement>]>([
    ['an identity with a service', { use: 'service' }],
    ['a role with jobs', { owner: service }],
    ['an end before its beginning', { notAfter: NOW }],
    ['a short epoch key', { epochKey: epochKey.subarray(1) }],
    ['an instance without a name', { owner: { ...service, instance: '' }, use: 'service' }],
    ['an instance with a long name', { owner: { ...service, instance: 'x'.repeat(65) }, use: 'service' }],
  ])('of %s is not made', (_name, change) => {
    expect(() => by(gateway, change)).toThrow(RangeError);
  });

  it.each<[string, Wire]>([
    ['of an identity with a service', [web1.publicKey, 'service', epochKey, NOW, NOW + 1, 3]],
    ['of a role with jobs', [['gateway', 'g1', web1.publicKey], 'jobs', epochKey, NOW, NOW + 1, 3]],
    ['of no known role', [['king', 'g1', web1.publicKey], 'service', epochKey, NOW, NOW + 1, 3]],
    ['with an unknown use', [web1.publicKey, 'all', epochKey, NOW, NOW + 1, 3]],
    ['with a part too many', [web1.publicKey, 'jobs', epochKey, NOW, NOW + 1, 3, null]],
    ['with a broken serial', [web1.publicKey, 'jobs', epochKey, NOW, NOW + 1, 0.5]],
    ['that is no list', 'jobs'],
  ])('%s is not read, though rightly signed', (_name, wire) => {
    expect(problemOf(signed(web1.signing, 'announce', CLUSTER(), encode(wire)))).toBe('shape');
  });

  it('keeps its own copy of the bytes, so a reused buffer cannot change it', () => {
    const announced = by(gateway, { owner: service, use: 'service' });
    const read = readAnnouncement(announced, CLUSTER(), NOW, () => [gateway.publicKey], SKEW);
    announced.bytes.fill(0);
    const kept = read.ok ? read.value.announced : undefined;
    expect(kept !== undefined && problemOf(kept)).toBeUndefined();
  });
});

describe('the name of an owner', () => {
  it('is equal for one identity or instance, and different for others', () => {
    const owners = [owner, { ...owner, key: web2.publicKey }, service, { ...service, instance: 'g2' }];
    expect(new Set(owners.map(ownerName)).size).toBe(4);
    expect(ownerName({ ...service, key: web1.publicKey })).toBe(ownerName(service));
  });
});
