/** The roles document that a service begins with: its own file's, or a newer one that it has seen. */
import { Roles, rolesEnded } from '@natrium/bus';
import { verifyRolesChain } from '@natrium/envelope';
import { KeyfileCorrupt, type MasterKeys, newestRoles } from '@natrium/keystore';
import type { Logger } from 'pino';

export class RolesEnded extends Error {
  override readonly name = 'RolesEnded';
  readonly code = 'ERR_ROLES_ENDED';
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
