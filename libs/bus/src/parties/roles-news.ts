/** Newer roles documents as they are told while everyone runs: the whole chain in clear, on `dir.roles`. */
import { decode, encode, type RolesChain, rolesChainFromWire, rolesChainToWire } from '@natrium/envelope';
import { MAX_VALUES } from '@natrium/model';

/** The last word of the subject; no role has this name. */
export const ROLES_DOCUMENTS = 'roles';

export function writeChain(chain: RolesChain): Uint8Array {
  return encode(rolesChainToWire(chain));
}

/** @returns undefined for anything that is not a chain; whether it is a good one, `Roles.takeOver` says. */
export function readChain(payload: Uint8Array): RolesChain | undefined {
  try {
    return rolesChainFromWire(decode(payload, MAX_VALUES));
  } catch {
    return undefined;
  }
}
