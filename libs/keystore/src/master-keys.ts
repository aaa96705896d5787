/**
 * The master's key folder `pki/`: root, roles document, role keys, storage keys, the first account.
 *
 * Each service is given only the folders that its role needs (docs/operations.md); on one machine they share it.
 * Spec: spec/envelope.md#keys.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  encode,
  identityFrom,
  newIdentitySecret,
  type RoleName,
  type RolesDocument,
  type RolesChain,
  type Roles,
  verifyRolesChain,
  SigningKey,
  signRoles,
  type StorageKey,
  clusterOf,
  randomBytes,
  type Wire,
} from '@natrium/envelope';
import { readRolesFile, ROLES_VALID_MS, writeRolesFile } from './roles-file.js';
import { StorageFolder, storageKeyId } from './storage-folder.js';
import { decoded, KeyfileCorrupt, readKeyFile, writeKeyFile } from './key-file.js';
import { readIfThere, removeDrafts, writeWhole } from './whole-file.js';

export const ROLES: readonly RoleName[] = ['gateway', 'acl', 'runner', 'reactor', 'sink'];
export const STORAGE_CLASSES = ['jobs', 'events', 'tokens', 'audit', 'inventory', 'roster'] as const;
export type StorageClass = (typeof STORAGE_CLASSES)[number];

const READABLE = 0o644;

export class MasterKeys {
  constructor(readonly folder: string) {}

  /** A public file: the chain of signed documents. */
  get rolesPath(): string {
    return join(this.folder, 'roles');
  }

  get exists(): boolean {
    return existsSync(this.rolesPath);
  }

  /** Makes every key of a new cluster. @throws {Error} When there is one already: nothing is overwritten. */
  create(nowMs: number): void {
    const rootPath = this.#rootPath;
    if (this.exists) throw new Error(`${this.folder} already holds a cluster; nothing was changed`);
    if (existsSync(rootPath)) {
      throw new Error(
        `${rootPath} is there already, without its roles file: restore that one, or move the folder away; nothing was changed`,
      );
    }
    const root = SigningKey.generate();
    writeKeyFile(rootPath, root.seed);
    const keys = ROLES.map((role) => [role, SigningKey.generate()] as const);
    for (const [role, key] of keys) writeKeyFile(this.rolePath(role), key.seed);
    for (const name of STORAGE_CLASSES)
      writeKeyFile(join(this.folder, 'storage', name, `${storageKeyId(nowMs)}.key`), randomBytes(32));
    writeKeyFile(this.#nameKeyPath, randomBytes(32));
    const secret = newIdentitySecret();
    writeKeyFile(this.firstAccountPath, secret);
    writeWhole(this.#firstAccountPublicPath, encode([...publicsOf(secret)]), READABLE);
    const document: RolesDocument = {
      serial: 1,
      notAfter: nowMs + ROLES_VALID_MS,
      roles: rolesOf(keys),
      nextRoot: null,
    };
    writeRolesFile(this.rolesPath, [root.publicKey, [signRoles(root, clusterOf(root.publicKey), document)]]);
  }

  /**
   * Takes away what a `create` that was interrupted has made: the roles file, its last step, is not there, and nobody has a key of it.
   *
   * @throws {Error} When there is a cluster.
   */
  dropUnfinished(): void {
    if (this.exists) throw new Error(`${this.folder} holds a cluster; nothing was changed`);
    const made = [this.#nameKeyPath, this.firstAccountPath, this.#firstAccountPublicPath];
    // The root's last: while it is there, whoever finds the folder knows that something is amiss.
    for (const path of [...['roles.d', 'storage'].map((name) => join(this.folder, name)), ...made, this.#rootPath]) {
      rmSync(path, { recursive: true, force: true });
      removeDrafts(path);
    }
    removeDrafts(this.rolesPath);
  }

  /** @throws {KeyfileCorrupt} When the roles file is missing or not one. */
  chain(): RolesChain {
    const chain = readRolesFile(this.rolesPath);
    if (chain === undefined) throw new KeyfileCorrupt(this.rolesPath, 'exist');
    return chain;
  }

  /** The roles document in force, checked from the first root on. @throws {KeyfileCorrupt} */
  roles(): Roles {
    const chain = this.chain();
    const roles = verifyRolesChain(chain, { firstRoot: chain[0] }, 0);
    if (!roles.ok) throw new KeyfileCorrupt(this.rolesPath, 'hold a chain that its roots signed');
    return roles.value;
  }

  roleKey(role: RoleName): SigningKey {
    const seed = readKeyFile(this.rolePath(role));
    if (seed === undefined) throw new KeyfileCorrupt(this.rolePath(role), 'exist');
    return SigningKey.fromSeed(seed);
  }

  /** The storage keys of a class, as their folder has them from time to time. @throws {KeyfileCorrupt} */
  storageKeys(name: StorageClass): StorageFolder {
    return new StorageFolder(join(this.folder, 'storage', name));
  }

  /** Hashes the names in the roster's keys; it never changes, since two hashes of a name would be two names. */
  nameKey(): StorageKey {
    const key = readKeyFile(this.#nameKeyPath);
    if (key === undefined) throw new KeyfileCorrupt(this.#nameKeyPath, 'exist');
    return { id: 'names', key };
  }

  get firstAccountPath(): string {
    return join(this.folder, 'account.key');
  }

  /** What the acl-service enrols while the roster holds no account: identity key and NATS key. */
  firstAccount(): { readonly identity: Uint8Array; readonly nkey: Uint8Array } | undefined {
    const path = this.#firstAccountPublicPath;
    const bytes = readIfThere(path);
    if (bytes === undefined) return undefined;
    const wire = decoded(bytes);
    const [identity, nkey] = Array.isArray(wire) && wire.length === 2 ? (wire as readonly Wire[]) : [];
    if (!isKey(identity) || !isKey(nkey)) throw new KeyfileCorrupt(path, 'hold the two public keys of an account');
    return { identity, nkey };
  }

  rolePath(role: RoleName): string {
    return join(this.folder, 'roles.d', `${role}.key`);
  }

  get #rootPath(): string {
    return join(this.folder, 'root.key');
  }

  get #firstAccountPublicPath(): string {
    return join(this.folder, 'first-account.pub');
  }

  get #nameKeyPath(): string {
    return join(this.folder, 'names.key');
  }
}

function isKey(wire: Wire | undefined): wire is Uint8Array {
  return wire instanceof Uint8Array && wire.length === 32;
}

function publicsOf(secret: Uint8Array): readonly [Uint8Array, Uint8Array] {
  const identity = identityFrom(secret);
  return [identity.publicKey, identity.nkeyPublic];
}

function rolesOf(keys: readonly (readonly [RoleName, SigningKey])[]): RolesDocument['roles'] {
  const of = (role: RoleName) => keys.filter(([name]) => name === role).map(([, key]) => key.publicKey);
  return { gateway: of('gateway'), acl: of('acl'), runner: of('runner'), reactor: of('reactor'), sink: of('sink') };
}
