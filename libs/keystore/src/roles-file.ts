/** The chain of roles documents as a file: the operator's own in `pki/`, and what a process has seen last. */
import { encode, type RolesChain, rolesChainFromWire, rolesChainToWire, verifyRolesChain } from '@natrium/envelope';
import { decoded, KeyfileCorrupt } from './key-file.js';
import { readIfThere, syncName, writeWhole } from './whole-file.js';

/** How long a document holds; it is renewed long before. */
export const ROLES_VALID_MS = 2 * 365 * 24 * 3_600_000;

const READABLE = 0o644;

/** @returns undefined when there is no such file. @throws {KeyfileCorrupt} Or the system's own, when it cannot be read. */
export function readRolesFile(path: string): RolesChain | undefined {
  const bytes = readIfThere(path);
  if (bytes === undefined) return undefined;
  const wire = decoded(bytes);
  const chain = wire === undefined ? undefined : rolesChainFromWire(wire);
  if (chain === undefined) throw new KeyfileCorrupt(path, 'hold the chain of roles documents');
  return chain;
}

export function writeRolesFile(path: string, chain: RolesChain): void {
  writeWhole(path, encode(rolesChainToWire(chain)), READABLE);
  syncName(path);
}

/** What this process has seen last, where that continues `known` and is newer; else `known`. @throws {KeyfileCorrupt} */
export function newestRoles(known: RolesChain, seenPath: string): RolesChain {
  const seen = readRolesFile(seenPath);
  if (seen === undefined) return known;
  const [firstRoot] = known;
  const serialOf = (chain: RolesChain) => {
    const read = verifyRolesChain(chain, { firstRoot }, 0);
    return read.ok ? read.value.document.serial : 0;
  };
  return serialOf(seen) > serialOf(known) ? seen : known;
}
