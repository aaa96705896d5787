/** The roles document that a service begins with: its own file's, or a newer one that it has seen. */
import { Roles } from '@natrium/bus';
import { verifyRolesChain } from '@natrium/envelope';
import { KeyfileCorrupt, type MasterKeys, newestRoles } from '@natrium/keystore';
import type { Logger } from 'pino';

/** @param seen The file with the newest that was seen. @throws {KeyfileCorrupt} */
export function rolesAtStart(keys: MasterKeys, seen: string, log: Logger): Roles {
  const own = keys.chain();
  const chain = newestRoles(own, seen);
  if (chain !== own) log.warn(`the roles document in ${keys.folder} is older than one that was seen; that one counts`);
  const read = verifyRolesChain(chain, { firstRoot: own[0] }, 0);
  if (!read.ok) throw new KeyfileCorrupt(keys.rolesPath, 'hold a chain that its roots signed');
  return new Roles(read.value.cluster, read.value.document, chain);
}
