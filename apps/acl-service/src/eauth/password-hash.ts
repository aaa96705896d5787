/** Passwords against what `htpasswd` writes: bcrypt (`-B`), Apache's MD5 (`-m`, its default) and SHA-1 (`-s`). */
import { createHash } from 'node:crypto';
import apacheMd5 from 'apache-md5';
import { compare } from 'bcryptjs';
import { isSame } from './shared-secret.js';

/** The package is CommonJS: its function is the default export, whatever its types say. */
const apr1 = apacheMd5 as unknown as (password: string, salt: string) => string;

/** @returns false also for a kind that is none of these: crypt(3) of the system, or a password in clear. */
export async function verifiesPassword(password: string, stored: string): Promise<boolean> {
  if (/^\$2[aby]\$/.test(stored)) return compare(password, stored);
  if (stored.startsWith('$apr1$')) return isSame(apr1(password, stored), stored);
  if (stored.startsWith('{SHA}')) {
    return isSame(`{SHA}${createHash('sha1').update(password).digest('base64')}`, stored);
  }
  return false;
}
