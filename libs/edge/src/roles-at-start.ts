/** The roles document that a service begins with: its own file's, or a newer one that it has seen. */
import { Roles, rolesEnded } from '@natrium/bus';
import { equalBytes, type RoleName, verifyRolesChain } from '@natrium/envelope';
import { KeyfileCorrupt, type MasterKeys, newestRoles } from '@natrium/keystore';
import type { Logger } from 'pino';

export class RolesEnded extends Error {
  override readonly name = 'RolesEnded';
  readonly code = 'ERR_ROLES_ENDED';
}

export class RoleKeyUnknown extends Error {
  override readonly name = 'RoleKeyUnknown';
  readonly code = 'ERR_ROLE_KEY_UNKNOWN';
}

/** @param seen The file with the newest that was seen. @throws {KeyfileCorrupt} */
export function rolesAtStart(keys: MasterKeys, seen: string, log: Logger): Roles {
  const own = keys.chain();
  const chain = newestRoles(own, seen);
  if (chain !== own) log.warn(`the roles document in ${keys.folder} is older than one that was seen; that one counts`);
  const read = verifyRolesChain(chain, { firstRoot: own[0] }, 0);
  if (!read.ok) throw new KeyfileCorrupt(keys.rolesPath, 'hold a chain that its roots signed');
  return new Roles(read.value.cluster, read.value.document, chain);
}

/**
 * Stops an acl-service whose roles document has ended. It has nobody to ask for a newer one, and nothing that it signs would count.
 *
 * @throws {RolesEnded}
 */
export function refuseEnded({ document }: Roles, { rolesPath }: MasterKeys, nowMs: number): void {
  const ended = rolesEnded(document, nowMs);
  if (ended !== undefined) throw new RolesEnded(`${rolesPath}: ${ended}`);
}

/**
 * Stops a service whose key the document in force does not name, as after `roles retire` where the new one was not handed out. Nobody
 * would hear it; and an acl-service signs the roster anew when it starts, which then nobody else could read.
 *
 * @throws {RoleKeyUnknown}
 */
export function refuseUnknownKey(role: RoleName, key: Uint8Array, roles: Roles, keys: MasterKeys): void {
  if (roles.keysOf(role).some((named) => equalBytes(named, key))) return;
  const what = `${keys.rolePath(role)}: the roles document ${String(roles.document.serial)} does not name this key: nobody would hear this service`;
  throw new RoleKeyUnknown(
    `${what}; put the key and the document of the master's pki folder there (tools/role-keys.mjs)`,
  );
}
