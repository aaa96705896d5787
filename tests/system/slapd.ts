/** A real directory: slapd of the distribution, on loopback, with StartTLS and LDAPS under an authority of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@natrium/process';
import { makeCertificates } from './certificates.js';
import { installed } from './host.js';

export interface SlapdOptions {
  /** What is in the directory, as LDIF. */
  readonly ldif: string;
  readonly suffix: string;
  /** Who may read it, below the suffix. */
  readonly reader: string;
}

export class Slapd {
  private constructor(
    private readonly folder: string,
    private readonly child: ChildProcess,
    readonly port: number,
    readonly tlsPort: number,
  ) {}

  static async start(options: SlapdOptions): Promise<Slapd> {
    installed('slapd', '/usr/sbin/slapd');
    const folder = mkdtempSync(join(tmpdir(), 'nt-slapd-'));
    const port = await freePort(2);
    const tlsPort = port + 1;
    makeCertificates(folder);
    const config = join(folder, 'slapd.conf');
    mkdirSync(join(folder, 'db'));
    writeFileSync(config, configText(folder, options));
    writeFileSync(join(folder, 'all.ldif'), options.ldif);
    execFileSync('/usr/sbin/slapadd', ['-f', config, '-l', join(folder, 'all.ldif')], { stdio: 'pipe' });
    const urls = `ldap://127.0.0.1:${String(port)} ldaps://127.0.0.1:${String(tlsPort)}`;
    // `-d 0`: in the foreground, so that it is ours to end.
    const child = spawn('/usr/sbin/slapd', ['-f', config, '-h', urls, '-d', '0'], { stdio: 'ignore' });
    await answers(port, child);
    return new Slapd(folder, child, port, tlsPort);
  }

  get authority(): string {
    return join(this.folder, 'ca.pem');
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      const ended = new Promise((resolve) => this.child.once('exit', resolve));
      this.child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function configText(folder: string, { suffix, reader }: SlapdOptions): string {
  const schemas = ['core', 'cosine', 'nis', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`);
  return [
    ...schemas,
    'modulepath /usr/lib/ldap',
    'moduleload back_mdb',
    `TLSCACertificateFile ${folder}/ca.pem`,
    `TLSCertificateFile ${folder}/server.pem`,
    `TLSCertificateKeyFile ${folder}/server.key`,
    'database mdb',
    `suffix "${suffix}"`,
    `directory ${folder}/db`,
    'access to attrs=userPassword by anonymous auth by * none',
    `access to * by dn.exact="${reader}" read by self read by * none`,
    '',
  ].join('\n');
}

/** Resolves at the first connection; there is nothing else by which slapd says that it is ready. */
function answers(port: number, child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const until = Date.now() + 10_000;
    const ask = () => {
      if (child.exitCode !== null || Date.now() > until) {
        reject(new Error('slapd did not start'));
        return;
      }
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve();
      });
      socket.once('error', () => setTimeout(ask, 50));
    };
    ask();
  });
}
