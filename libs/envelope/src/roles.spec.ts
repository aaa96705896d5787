import { fingerprint } from './keys.js';
import { clusterOf } from './keys.js';
import { CLUSTER, NOW, rootOf, seedOf } from './parties.spec-support.js';
import {
  everyKeyOf,
  isRolesExpired,
  readRolesChain,
  type RolesChain,
  rolesChainFromWire,
  rolesChainToWire,
  type RolesDocument,
  type RolesPin,
  type RolesProblem,
  signRoles,
  verifyRolesChain,
} from './roles.js';
import { type Signed, signed } from './signing.js';
import { sodiumReady } from './sodium.js';
import { encode } from './encoding.js';

await sodiumReady();

const first = rootOf('first');
const next = rootOf('next');
const pin: RolesPin = { fingerprint: fingerprint(first.publicKey) };

function aDocument(change: Partial<RolesDocument> = {}): RolesDocument {
  const roles = {
    gateway: [seedOf('gateway')],
    acl: [seedOf('acl new'), seedOf('acl old')],
    runner: [seedOf('runner')],
    reactor: [],
    sink: [],
  };
  return { serial: 1, notAfter: NOW + 1000, roles, nextRoot: null, ...change };
}

const by = (root: typeof first, change: Partial<RolesDocument> = {}): Signed =>
  signRoles(root, CLUSTER(), aDocument(change));
const chainOf = (...documents: Signed[]): RolesChain => [first.publicKey, documents];

function problemOf(chain: RolesChain, minSerial = 1, now = NOW): RolesProblem | undefined {
  const read = readRolesChain(chain, pin, { now, minSerial });
  return read.ok ? undefined : read.error;
}

describe('a chain of roles documents', () => {
  it('gives the newest document, and the cluster by its first root', () => {
    const read = readRolesChain(chainOf(by(first), by(first, { serial: 2 })), pin, { now: NOW, minSerial: 1 });
    const roles = { cluster: clusterOf(first.publicKey), firstRoot: first.publicKey, root: first.publicKey };
    expect(read).toEqual({ ok: true, value: { ...roles, document: aDocument({ serial: 2 }) } });
  });

  it('is read under the fingerprint in either case, or under the first root that was kept', () => {
    const chain = chainOf(by(first));
    expect(verifyRolesChain(chain, { fingerprint: fingerprint(first.publicKey).toUpperCase() }, 1).ok).toBe(true);
    expect(verifyRolesChain(chain, { firstRoot: first.publicKey }, 1).ok).toBe(true);
  });

  it('under another pin is refused before anything else', () => {
    const chain: RolesChain = [next.publicKey, [by(next)]];
    expect(problemOf(chain)).toBe('pin');
    expect(verifyRolesChain(chain, { firstRoot: first.publicKey }, 1)).toEqual({ ok: false, error: 'pin' });
  });

  it('follows the root that a document names, and only it', () => {
    const handedOver = by(first, { nextRoot: next.publicKey });
    expect(problemOf(chainOf(handedOver, by(next, { serial: 2 })))).toBeUndefined();
    expect(problemOf(chainOf(handedOver, by(first, { serial: 2 })))).toBe('signature');
    expect(problemOf(chainOf(by(first), by(next, { serial: 2 })))).toBe('signature');
  });

  it('has every key that ever spoke for a role, each once and the newest first, and none of another role', () => {
    const acl = ['newest', 'acl new'].map((name) => seedOf(name));
    const chain = chainOf(by(first), by(first, { serial: 2, roles: { ...aDocument().roles, acl } }));
    expect(everyKeyOf(chain, 'acl')).toEqual(['newest', 'acl new', 'acl old'].map((name) => seedOf(name)));
    expect(everyKeyOf(chain, 'gateway')).toEqual([seedOf('gateway')]);
    expect(everyKeyOf(chain, 'sink')).toEqual([]);
  });

  it('keeps the root where no document names another', () => {
    const chain = chainOf(by(first, { nextRoot: next.publicKey }), by(next, { serial: 2 }), by(next, { serial: 3 }));
    const read = verifyRolesChain(chain, pin, 1);
    expect(read.ok && read.value.root).toEqual(next.publicKey);
  });

  it('names the cluster by its first root for ever: a new root does not sign for a cluster of its own', () => {
    const own = signRoles(next, clusterOf(next.publicKey), aDocument({ serial: 2 }));
    expect(problemOf(chainOf(by(first, { nextRoot: next.publicKey }), own))).toBe('signature');
  });

  it.each<[string, number, RolesProblem | undefined]>([
    ['higher', 3, undefined],
    ['equal', 2, 'serial'],
    ['lower', 1, 'serial'],
  ])('whose next serial is %s', (_name, serial, problem) => {
    expect(problemOf(chainOf(by(first, { serial: 2 }), by(first, { serial })))).toBe(problem);
  });

  it('never goes back behind the highest serial that was seen', () => {
    expect(problemOf(chainOf(by(first, { serial: 4 })), 4)).toBeUndefined();
    expect(problemOf(chainOf(by(first, { serial: 4 })), 5)).toBe('serial');
  });

  it('is expired after its newest document ends, which an older one may', () => {
    const chain = chainOf(by(first, { notAfter: 1 }), by(first, { serial: 2 }));
    expect(problemOf(chain, 1, NOW + 1000)).toBeUndefined();
    expect(problemOf(chain, 1, NOW + 1001)).toBe('expired');
    expect(verifyRolesChain(chain, pin, 1).ok).toBe(true);
    expect(isRolesExpired(aDocument(), NOW + 1001)).toBe(true);
  });

  it('has at least one document', () => {
    expect(problemOf(chainOf())).toBe('shape');
  });

  it.each<[string, Parameters<typeof encode>[0]]>([
    ['a part too many', [1, NOW, [[], [], [], [], []], null, 0]],
    ['a role too few', [1, NOW, [[], [], [], []], null]],
    ['a short key', [1, NOW, [[new Uint8Array(31)], [], [], [], []], null]],
    ['serial 0', [0, NOW, [[], [], [], [], []], null]],
    ['one key for two roles', [1, NOW, [[seedOf('a')], [seedOf('a')], [], [], []], null]],
  ])('with %s is refused, though the root signed it', (_name, wire) => {
    expect(problemOf(chainOf(signed(first, 'roles', CLUSTER(), encode(wire))))).toBe('shape');
  });

  it('has at most 16 keys for a role: with 17 it is neither signed nor read', () => {
    const rolesWith = (count: number) => ({
      ...aDocument().roles,
      sink: Array.from({ length: count }, (_, n) => seedOf(`sink ${String(n)}`)),
    });
    expect(problemOf(chainOf(by(first, { roles: rolesWith(16) })))).toBeUndefined();
    expect(() => by(first, { roles: rolesWith(17) })).toThrow(RangeError);
    const wire = [1, NOW, Object.values(rolesWith(17)), null];
    expect(problemOf(chainOf(signed(first, 'roles', CLUSTER(), encode(wire))))).toBe('shape');
  });

  it('refuses to sign one key for two roles', () => {
    const { roles } = aDocument();
    expect(() => by(first, { roles: { ...roles, sink: roles.acl } })).toThrow(RangeError);
  });

  it('travels as first root and documents', () => {
    const chain = chainOf(by(first), by(first, { serial: 2 }));
    expect(rolesChainFromWire(rolesChainToWire(chain))).toEqual(chain);
    expect(rolesChainFromWire([first.publicKey, []])).toBeUndefined();
    expect(rolesChainFromWire([first.publicKey])).toBeUndefined();
    expect(rolesChainFromWire(['root', [[new Uint8Array(1), new Uint8Array(64)]]])).toBeUndefined();
    const ofLength = (length: number) => chainOf(...Array.from({ length }, () => by(first)));
    expect(rolesChainFromWire(rolesChainToWire(ofLength(1024)))?.[1]).toHaveLength(1024);
    expect(rolesChainFromWire(rolesChainToWire(ofLength(1025)))).toBeUndefined();
  });
});
