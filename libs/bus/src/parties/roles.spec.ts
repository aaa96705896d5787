/** Rules of taking over a newer roles document while a process runs. */
import {
  announce,
  clusterOf,
  EpochKeyring,
  type Owner,
  type RolesDocument,
  type Signed,
  SigningKey,
  signRoles,
  sodiumReady,
} from '@natrium/envelope';
import { Roles, rolesEnded } from './roles.js';

const NOW = 1_795_000_000_000;
let root: SigningKey;
let gateway: SigningKey;

beforeAll(sodiumReady);
beforeEach(() => {
  root = SigningKey.generate();
  gateway = SigningKey.generate();
});

function document(serial: number, more: Partial<RolesDocument> = {}): RolesDocument {
  const roles = { gateway: [gateway.publicKey], acl: [], runner: [], reactor: [], sink: [] };
  return { serial, notAfter: NOW + 1000, roles, nextRoot: null, ...more };
}
const signedBy = (key: SigningKey, serial: number, more: Partial<RolesDocument> = {}): Signed =>
  signRoles(key, clusterOf(root.publicKey), document(serial, more));

function rolesOf(...documents: readonly Signed[]): Roles {
  return new Roles(clusterOf(root.publicKey), document(documents.length), [root.publicKey, documents]);
}

it('takes a newer one that continues the chain, tells, and forgets keys that are gone', () => {
  const first = signedBy(root, 1);
  const roles = rolesOf(first);
  const told: number[] = [];
  roles.onNewer(() => told.push(roles.document.serial));
  const owner = { type: 'role', role: 'gateway', instance: 'a', key: gateway.publicKey } as const;
  expect(roles.names(owner)).toBe(true);
  const without = { gateway: [], acl: [], runner: [], reactor: [], sink: [] };
  expect(roles.takeOver([root.publicKey, [first, signedBy(root, 2, { roles: without })]], NOW)).toBe(true);
  expect([roles.document.serial, told, roles.names(owner)]).toEqual([2, [2], false]);
});

it.each<readonly [string, (first: Signed, other: SigningKey) => readonly [Uint8Array, readonly Signed[]]]>([
  ['the same again', (first) => [root.publicKey, [first]]],
  ['one with the same serial', (first) => [root.publicKey, [first, signedBy(root, 1)]]],
  ['one that another root signed', (first, other) => [root.publicKey, [first, signedBy(other, 2)]]],
  ['one of another first root', (first, other) => [other.publicKey, [first, signedBy(root, 2)]]],
  ['one that has expired', (first) => [root.publicKey, [first, signedBy(root, 2, { notAfter: NOW - 1 })]]],
  ['another branch of the chain', () => [root.publicKey, [signedBy(root, 2)]]],
])('refuses %s, and tells nobody', (_what, chainOf) => {
  const first = signedBy(root, 1);
  const roles = rolesOf(first);
  roles.onNewer(() => {
    throw new Error('told');
  });
  const [firstRoot, documents] = chainOf(first, SigningKey.generate());
  expect(roles.takeOver([firstRoot, documents], NOW)).toBe(false);
  expect(roles.document.serial).toBe(1);
});

it('is told to have ended, and what to do, from its end on and not before; a newer one is taken over even then', () => {
  const first = signedBy(root, 1);
  const roles = rolesOf(first);
  const end = NOW + 1000;
  expect(rolesEnded(roles.document, end)).toBeUndefined();
  expect(rolesEnded(roles.document, end + 1)).toMatch(/^the roles document 1 ended at 2026-11-18T.*natriumctl roles renew$/);
  const late = { notAfter: end + 2000 };
  expect(roles.takeOver([root.publicKey, [first, signedBy(root, 2)]], end + 1)).toBe(false);
  expect(roles.takeOver([root.publicKey, [first, signedBy(root, 2, late)]], end + 1)).toBe(true);
  expect(rolesEnded(roles.document, end + 1)).toBeUndefined();
}); // prettier-ignore

it('takes nothing from a root that was replaced; from its successor it does', () => {
  const next = SigningKey.generate();
  const handed = [signedBy(root, 1), signedBy(root, 2, { nextRoot: next.publicKey })];
  const roles = rolesOf(...handed);
  expect(roles.takeOver([root.publicKey, [...handed.slice(0, 1), signedBy(root, 9)]], NOW)).toBe(false);
  expect(roles.takeOver([root.publicKey, [...handed, signedBy(root, 9)]], NOW)).toBe(false);
  // The bytes of the newest document again, in a branch without the one that handed over.
  const third = signedBy(next, 3);
  const later = rolesOf(...handed, third);
  expect(later.takeOver([root.publicKey, [signedBy(root, 1), signedBy(root, 3), signedBy(root, 9)]], NOW)).toBe(false);
  expect(later.takeOver([root.publicKey, [...handed, third, signedBy(next, 9)]], NOW)).toBe(true);
  expect(roles.takeOver([root.publicKey, [...handed, signedBy(next, 3)]], NOW)).toBe(true);
});

describe('an announcement', () => {
  const SKEW = 30_000;
  const announced = (key: SigningKey, owner: Owner, notAfter = NOW + 1000): Signed =>
    announce(key, clusterOf(root.publicKey), {
      owner,
      use: owner.type === 'role' ? 'service' : 'jobs',
      epochKey,
      notBefore: NOW,
      notAfter,
      rolesSerial: 1,
    });
  let minion: SigningKey;
  let owner: Owner;
  let epochKey: Uint8Array;
  beforeAll(() => {
    minion = SigningKey.generate();
    owner = { type: 'identity', key: minion.publicKey };
    epochKey = new EpochKeyring(minion.publicKey).rotate(NOW, 1000, 0).publicKey;
  });

  it('of an identity is verified once: what comes again is the same party, in its time only', () => {
    const roles = rolesOf(signedBy(root, 1));
    const first = roles.read(announced(minion, owner), NOW, SKEW);
    const again = roles.read(announced(minion, owner), NOW + 1, SKEW);
    expect(first.ok && again.ok && first.value === again.value).toBe(true);
    expect(roles.read(announced(minion, owner), NOW + 1001, SKEW)).toEqual({ ok: false, error: 'expired' });
    expect(roles.read(announced(minion, owner), NOW - SKEW - 1, SKEW)).toEqual({ ok: false, error: 'future' });
  });

  it('of an identity says nothing for another: whoever signs is looked at', () => {
    const roles = rolesOf(signedBy(root, 1));
    const good = announced(minion, owner);
    expect(roles.read(good, NOW, SKEW).ok).toBe(true);
    const forged = announced(SigningKey.generate(), owner);
    expect(roles.read(forged, NOW, SKEW)).toEqual({ ok: false, error: 'signature' });
    expect(roles.read({ ...good, signature: forged.signature }, NOW, SKEW)).toEqual({ ok: false, error: 'signature' });
    expect(roles.read(forged, NOW, SKEW)).toEqual({ ok: false, error: 'signature' });
  });

  it('of a role counts no longer when its key is gone, however often it was read before', () => {
    const first = signedBy(root, 1);
    const roles = rolesOf(first);
    const service = announced(gateway, { type: 'role', role: 'gateway', instance: 'a', key: gateway.publicKey });
    expect([roles.read(service, NOW, SKEW).ok, roles.read(service, NOW, SKEW).ok]).toEqual([true, true]);
    const without = { gateway: [], acl: [], runner: [], reactor: [], sink: [] };
    expect(roles.takeOver([root.publicKey, [first, signedBy(root, 2, { roles: without })]], NOW)).toBe(true);
    expect(roles.read(service, NOW, SKEW)).toEqual({ ok: false, error: 'role_key' });
  });

  it('of a role counts no longer than the document that names its key, however long it says; under a newer one it does', () => {
    const first = signedBy(root, 1);
    const roles = rolesOf(first);
    const end = NOW + 1000;
    const longer = { type: 'role', role: 'gateway', instance: 'a', key: gateway.publicKey } as const;
    const service = announced(gateway, longer, NOW + 9000);
    const read = roles.read(service, end, SKEW);
    expect(read.ok && read.value.notAfter).toBe(end);
    expect(roles.read(service, end + 1, SKEW)).toEqual({ ok: false, error: 'expired' });
    // Whose key is in no document goes on: what comes of it is for those who have one.
    expect(roles.read(announced(minion, owner, NOW + 9000), end + 1, SKEW).ok).toBe(true);
    expect(roles.takeOver([root.publicKey, [first, signedBy(root, 2, { notAfter: NOW + 99_000 })]], end + 1)).toBe(true);
    const again = roles.read(service, end + 1, SKEW);
    expect(again.ok && again.value.notAfter).toBe(NOW + 9000);
  }); // prettier-ignore
});
