/** Real accounts with passwords on this machine, and a PAM stack of their own. Everything is put back. */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { installed } from './host.js';

const STACK = '/etc/pam.d/natrium-test';

export class PamAccounts {
  readonly service = 'natrium-test';
  readonly #names: readonly string[];

  /** @param passwords By name. @param groups Groups that are made, with their members. */
  constructor(
    passwords: Readonly<Record<string, string>>,
    private readonly groups: Readonly<Record<string, string>>,
  ) {
    installed('pamtester', '/usr/bin/pamtester');
    this.#names = Object.keys(passwords);
    this.remove(); // a run that was killed may have left them
    for (const name of this.#names) execFileSync('useradd', ['--no-create-home', '--shell', '/bin/sh', name]);
    for (const [group, member] of Object.entries(groups)) execFileSync('groupadd', ['--users', member, group]);
    const lines = Object.entries(passwords).map(([name, password]) => `${name}:${password}\n`);
    execFileSync('chpasswd', { input: lines.join(''), stdio: ['pipe', 'ignore', 'ignore'] });
    writeFileSync(STACK, 'auth required pam_unix.so\naccount required pam_unix.so\n');
  }

  /** `usermod`, with these words, on an account. */
  change(name: string, ...words: readonly string[]): void {
    execFileSync('usermod', [...words, name], { stdio: 'ignore' });
  }

  remove(): void {
    rmSync(STACK, { force: true });
    for (const name of this.#names) attempt('userdel', name);
    for (const group of Object.keys(this.groups)) attempt('groupdel', group);
  }
}

function attempt(program: string, name: string): void {
  try {
    execFileSync(program, [name], { stdio: 'ignore' });
  } catch {
    // It is not there, which was the aim.
  }
}
