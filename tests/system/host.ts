/**
 * Real accounts on this machine: some in /etc/passwd, some that only the name service knows (libnss-extrausers stands in for
 * LDAP or AD). Everything is put back as it was.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPackages } from '../support/apt.js';
import { type Ran, runProgram } from '../support/run-program.js';

const NSSWITCH = '/etc/nsswitch.conf';
const KEPT = `${NSSWITCH}.before-natrium-test`;
const EXTRA = '/var/lib/extrausers';
const EXTRA_UID = 71_000;

export class HostAccounts {
  private constructor(
    private readonly local: readonly string[],
    readonly ids: ReadonlyMap<string, { readonly uid: string; readonly gid: string }>,
  ) {}

  /** @param nss Accounts that are in no file of /etc. */
  static make(local: readonly string[], nss: readonly string[]): HostAccounts {
    installed('libnss-extrausers', '/usr/lib/*/libnss_extrausers.so.2');
    // A run that was killed left this file, and its accounts with it.
    if (existsSync(KEPT)) new HostAccounts(local.filter(exists), new Map()).remove();
    for (const name of local) execFileSync('useradd', ['--no-create-home', '--shell', '/bin/sh', name]);
    mkdirSync(EXTRA, { recursive: true });
    const lines = nss.map((name, at) => `${name}:*:${String(EXTRA_UID + at)}:${String(EXTRA_UID + at)}::/:/bin/sh\n`);
    writeFileSync(`${EXTRA}/passwd`, lines.join(''));
    copyFileSync(NSSWITCH, KEPT);
    writeFileSync(NSSWITCH, readFileSync(KEPT, 'utf8').replace(/^(passwd:.*)$/m, '$1 extrausers'));
    return new HostAccounts(local, new Map([...local, ...nss].map((name) => [name, idsOf(name)])));
  }

  remove(): void {
    if (existsSync(KEPT)) {
      copyFileSync(KEPT, NSSWITCH);
      rmSync(KEPT);
    }
    rmSync(`${EXTRA}/passwd`, { force: true });
    for (const name of this.local) execFileSync('userdel', [name]);
  }

  /** Runs a program as an account and nothing more: no root, no group of root. */
  run(name: string, ...words: readonly string[]): Promise<Ran> {
    const { uid, gid } = this.ids.get(name) ?? idsOf(name);
    const drop = ['--reuid', uid, '--regid', gid, '--clear-groups', '--no-new-privs'];
    return runProgram('setpriv', [...drop, ...words], { cwd: '/' });
  }
}

/** Gets a package of the distribution, unless a file of it is there. */
export function installed(name: string, file: string): void {
  const isThere = execFileSync('sh', ['-c', `ls ${file} 2>/dev/null || true`], { encoding: 'utf8' }) !== '';
  if (isThere) return;
  getPackages(name);
}

function exists(name: string): boolean {
  try {
    return idsOf(name).uid !== '';
  } catch {
    return false;
  }
}

function idsOf(name: string): { readonly uid: string; readonly gid: string } {
  const [, , uid = '', gid = ''] = execFileSync('getent', ['passwd', name], { encoding: 'utf8' }).trim().split(':');
  return { uid, gid };
}
