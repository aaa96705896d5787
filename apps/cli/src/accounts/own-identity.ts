/**
 * Which key an account on this host uses, and what it claims to be.
 *
 * Root and the master's own account have the first account's key; every other account has the one that `natriumctl accounts
 * sync` made for it. Whoever founded a cluster as himself, as a developer does, owns the first key and uses it.
 *
 * Spec: docs/accounts.md. The original's rule for sudo: compat/cases/publisher_acl.jsonl.
 */
import { userInfo } from 'node:os';
import { join } from 'node:path';

/** Who runs this process. */
export interface HostAccount {
  /** Effective. */
  readonly uid: number;
  readonly name: string;
  /** Who called sudo. */
  readonly sudoUser: string | undefined;
}

export interface KeyPlaces {
  readonly pkiDir: string;
  readonly firstAccount: string;
  /** The `user` of the master file. */
  readonly masterAccount: string;
}

const ACCOUNTS = 'accounts';
const ROOT = 'root';
const PLAIN = /[A-Za-z0-9_-]/;

/** The key file of an account: characters that could mean something in a path are spelled `%XX`. */
export function accountKeyPath(pkiDir: string, name: string): string {
  return join(pkiDir, ACCOUNTS, `${escapedName(name)}.key`);
}

export function accountsFolder(pkiDir: string): string {
  return join(pkiDir, ACCOUNTS);
}

export function escapedName(name: string): string {
  const spelled = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return [...name]
    .map((char, at) => {
      if (PLAIN.test(char) || (char === '.' && at > 0)) return char;
      return [...Buffer.from(char)].map(spelled).join('');
    })
    .join('');
}

/** @returns undefined for a file that is none of these. */
export function nameOfKeyFile(file: string): string | undefined {
  if (!file.endsWith('.key')) return undefined;
  try {
    const name = decodeURIComponent(file.slice(0, -'.key'.length));
    return `${escapedName(name)}.key` === file ? name : undefined;
  } catch {
    return undefined; // not our spelling
  }
}

/** The key files that may be the account's, best first; the first that is there and may be read counts. */
export function keyFilesOf(
  { uid, name }: HostAccount,
  { pkiDir, firstAccount, masterAccount }: KeyPlaces,
): readonly string[] {
  if (uid === 0 || name === masterAccount) return [firstAccount];
  return [accountKeyPath(pkiDir, name), firstAccount];
}

/**
 * Root through sudo acts for the account that called it: what `sudo_acl` then allows is the master's to decide. Where the first
 * account is another than root, root asks with its key and in its own name, as in Salt: the blacklist is about that name.
 */
export function claimOf({ uid, sudoUser }: HostAccount, masterAccount: string): string | undefined {
  if (uid !== 0) return undefined;
  if (sudoUser !== undefined && sudoUser !== '') return `sudo_${sudoUser}`;
  return masterAccount === ROOT ? undefined : ROOT;
}

export function callingAccount(env: Readonly<Record<string, string | undefined>>): HostAccount {
  const uid = process.geteuid?.() ?? -1;
  return { uid, name: accountName(), sudoUser: env['SUDO_USER'] };
}

/** Of whoever runs this process; the number as text where a container runs as an account that nobody has named. */
export function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.geteuid?.() ?? -1);
  }
}
