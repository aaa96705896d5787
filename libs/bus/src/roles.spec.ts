/** Rules of taking over a newer roles document while a process runs. */
import { clusterOf, type RolesDocument, type Signed, SigningKey, signRoles, sodiumReady } from '@natrium/envelope';
import { Roles } from './roles.js';

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

it('takes nothing from a root that was replaced; from its successor it does', () => {
  const next = SigningKey.generate();
  const handed = [signedBy(root, 1), signedBy(root, 2, { nextRoot: next.publicKey })];
  const roles = rolesOf(...handed);
  expect(roles.takeOver([root.publicKey, [...handed.slice(0, 1), signedBy(root, 9)]], NOW)).toBe(false);
  expect(roles.takeOver([root.publicKey, [...handed, signedBy(root, 9)]], NOW)).toBe(false);
  expect(roles.takeOver([root.publicKey, [...handed, signedBy(next, 3)]], NOW)).toBe(true);
});
