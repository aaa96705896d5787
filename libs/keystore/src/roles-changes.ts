/**
 * Changes of the roles document: each writes one more document, signed by the root in force, and nothing is taken away from
 * the chain. The document is written before the key that it names, so a stop in between leaves what works.
 *
 * Spec: spec/envelope.md#roles; docs/keys.md says when to do what.
 */
import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  equalBytes,
  MAX_DOCUMENTS,
  type RoleName,
  type RolesDocument,
  SigningKey,
  signRoles,
  type Roles as VerifiedRoles,
} from '@natrium/envelope';
import type { MasterKeys } from './master-keys.js';
import { ROLES_VALID_MS, writeRolesFile } from './roles-file.js';
import { KeyfileCorrupt, readKeyFile, writeKeyFile } from './key-file.js';
import { removeDrafts, removeDraftsIn } from './whole-file.js';

/** A change that makes no sense now; nothing was written. */
export class RolesUnchanged extends Error {
  override readonly name = 'RolesUnchanged';
  readonly code = 'ERR_ROLES_UNCHANGED';
}

export class RolesChanges {
  /** @param rootPath Where the root's key is, when it is kept elsewhere than in the folder. */
  constructor(
    private readonly keys: MasterKeys,
    private readonly rootPath: string = join(keys.folder, 'root.key'),
  ) {}

  /** How often the document can still be changed: one more than a reader takes would end the cluster. */
  get left(): number {
    return MAX_DOCUMENTS - this.keys.chain()[1].length;
  }

  /** Takes away what a change that was killed has half written: each may hold a key. For whoever alone changes them now. */
  removeDrafts(): void {
    removeDrafts(this.keys.rolesPath);
    removeDraftsIn(dirname(this.keys.rolePath('acl')));
    removeDraftsIn(dirname(this.rootPath), (name) => name.startsWith(basename(this.rootPath)));
  }

  /** The same keys, for two more years; everyone begins a new epoch with it. */
  renew(nowMs: number): RolesDocument {
    return this.#write(nowMs, (document) => document);
  }

  /** A new key for a role. The old one counts beside it until it is retired; a replica has the new one from its restart on. */
  newKey(role: RoleName, nowMs: number): RolesDocument {
    const key = SigningKey.generate();
    const written = this.#write(nowMs, ({ roles, ...rest }) => ({
      ...rest,
      roles: { ...roles, [role]: [key.publicKey, ...roles[role]] },
    }));
    writeKeyFile(this.keys.rolePath(role), key.seed);
    return written;
  }

  /** Only the key that the folder holds counts from now on. @throws {RolesUnchanged} When it is the only one already. */
  retire(role: RoleName, nowMs: number): RolesDocument {
    const own = this.keys.roleKey(role).publicKey;
    return this.#write(nowMs, ({ roles, ...rest }) => {
      if (!roles[role].some((key) => equalBytes(key, own)))
        throw new RolesUnchanged(`the key of ${role} in this folder is not one that the roles document names`);
      if (roles[role].length === 1) throw new RolesUnchanged(`${role} has one key only; nothing was changed`);
      return { ...rest, roles: { ...roles, [role]: [own] } };
    });
  }

  /** Hands over to a new root, which signs from the next document on; minions go on pinning the first one. */
  newRoot(nowMs: number): RolesDocument {
    const root = SigningKey.generate();
    // One before may have been interrupted: the root in force is only where the new one's key goes now.
    this.#putInPlace();
    this.#mayWrite(nowMs);
    // Kept first: were the new one lost after the document that names it, the cluster could never change again.
    writeKeyFile(`${this.rootPath}.next`, root.seed);
    const written = this.#write(nowMs, (document) => ({ ...document, nextRoot: root.publicKey }));
    this.#putInPlace();
    return written;
  }

  /** The root in force goes where its key belongs, the one before it beside that; nothing stays at `.next`. */
  #putInPlace(): void {
    const roles = this.keys.roles();
    const inForce = this.#root(roles).seed;
    const held = readKeyFile(this.rootPath);
    if (held === undefined || !equalBytes(held, inForce)) {
      if (held !== undefined) writeKeyFile(`${this.rootPath}.until-${String(roles.document.serial)}`, held);
      writeKeyFile(this.rootPath, inForce);
    }
    rmSync(`${this.rootPath}.next`, { force: true });
  }

  /** @throws {RolesUnchanged} When nobody could read one document more, or the next would have ended, by the clock of a host that has none. */
  #mayWrite(nowMs: number): void {
    if (this.left === 0)
      throw new RolesUnchanged(
        `there are ${String(MAX_DOCUMENTS)} roles documents, and nobody reads more: found a new cluster before the last one ends; nothing was changed`,
      );
    const madeMs = this.keys.roles().document.notAfter - ROLES_VALID_MS;
    if (nowMs + ROLES_VALID_MS > madeMs) return;
    throw new RolesUnchanged(
      `this host's clock says ${dayOf(nowMs)}, and the document in force was made on ${dayOf(madeMs)}: set the clock; nothing was changed`,
    );
  }

  #write(nowMs: number, change: (document: RolesDocument) => RolesDocument): RolesDocument {
    this.#mayWrite(nowMs);
    const roles = this.keys.roles();
    const root = this.#root(roles);
    const next = change({
      ...roles.document,
      serial: roles.document.serial + 1,
      notAfter: nowMs + ROLES_VALID_MS,
      nextRoot: null,
    });
    const [firstRoot, documents] = this.keys.chain();
    writeRolesFile(this.keys.rolesPath, [firstRoot, [...documents, signRoles(root, roles.cluster, next)]]);
    return next;
  }

  /** @throws {KeyfileCorrupt} When the root's key is not here, or is not the one in force. */
  #root(roles: VerifiedRoles): SigningKey {
    let isThere = false;
    for (const path of [this.rootPath, `${this.rootPath}.next`]) {
      const seed = readKeyFile(path);
      const root = seed === undefined ? undefined : SigningKey.fromSeed(seed);
      if (root !== undefined && equalBytes(root.publicKey, roles.root)) return root;
      isThere ||= seed !== undefined;
    }
    // It is kept elsewhere, where all is as it should be: nothing is lost.
    const should = isThere ? 'hold the key of the root in force' : 'exist';
    throw new KeyfileCorrupt(this.rootPath, should, 'put the key of the root in force there, or name it with --root');
  }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
