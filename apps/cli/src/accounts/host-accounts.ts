/** The accounts of this host as its name service tells of them: files, LDAP, AD; whatever `getent` knows. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface HostEntry {
  readonly uid: number;
  readonly gid: number;
}

const run = promisify(execFile);
const MAX_BYTES = 64 << 20;
const PATIENCE_MS = 30_000;

/**
 * @param names Asked for one by one: directories often answer for a name and list nothing.
 * @returns Every account that can be listed, and those of `names` that exist.
 */
export async function hostAccounts(names: Iterable<string>): Promise<ReadonlyMap<string, HostEntry>> {
  const found = new Map(entriesIn(await getent([])));
  for (const name of names) {
    if (found.has(name)) continue;
    // `getent passwd 1000` answers for a number: only the very name counts.
    for (const [known, entry] of entriesIn(await getent([name]))) if (known === name) found.set(known, entry);
  }
  return found;
}

async function getent(words: readonly string[]): Promise<string> {
  try {
    return (await run('getent', ['passwd', ...words], { maxBuffer: MAX_BYTES, timeout: PATIENCE_MS })).stdout;
  } catch (error) {
    const NOT_FOUND = 2;
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === NOT_FOUND) return '';
    throw error;
  }
}

/** What answers of accounts from this host alone: one that these do not find is not there. `compat` asks a directory where a line begins with `+`. */
const OWN_SOURCES: ReadonlySet<string> = new Set(['files', 'systemd', 'db', 'altfiles', 'extrausers']);

/** @param text `/etc/nsswitch.conf`. @returns Whether accounts come from elsewhere, which may be away, as well. */
export function hasDirectory(text: string): boolean {
  const [, sources = ''] = /^\s*passwd:([^#\n]*)/m.exec(text) ?? [];
  const words = sources.replace(/\[[^\]]*\]/g, ' ').split(/\s+/);
  return words.some((word) => word !== '' && !OWN_SOURCES.has(word));
}

/** Lines as in /etc/passwd. */
export function entriesIn(text: string): readonly (readonly [string, HostEntry])[] {
  return text.split('\n').flatMap((line) => {
    const [name = '', , uid = '', gid = ''] = line.split(':');
    const isEntry = name !== '' && /^\d+$/.test(uid) && /^\d+$/.test(gid);
    return isEntry ? [[name, { uid: Number(uid), gid: Number(gid) }] as const] : [];
  });
}
