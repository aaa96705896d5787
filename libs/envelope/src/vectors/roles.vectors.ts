/** Vectors of roles chains and of announcements. */
import { announce, type Announcement, type AnnouncementProblem } from '../announcement.js';
import { toHex } from '../bytes.js';
import { encode, type Wire } from '../encoding.js';
import { epochKeyFrom } from '../epoch.js';
import { clusterOf, fingerprint, keyId } from '../keys.js';
import { CLUSTER, identityOf, NOW, rootOf, seedOf } from '../parties.spec-support.js';
import { type RolesDocument, type RolesProblem, signRoles } from '../roles.js';
import { type Signed, signed } from '../signing.js';
import type { Vectors } from './vector-file.js';

export interface SignedHex {
  readonly bytes: string;
  readonly signature: string;
}
export const hexOf = ({ bytes, signature }: Signed): SignedHex => ({
  bytes: toHex(bytes),
  signature: toHex(signature),
});

export interface RolesCase {
  readonly name: string;
  readonly pin: string;
  readonly firstRoot: string;
  readonly documents: readonly SignedHex[];
  readonly now: number;
  readonly minSerial: number;
  readonly expect: 'read' | RolesProblem;
  readonly serial?: number;
  readonly cluster?: string;
}

const [first, next] = [
  (): ReturnType<typeof rootOf> => rootOf('first'),
  (): ReturnType<typeof rootOf> => rootOf('next'),
];

function aDocument(change: Partial<RolesDocument>): RolesDocument {
  const keys = (...names: string[]): Uint8Array[] => names.map((name) => identityOf(`${name} role`).publicKey);
  const roles = {
    gateway: keys('gateway'),
    acl: keys('new acl', 'acl'),
    runner: keys('runner'),
    reactor: [],
    sink: [],
  };
  return { serial: 1, notAfter: NOW, roles, nextRoot: null, ...change };
}

export function rolesVectors(): Vectors<RolesCase> {
  const about =
    'The chain of `documents` from `firstRoot`, under the pinned fingerprint, at `now`, with the highest serial seen; gives the newest serial, or the first reason to refuse.';
  const by = (root: typeof first, change: Partial<RolesDocument> = {}, cluster = CLUSTER()): Signed =>
    signRoles(root(), cluster, aDocument(change));
  const handOver = by(first, { nextRoot: next().publicKey });
  const make = (
    name: string,
    expect: 'read' | RolesProblem,
    documents: Signed[],
    change: Partial<RolesCase> = {},
  ): RolesCase => ({
    name,
    pin: fingerprint(first().publicKey),
    firstRoot: toHex(first().publicKey),
    documents: documents.map(hexOf),
    now: NOW,
    minSerial: 1,
    expect,
    ...(expect === 'read' && { serial: documents.length, cluster: toHex(CLUSTER()) }),
    ...change,
  });
  const cases = [
    make('one document', 'read', [by(first)]),
    make('two documents of one root', 'read', [by(first), by(first, { serial: 2 })]),
    make('a root that hands over', 'read', [handOver, by(next, { serial: 2 })]),
    make('an older document that is expired', 'read', [by(first, { notAfter: 1 }), by(first, { serial: 2 })]),
    make('the serial that was seen', 'read', [by(first), by(first, { serial: 2 })], { minSerial: 2 }),
    make('another pin', 'pin', [by(first)], { pin: fingerprint(next().publicKey) }),
    make('another first root', 'pin', [by(next)], { firstRoot: toHex(next().publicKey) }),
    make('a document of another root', 'signature', [by(next)]),
    make('the old root after it handed over', 'signature', [handOver, by(first, { serial: 2 })]),
    make('a new root that nobody named', 'signature', [by(first), by(next, { serial: 2 })]),
    make('another cluster', 'signature', [by(first, {}, clusterOf(next().publicKey))]),
    make('an equal serial', 'serial', [by(first), by(first)]),
    make('a lower serial', 'serial', [by(first, { serial: 2 }), by(first)]),
    make('a serial lower than seen', 'serial', [by(first)], { minSerial: 2 }),
    make('an expired document', 'expired', [by(first)], { now: NOW + 1 }),
    make('no document', 'shape', []),
    make('one key for two roles', 'shape', [twoRoles()]),
  ];
  return { about, cases };
}

function twoRoles(): Signed {
  const key = identityOf('acl role').publicKey;
  return signed(first(), 'roles', CLUSTER(), encode([1, NOW, [[key], [key], [], [], []], null]));
}

export interface AnnouncementCase extends SignedHex {
  readonly name: string;
  readonly cluster: string;
  readonly now: number;
  readonly gatewayKeys: readonly string[];
  readonly expect: 'read' | AnnouncementProblem;
  readonly keyId?: string;
}

const epochOf = (name: string): Uint8Array => epochKeyFrom(seedOf(`epoch ${name}`), 0, 1).publicKey;

export function announcementVectors(): Vectors<AnnouncementCase> {
  const about =
    'The announcement at `now`, skew 30,000 ms, with these gateway keys in the roles document; gives the key id, or the first reason to refuse.';
  const [web1, web2, gateway] = [identityOf('web1'), identityOf('web2'), identityOf('gateway role')];
  const owner = { type: 'identity', key: web1.publicKey } as const;
  const service = {
    owner: { type: 'role', role: 'gateway', instance: 'g1', key: gateway.publicKey },
    use: 'service',
  } as const;
  const jobs: Announcement = {
    owner,
    use: 'jobs',
    epochKey: epochOf('web1'),
    notBefore: NOW,
    notAfter: NOW + 1000,
    rolesSerial: 1,
  };
  const by = (key: typeof web1, change: Partial<Announcement> = {}): Signed =>
    announce(key.signing, CLUSTER(), { ...jobs, ...change });
  const wire = (value: Wire): Signed => signed(web1.signing, 'announce', CLUSTER(), encode(value));
  const read = (name: string, object: Signed, id: Uint8Array): AnnouncementCase => ({
    ...caseOf(name, 'read', object),
    keyId: toHex(id),
  });
  const id = keyId(web1.publicKey, jobs.epochKey);
  const { epochKey } = jobs;
  const cases = [
    read('jobs of an identity', by(web1), id),
    read('a session of an identity', by(web1, { use: 'session' }), id),
    read('a service of a role', by(gateway, service), keyId(gateway.publicKey, epochKey)),
    read(
      "another's epoch key, under a key id of its own",
      by(web2, { owner: { type: 'identity', key: web2.publicKey } }),
      keyId(web2.publicKey, epochKey),
    ),
    caseOf("another's epoch key in that other's name", 'signature', by(web2)),
    caseOf('a role signed by another', 'signature', by(web1, service)),
    { ...caseOf('another cluster', 'signature', by(web1)), cluster: toHex(clusterOf(next().publicKey)) },
    {
      ...caseOf('a role key that is not in the roles document', 'role_key', by(gateway, service)),
      gatewayKeys: [],
    },
    caseOf(
      'a gateway key as the acl role',
      'role_key',
      by(gateway, { ...service, owner: { ...service.owner, role: 'acl' } }),
    ),
    caseOf('an epoch key of low order', 'epoch_key', by(web1, { epochKey: new Uint8Array(32) })),
    { ...read('at its end', by(web1), id), now: NOW + 1000 },
    { ...caseOf('expired', 'expired', by(web1)), now: NOW + 1001 },
    { ...caseOf('from the future', 'future', by(web1)), now: NOW - 30_001 },
    caseOf('a service of an identity', 'shape', wire([web1.publicKey, 'service', epochKey, NOW, NOW + 1, 1])),
    caseOf('jobs of a role', 'shape', wire([['gateway', 'g1', gateway.publicKey], 'jobs', epochKey, NOW, NOW + 1, 1])),
    caseOf('a part too many', 'shape', wire([web1.publicKey, 'jobs', epochKey, NOW, NOW + 1, 1, null])),
  ];
  return { about, cases };
}

function caseOf(name: string, expect: 'read' | AnnouncementProblem, object: Signed): AnnouncementCase {
  const gatewayKeys = [toHex(identityOf('gateway role').publicKey)];
  return { name, cluster: toHex(CLUSTER()), now: NOW, gatewayKeys, expect, ...hexOf(object) };
}
