/** Passwords against what `htpasswd` writes: bcrypt (`-B`), Apache's MD5 (`-m`, its default) and SHA-1 (`-s`). */
import { createHash } from 'node:crypto';
import apacheMd5 from 'apache-md5';
import { compare } from 'bcryptjs';
import { isSame } from './shared-secret.js';

/** The package is CommonJS: its function is the default export, whatever its types say. */
const apr1 = apacheMd5 as unknown as (password: string, salt: string) => string;

/** Other tools hash the bytes; the package takes the low eight bits of each character. */
const bytesOf = (password: string) => Buffer.from(password).toString('latin1');

/** Other kinds are crypt(3) of the system, or a password in clear. */
export function isKnownHash(stored: string): boolean {
  return /^(?:\$2[aby]\$|\$apr1\$|\{SHA\})/.test(stored);
}

/** @returns false also for a kind that is not known. */
export async function verifiesPassword(password: string, stored: string): Promise<boolean> {
  if (/^\$2[aby]\$/.test(stored)) return compare(password, stored);
  if (stored.startsWith('$apr1$')) return isSame(apr1(bytesOf(password), stored), stored);
  if (stored.startsWith('{SHA}')) {
    return isSame(`{SHA}${createHash('sha1').update(password).digest('base64')}`, stored);
  }
  return false;
}
