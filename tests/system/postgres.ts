/** A real PostgreSQL of the distribution: an instance of its own on loopback, run by the account of that package. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '@natrium/process';
import { makeCertificates } from './certificates.js';
import { installed } from './host.js';

const ACCOUNT = 'postgres';
const PASSWORD = 'a password of this test';

export class Postgres {
  readonly #clients: Client[] = [];

  private constructor(
    readonly folder: string,
    private readonly programs: string,
    readonly port: number,
  ) {}

  static async start(): Promise<Postgres> {
    installed('postgresql', '/usr/lib/postgresql/*/bin/initdb');
    const programs = execFileSync('sh', ['-c', 'dirname $(ls /usr/lib/postgresql/*/bin/initdb | tail -n 1)'], {
      encoding: 'utf8',
    }).trim();
    const folder = mkdtempSync(join(tmpdir(), 'nt-postgres-'));
    const server = new Postgres(folder, programs, await freePort());
    writeFileSync(server.secretFile, `${PASSWORD}\n`);
    chmodSync(folder, 0o755);
    makeCertificates(folder);
    execFileSync('chown', [ACCOUNT, join(folder, 'server.key')]);
    execFileSync('install', ['-d', '-o', ACCOUNT, '-m', '700', join(folder, 'data')]);
    const auth = ['--auth=scram-sha-256', `--pwfile=${server.secretFile}`, '--username=salt', '--no-sync'];
    server.#run('initdb', '--encoding=UTF8', '--locale=C', '-D', join(folder, 'data'), ...auth);
    server.up();
    return server;
  }

  /** The file with the password of the account `salt`, which owns everything. */
  get secretFile(): string {
    return join(this.folder, 'password');
  }

  get authority(): string {
    return join(this.folder, 'ca.pem');
  }

  url(database = 'postgres', user = 'salt'): string {
    return `postgresql://${user}@127.0.0.1:${String(this.port)}/${database}`;
  }

  /** Comes back when it lets clients in. */
  up(): void {
    const tls = {
      ssl: 'on',
      ssl_cert_file: join(this.folder, 'server.pem'),
      ssl_key_file: join(this.folder, 'server.key'),
    };
    const settings = {
      port: this.port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'off',
      ...tls,
    };
    const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
    this.#run('pg_ctl', 'start', '-w', '-D', join(this.folder, 'data'), '-l', '/dev/null', '-o', options.join(' '));
  }

  /** As a power cut: no connection is ended in peace. */
  down(): void {
    this.#run('pg_ctl', 'stop', '-w', '-m', 'immediate', '-D', join(this.folder, 'data'));
  }

  /** An empty database of its own. */
  async database(name: string): Promise<Client> {
    const server = await this.client('postgres');
    await server.query(`CREATE DATABASE ${name}`);
    await server.end();
    return this.client(name);
  }

  async client(database: string): Promise<Client> {
    const client = new Client({ connectionString: `${this.url(database)}?password=${encodeURIComponent(PASSWORD)}` });
    client.on('error', () => undefined); // it is taken down while clients are there
    await client.connect();
    this.#clients.push(client);
    return client;
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) await client.end().catch(() => undefined);
    this.down();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #run(program: string, ...words: readonly string[]): void {
    const drop = [`--reuid=${ACCOUNT}`, `--regid=${ACCOUNT}`, '--clear-groups'];
    execFileSync('setpriv', [...drop, join(this.programs, program), ...words], { cwd: '/', stdio: 'ignore' });
  }
}

/** The rows of a query. */
export async function rowsOf(client: Client, query: string, ...values: readonly unknown[]) {
  return (await client.query(query, values)).rows;
}
