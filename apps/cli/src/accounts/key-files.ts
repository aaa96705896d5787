/**
 * The keys of this host's accounts: a folder of root's that others may pass through and not list, in it one file for each
 * account, which it alone may read.
 */
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MasterConfig } from '@natrium/config';
import { fingerprint, type Identity, identityFrom, newIdentitySecret } from '@natrium/envelope';
import { readIdentity, writeKeyFile, writeWhole } from '@natrium/keystore';
import { clientConfigText, clientFolder } from './client-config.js';
import { userPath } from '../link/broker-session.js';
import type { HostEntry } from './host-accounts.js';
import { accountKeyPath, accountsFolder, nameOfKeyFile } from './own-identity.js';
import type { KeyFile } from './plan.js';

const OWNER_ONLY = 0o600;
const READABLE = 0o644;
const PASSABLE = 0o711;
const LISTABLE = 0o755;
const PASS_BITS = 0o011;
/** The configuration's loader looks its files up by listing the folder. */
const LIST_BITS = 0o055;
const WRITE_BITS = 0o022;

export class KeyFiles {
  constructor(private readonly pkiDir: string) {}

  /** Every key file by the account's name. */
  all(): ReadonlyMap<string, KeyFile> {
    const folder = accountsFolder(this.pkiDir);
    if (!existsSync(folder)) return new Map();
    const names = readdirSync(folder).flatMap((file) => nameOfKeyFile(file) ?? []);
    return new Map(names.map((name) => [name, this.#look(name)]));
  }

  identityOf(name: string): Identity | undefined {
    return readIdentity(accountKeyPath(this.pkiDir, name));
  }

  /** A new key, in place of any that is there. */
  make(name: string, owner: HostEntry): Identity {
    const secret = newIdentitySecret();
    writeKeyFile(accountKeyPath(this.pkiDir, name), secret);
    this.shut(name, owner);
    return identityFrom(secret);
  }

  /** Root's until now; from here on the account's own. */
  shut(name: string, { uid, gid }: HostEntry): void {
    const path = accountKeyPath(this.pkiDir, name);
    const user = userPath(path);
    // The account writes its user of the broker there, in a folder that it may not write to.
    if (!existsSync(user)) writeWhole(user, '', OWNER_ONLY);
    for (const own of [path, user]) {
      chmodSync(own, OWNER_ONLY);
      chownSync(own, uid, gid);
    }
  }

  remove(name: string): void {
    const path = accountKeyPath(this.pkiDir, name);
    for (const own of [path, userPath(path)]) rmSync(own, { force: true });
  }

  #look(name: string): KeyFile {
    const path = accountKeyPath(this.pkiDir, name);
    const { uid, mode } = lstatSync(path);
    return { fingerprint: fingerprintAt(path), uid, isShut: (mode & 0o777) === OWNER_ONLY };
  }
}

/** @returns What is wrong when somebody else than root could put files there: then nothing is made or opened. */
export function prepareFolders(configDir: string, config: MasterConfig): string | undefined {
  const folder = accountsFolder(config.pki_dir);
  mkdirSync(folder, { recursive: true, mode: PASSABLE });
  const { uid, mode } = lstatSync(folder);
  if (uid !== 0 || (mode & WRITE_BITS) !== 0) return unsafe(folder);
  chmodSync(folder, PASSABLE);
  addBits(config.pki_dir, PASS_BITS);
  addBits(configDir, LIST_BITS);
  const client = clientFolder(configDir);
  mkdirSync(client, { recursive: true, mode: LISTABLE });
  chmodSync(client, LISTABLE);
  writeWhole(join(client, 'master'), clientConfigText(config), READABLE);
  return undefined;
}

function unsafe(folder: string): string {
  const mend = `chown root: ${folder} && chmod 711 ${folder}`;
  return `${folder} has to be a folder of root's that nobody else may write to: ${mend}; if somebody else may have put a key there, remove it instead: accounts then get new ones`;
}

/** The folders above these that other accounts cannot pass. */
export function shutFolders(paths: readonly string[]): readonly string[] {
  const above = (path: string): readonly string[] =>
    dirname(path) === path ? [path] : [path, ...above(dirname(path))];
  return [...new Set(paths.flatMap(above))].filter((path) => (statSync(path).mode & 0o001) === 0).sort();
}

function addBits(folder: string, bits: number): void {
  chmodSync(folder, (statSync(folder).mode & 0o7777) | bits);
}

function fingerprintAt(path: string): string | undefined {
  try {
    const identity = readIdentity(path);
    return identity === undefined ? undefined : fingerprint(identity.publicKey);
  } catch {
    return undefined; // what is there is no key; a new one takes its place
  }
}
