/**
 * The identity of a minion or an account on its own host: its secret, and what it has learned of the cluster.
 *
 * Spec: spec/envelope.md#keys, #roles.
 */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  encode,
  type Identity,
  identityFrom,
  newIdentitySecret,
  type Signed,
  signedFromWire,
  signedToWire,
  type Wire,
} from '@natrium/envelope';
import { decoded, KeyfileCorrupt, readKeyFile, writeKeyFile } from './key-file.js';
import { readIfThere, syncName, writeWhole } from './whole-file.js';

const OWNER_ONLY = 0o600;

/** Reads the secret at `path`. @returns undefined when there is none. */
export function readIdentity(path: string): Identity | undefined {
  const secret = readKeyFile(path);
  return secret === undefined ? undefined : identityFrom(secret);
}

/** Makes a new identity; `fresh` tells the run-once record that nothing can have run under it yet. */
export function readOrMakeIdentity(path: string): { readonly identity: Identity; readonly fresh: boolean } {
  const known = readIdentity(path);
  if (known !== undefined) return { identity: known, fresh: false };
  const secret = newIdentitySecret();
  writeKeyFile(path, secret);
  return { identity: identityFrom(secret), fresh: true };
}

/**
 * The identity that shall follow the one at a path: made and kept beside it before anybody hears of it, so that whichever of
 * the two the cluster knows after a crash is there.
 */
export class NextIdentity {
  readonly #path: string;

  constructor(private readonly current: string) {
    this.#path = `${current}.next`;
  }

  /** undefined: no change is under way. */
  read(): Identity | undefined {
    return readIdentity(this.#path);
  }

  /** The one of a change that was not finished, or a new one. */
  readOrMake(): Identity {
    return readOrMakeIdentity(this.#path).identity;
  }

  /** From here on it is the identity; the one before is gone. */
  takeOver(): void {
    renameSync(this.#path, this.current);
  }

  /** The cluster will never know it. */
  drop(): void {
    rmSync(this.#path, { force: true });
  }
}

/** What a host keeps of its cluster: the first root it trusts, the newest roles document and the latest signed time it saw. */
export interface ClusterMemory {
  readonly firstRoot: Uint8Array;
  readonly serial: number;
  readonly timeFloorMs: number;
  /** The document of that serial; undefined where an earlier version wrote the file. */
  readonly newest: Signed | undefined;
}

const MEMORY_SHOULD = "hold what was learned of a cluster, in this version's form";
/** All but the root is learned again. */
const MEMORY_MEND =
  'restore it from a backup of its folder, or remove it where master_finger is set, or go back to the version that wrote it';

export class ClusterMemoryFile {
  readonly path: string;

  constructor(folder: string) {
    this.path = join(folder, 'cluster');
  }

  /** @throws {KeyfileCorrupt} When it is there and cannot be read: trust is never quietly started anew. */
  read(): ClusterMemory | undefined {
    const bytes = readIfThere(this.path);
    if (bytes === undefined) return undefined;
    const memory = memoryIn(bytes);
    if (memory === undefined) throw new KeyfileCorrupt(this.path, MEMORY_SHOULD, MEMORY_MEND);
    return memory;
  }

  write({ firstRoot, serial, timeFloorMs, newest }: ClusterMemory): void {
    const document = newest === undefined ? [] : [signedToWire(newest)];
    writeWhole(this.path, encode([firstRoot, serial, Math.floor(timeFloorMs), ...document]), OWNER_ONLY);
    syncName(this.path);
  }
}

function memoryIn(bytes: Uint8Array): ClusterMemory | undefined {
  const wire = decoded(bytes);
  if (!Array.isArray(wire) || wire.length > 4) return undefined;
  const [firstRoot, serial, timeFloorMs, document] = wire as readonly Wire[];
  if (!(firstRoot instanceof Uint8Array) || firstRoot.length !== 32) return undefined;
  const newest = document === undefined ? undefined : signedFromWire(document);
  if (document !== undefined && newest === undefined) return undefined;
  return isCount(serial) && isCount(timeFloorMs) ? { firstRoot, serial, timeFloorMs, newest } : undefined;
}

function isCount(wire: Wire | undefined): wire is number {
  return typeof wire === 'number' && Number.isSafeInteger(wire) && wire >= 0;
}
