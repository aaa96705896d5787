/** The certificate of the HTTP API, which needs the host's openssl: what is renewed is taken up, what cannot be used changes nothing. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { loadMasterConfig } from '@natrium/config';
import { freePort } from '@natrium/process';
import { Arrivals } from '@natrium/testing';
import pino from 'pino';
import { checkApiCertificate } from '../../apps/cli/src/doctor/host-checks.js';
import type { Api } from '../../apps/master-gateway/src/http/api.js';
import type { EventStreams } from '../../apps/master-gateway/src/http/event-streams.js';
import { type HttpOptions, httpOptions } from '../../apps/master-gateway/src/http/http-options.js';
import { type HttpServer, serveHttp } from '../../apps/master-gateway/src/http/http-server.js';
import type { Sessions } from '../../apps/master-gateway/src/http/sessions.js';
import type { WholeJobs } from '../../apps/master-gateway/src/http/whole-jobs.js';

const DAY_MS = 86_400_000;
const TAKEN = 'the HTTP API has the certificate that is in its files now';
const REFUSED = 'the certificate of the HTTP API has changed and cannot be used; the one from before stays';
let dir: string;
let port: number;
let server: HttpServer | undefined;
let log: Lines;

class Lines {
  readonly said: string[] = [];
  readonly #arrivals = new Arrivals<string>('a line of the log');
  readonly logger = pino({}, { write: (line) => { this.said.push(line); this.#arrivals.push(line); } }); // prettier-ignore

  next(text: string): Promise<string> {
    return this.#arrivals.next((line) => line.includes(text));
  }

  count(text: string): number {
    return this.said.filter((line) => line.includes(text)).length;
  }
}

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'nt-api-certificate-'));
  [port, log] = [await freePort(), new Lines()];
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(dir, { recursive: true });
});

const at = (name: string) => join(dir, name);

/** `NAME.crt` and `NAME.key`, for `CN=NAME`. */
function make(name: string, days = 2): void {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', `${name}.key`];
  const words = ['req', '-x509', ...key, '-days', String(days), '-out', `${name}.crt`, '-subj', `/CN=${name}`];
  execFileSync('openssl', words, { cwd: dir, stdio: 'pipe' });
}

function use(name: string): void {
  for (const kind of ['crt', 'key']) copyFileSync(at(`${name}.${kind}`), at(`api.${kind}`));
}

function options(more = ''): HttpOptions {
  const files = `ssl_crt: ${at('api.crt')}, ssl_key: ${at('api.key')}${more}`;
  writeFileSync(at('master'), `rest_cherrypy: {port: ${String(port)}, host: 127.0.0.1, ${files}}\n`);
  const loaded = loadMasterConfig(dir);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  const read = httpOptions(loaded.value);
  if (read === undefined) throw new Error('there is no HTTP API');
  return read;
}

async function serve(more?: string): Promise<void> {
  const streams = { close: () => undefined } as unknown as EventStreams;
  const parts = { api: {} as Api, sessions: {} as Sessions, streams, jobs: {} as WholeJobs, log: log.logger };
  server = await serveHttp(options(more), parts);
}

async function opened(): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return socket;
}

/** Whose certificate a new connection sees. */
async function shown(): Promise<string> {
  const socket = await opened();
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

it('is the one that its files hold now; a connection that is open goes on', async () => {
  for (const name of ['first', 'second']) make(name);
  use('first');
  await serve();
  const before = await opened();
  expect(await shown()).toBe('first');
  use('second');
  expect(await log.next(TAKEN)).toContain(at('api.crt'));
  expect(await shown()).toBe('second');
  before.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(String((await once(before, 'data'))[0])).toMatch(/^HTTP\/1\.1 /);
  before.destroy();
});

it.each<[string, () => void]>([
  ['a certificate of another key', () => { copyFileSync(at('second.crt'), at('api.crt')); }],
  ['what is no certificate', () => { writeFileSync(at('api.crt'), 'x'); }],
  ['nothing', () => { unlinkSync(at('api.key')); }],
])('stays where its files hold %s, which is said once with their names, until they fit', async (_about, spoil) => {
  for (const name of ['first', 'second']) make(name);
  use('first');
  await serve();
  spoil();
  expect(await log.next(REFUSED)).toContain('rest_cherrypy.ssl_');
  expect(await shown()).toBe('first');
  const more = log.count(REFUSED);
  use('second');
  await log.next(TAKEN);
  expect(await shown()).toBe('second');
  expect(more).toBe(1);
}); // prettier-ignore

it('is followed where a link to it is replaced, as ACME clients do, and where the file behind a link is', async () => {
  for (const name of ['first', 'second', 'third']) make(name);
  for (const name of ['first', 'second']) {
    mkdirSync(at(`${name}.d`));
    for (const kind of ['crt', 'key']) copyFileSync(at(`${name}.${kind}`), join(dir, `${name}.d`, kind));
  }
  const link = (name: string) => {
    for (const kind of ['crt', 'key']) {
      symlinkSync(join(dir, `${name}.d`, kind), at('next'));
      renameSync(at('next'), at(`api.${kind}`));
    }
  };
  link('first');
  await serve();
  link('second');
  await log.next(TAKEN);
  expect(await shown()).toBe('second');
  for (const kind of ['crt', 'key']) copyFileSync(at(`third.${kind}`), join(dir, 'second.d', kind));
  await log.next(TAKEN);
  expect(await shown()).toBe('third');
});

it('has its chain behind it, which is followed, too', async () => {
  for (const name of ['first', 'chain', 'longer']) make(name);
  use('first');
  copyFileSync(at('chain.crt'), at('api.chain'));
  const given = options(`, ssl_chain: ${at('api.chain')}`);
  expect(given.tls?.pair.cert.toString()).toBe(
    readFileSync(at('first.crt'), 'utf8') + readFileSync(at('chain.crt'), 'utf8'),
  );
  await serve(`, ssl_chain: ${at('api.chain')}`);
  copyFileSync(at('longer.crt'), at('api.chain'));
  await log.next(TAKEN);
  expect(await shown()).toBe('first');
});

it('that does not fit, or is not there, stops the start with the name of its setting', () => {
  for (const name of ['first', 'second']) make(name);
  expect(() => options()).toThrow(/rest_cherrypy\.ssl_crt cannot be read/);
  use('first');
  expect(() => options(', ssl_chain: /nowhere')).toThrow(/rest_cherrypy\.ssl_chain cannot be read/);
  copyFileSync(at('second.key'), at('api.key'));
  expect(() => options()).toThrow(
    /rest_cherrypy\.ssl_crt .*api\.crt and ssl_key .*api\.key are no certificate with its key/,
  );
});

it('natriumctl doctor warns before it ends, later where it was made for weeks, and says when it has ended', () => {
  const said = (days: number, more: Readonly<Record<string, unknown>> = {}) =>
    checkApiCertificate({ rest_cherrypy: { ssl_crt: at('api.crt'), ...more } }, Date.now() + days * DAY_MS).map(
      ({ level, check }) => `${level} ${check}`,
    );
  expect(said(0)).toEqual([]);
  make('api', 825);
  expect([said(700), said(740), said(826)]).toEqual([
    ['ok certificates'],
    ['warning certificates'],
    ['problem certificates'],
  ]);
  expect([said(740, { disable_ssl: true }), said(740, { ssl_crt: undefined })]).toEqual([[], []]);
  expect(checkApiCertificate({ rest_cherrypy: {} }, Date.now())).toEqual([]);
  make('api', 90);
  expect([said(60), said(70), said(91)]).toEqual([
    ['ok certificates'],
    ['warning certificates'],
    ['problem certificates'],
  ]);
});
