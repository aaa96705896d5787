/**
 * The roles document: which keys speak for the services, signed by the cluster's root.
 *
 * A chain of them leads from the first root, which everyone pins, to the newest. The order is pin, signatures, serials,
 * and only then expiry, because the time comes from a service that the document itself names.
 *
 * Spec: spec/envelope.md#roles; vectors: spec/vectors/roles.json.
 */
import { err, ok, type Result } from '@natrium/model';

import { equalBytes, mapKey } from './bytes.js';
import { encode, type Wire } from './encoding.js';
import { clusterOf, fingerprint } from './keys.js';
import { bin, fields, int, listOf, MAX_TIME, orNull, refuse, shaped, shapedValue, time } from './shape.js';
import { type Cluster, readSigned, type Signed, signed, signedToWire, type SigningKey, verify } from './signing.js';

export const ROLE_NAMES = ['gateway', 'acl', 'runner', 'reactor', 'sink'] as const;
export type RoleName = (typeof ROLE_NAMES)[number];

export interface RolesDocument {
  readonly serial: number;
  /** ms since 1970. */
  readonly notAfter: number;
  /** The newest first; more than one while a key is replaced. No key serves two roles. */
  readonly roles: Readonly<Record<RoleName, readonly Uint8Array[]>>;
  /** The root that signs the next document, when it isn't the same. */
  readonly nextRoot: Uint8Array | null;
}

/** The first root's public key and every document since, oldest first. */
export type RolesChain = readonly [firstRoot: Uint8Array, documents: readonly Signed[]];

/** What is trusted beforehand: the fingerprint from `master_finger`, or the first root that was kept. */
export type RolesPin = { readonly fingerprint: string } | { readonly firstRoot: Uint8Array };

export interface Roles {
  readonly cluster: Cluster;
  readonly firstRoot: Uint8Array;
  /** The root that signs the next document. */
  readonly root: Uint8Array;
  readonly document: RolesDocument;
}

export type RolesProblem = 'pin' | 'signature' | 'shape' | 'serial' | 'expired';

const MAX_KEYS = 16;
/** Of a chain: no reader takes a longer one. */
export const MAX_DOCUMENTS = 1024;

export function signRoles(root: SigningKey, cluster: Cluster, document: RolesDocument): Signed {
  const { serial, notAfter, roles, nextRoot } = document;
  const bytes = encode([serial, notAfter, ROLE_NAMES.map((role) => roles[role]), nextRoot]);
  if (shaped(bytes, readDocument) === undefined) throw new RangeError('not a roles document');
  return signed(root, 'roles', cluster, bytes);
}

/** Checks pin, signatures and serials, not expiry: enough to know whose word on the time counts. */
export function verifyRolesChain(chain: RolesChain, pin: RolesPin, minSerial: number): Result<Roles, RolesProblem> {
  const [firstRoot, documents] = chain;
  if (!isPinned(firstRoot, pin)) return err('pin');
  const cluster = clusterOf(firstRoot);
  let root = firstRoot;
  let newest: RolesDocument | undefined;
  for (const object of documents) {
    if (!verify('roles', cluster, root, object.bytes, object.signature)) return err('signature');
    const document = shaped(object.bytes, readDocument);
    if (document === undefined) return err('shape');
    if (newest !== undefined && document.serial <= newest.serial) return err('serial');
    newest = document;
    root = document.nextRoot ?? root;
  }
  if (newest === undefined) return err('shape');
  return newest.serial < minSerial ? err('serial') : ok({ cluster, firstRoot, root, document: newest });
}

/** Checks the chain as `verifyRolesChain` does, then that the newest document hasn't expired. */
export function readRolesChain(
  chain: RolesChain,
  pin: RolesPin,
  check: { readonly now: number; readonly minSerial: number },
): Result<Roles, RolesProblem> {
  const roles = verifyRolesChain(chain, pin, check.minSerial);
  return roles.ok && isRolesExpired(roles.value.document, check.now) ? err('expired') : roles;
}

/** Each key that any document of a chain, which was verified, names for this role: the newest first, also those that were retired. */
export function everyKeyOf([, documents]: RolesChain, role: RoleName): readonly Uint8Array[] {
  const keys = documents.toReversed().flatMap(({ bytes }) => shaped(bytes, readDocument)?.roles[role] ?? []);
  return [...new Map(keys.map((key) => [mapKey(key), key])).values()];
}

export function isRolesExpired(document: RolesDocument, now: number): boolean {
  return now > document.notAfter;
}

/** A chain as it travels in others: `[first root, [[bytes, signature], …]]`. */
export function rolesChainToWire([firstRoot, documents]: RolesChain): Wire {
  return [firstRoot, documents.map(signedToWire)];
}

/** @returns undefined when it isn't a chain of 1 to 1,024 documents. */
export function rolesChainFromWire(wire: Wire): RolesChain | undefined {
  return shapedValue(wire, (value) => {
    const [firstRoot, documents] = fields(value, 2);
    const list = listOf(documents, MAX_DOCUMENTS, readSigned);
    return list.length === 0 ? refuse() : [bin(firstRoot, 32), list];
  });
}

function isPinned(firstRoot: Uint8Array, pin: RolesPin): boolean {
  if (firstRoot.length !== 32) return false;
  if ('firstRoot' in pin) return equalBytes(firstRoot, pin.firstRoot);
  return fingerprint(firstRoot) === pin.fingerprint.toLowerCase();
}

function readDocument(wire: Wire): RolesDocument {
  const [serial, notAfter, lists, nextRoot] = fields(wire, 4);
  const keys = fields(lists, ROLE_NAMES.length).map((list) => listOf(list, MAX_KEYS, (key) => bin(key, 32)));
  if (new Set(keys.flat().map(mapKey)).size !== keys.flat().length) refuse();
  const [gateway, acl, runner, reactor, sink] = keys;
  if (!gateway || !acl || !runner || !reactor || !sink) return refuse();
  return {
    serial: int(serial, 1, MAX_TIME),
    notAfter: time(notAfter),
    roles: { gateway, acl, runner, reactor, sink },
    nextRoot: orNull(nextRoot, (key) => bin(key, 32)),
  };
}
