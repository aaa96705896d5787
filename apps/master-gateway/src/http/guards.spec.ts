/** How much of whom nobody knows is listened to, over real sockets: at the doors that credentials come to, before anything is parsed. */
import { request } from 'node:http';
import { sodiumReady } from '@natrium/envelope';
import { Budget } from '@natrium/flow';
import type { RoleLink } from '@natrium/edge';
import pino from 'pino';
import { freePort } from '@natrium/process';
import type { EventFeed } from '../event-feed.js';
import { Api } from './api.js';
import { type Call, Clients } from './clients.js';
import { EventStreams } from './event-streams.js';
import type { HttpOptions } from './http-options.js';
import { type HttpServer, serveHttp } from './http-server.js';
import type { MasterCalls } from './master-calls.js';
import { Sessions } from './sessions.js';
import type { WholeJobs } from './whole-jobs.js';

const MOST = 3;
const GOOD = 'a'.repeat(40);
const ROOM = 65_536;
const LOGIN = 'username: fred\npassword: x\neauth: file\n';
let server: HttpServer;
let url: string;
/** What the acl-service was asked, and how many bodies were read as lowstates. */
let [asked, reads] = [[] as string[], 0];

class CountingClients extends Clients {
  override read(): readonly Call[] {
    reads += 1;
    return [];
  }
}

beforeAll(sodiumReady);
beforeEach(() => serve());
afterEach(() => server.close());

async function serve(hasSessions = true): Promise<void> {
  [asked, reads] = [[], 0];
  const ask = ({ body: { credential } }: { readonly body: { readonly credential: { readonly secret: string; readonly token: string } } }) => {
    asked.push(credential.token + credential.secret);
    const isGood = credential.token === GOOD || credential.secret === 'right';
    const body = isGood
      ? { refusal: null, token: GOOD, session: { name: 'fred', eauth: 'file', perms: [], start: 0, expire: 0 } }
      : { refusal: { code: 'bad_credential', sentence: 'no' }, token: '', session: null };
    return Promise.resolve({ ok: true, value: { body } });
  }; // prettier-ignore
  const budget = new Budget({ rate: 1, burst: MOST });
  const allowance = { take: (who: string) => budget.take(who, 0), isSpent: (who: string) => budget.isSpent(who, 0) };
  const link = { bus: { ask }, subjects: { svcAcl: () => '' }, directory: { role: () => [] } } as unknown as RoleLink;
  const sessions = new Sessions(link, allowance);
  const log = pino({ enabled: false });
  const streams = new EventStreams({} as EventFeed, sessions, log);
  const options: HttpOptions = {
    host: '127.0.0.1', port: await freePort(), addresses: undefined, prefix: '', tls: undefined, app: undefined, appPath: '/app',
    static: undefined, staticPath: '/static', hookPath: '/hook', hasSessions, openHook: false, openStats: false, maxBody: 200_000, clients: new Set(['local']),
    timeout: 5, restTimeout: 5, proxies: ['loopback'],
  }; // prettier-ignore
  const clients = new CountingClients({} as MasterCalls, options);
  const api = new Api({
    sessions,
    streams,
    clients,
    feed: {} as EventFeed,
    hasSessions,
    openHook: false,
    openStats: false,
    log,
  });
  server = await serveHttp(options, { api, sessions, streams, jobs: {} as WholeJobs, log });
  ({ url } = server);
}

async function post(path: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const answer = await fetch(url + path, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'text/yaml', ...headers },
  });
  await answer.arrayBuffer();
  return answer.status;
}

/** A body that does not say beforehand how long it is. */
function postInChunks(path: string, body: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asking = request(url + path, { method: 'POST', headers: { 'Content-Type': 'text/yaml' } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asking.on('error', reject);
    asking.write(body.slice(0, 10));
    asking.end(body.slice(10));
  });
}

const from = (address: string) => ({ 'X-Forwarded-For': address });
const padded = (bytes: number) => LOGIN.padEnd(bytes, '#');

describe.each(['/login', '/token', '/LOGIN/'])('%s', (path) => {
  it('takes a body of 64 KiB and no longer one, said or not', async () => {
    expect(await post(path, padded(ROOM))).toBe(401);
    expect(asked).toHaveLength(1);
    expect(await post(path, padded(ROOM + 1))).toBe(413);
    expect(await postInChunks(path, padded(ROOM + 1))).toBe(413);
    expect(asked).toHaveLength(1);
  });
});

it('/run takes lowstates as POST / does', async () => {
  expect(await post('/run', `[]${'#'.padStart(ROOM)}`)).toBe(200);
  expect(await post('/run', '#'.repeat(200_001))).toBe(413);
});

it.each([
  ['/login', LOGIN, 401],
  ['/token', LOGIN, 401],
  ['/login', 'a: [', 400],
  ['/login', 'a: 1', 401],
  ['/token', '[', 400],
  ['/run', '[', 400],
  ['/run', 'client: x', 400],
  ['/run', 'client: local', 401],
  ['/run', '{client: local, token: x}', 401],
])('an address from which too much came that made nobody known (%s, %j) is not listened to; another is', async (path, body, status) => {
  for (let n = 0; n < MOST; n += 1) expect(await post(path, body, from('192.0.2.7'))).toBe(status);
  const before = asked.length;
  for (const door of ['/login', '/token', '/run/', '/LOGIN']) expect(await post(door, body, from('192.0.2.7'))).toBe(503);
  expect(asked).toHaveLength(before);
  expect(await post('/login', LOGIN.replace('x', 'right'), from('192.0.2.8'))).toBe(200);
}); // prettier-ignore

it('what else came from an address that was nobody’s is nothing to who logs in there', async () => {
  const dead = { ...from('192.0.2.9'), 'X-Auth-Token': 'b'.repeat(40) };
  for (let n = 0; n < MOST; n += 1) expect(await post('/', '[]', dead)).toBe(401);
  expect(await post('/', '[]', dead)).toBe(503);
  expect(await post('/login', LOGIN.replace('x', 'right'), from('192.0.2.9'))).toBe(200);
});

it('a login that is good costs its address nothing', async () => {
  for (let n = 0; n <= 2 * MOST; n += 1) expect(await post('/login', LOGIN.replace('x', 'right'))).toBe(200);
});

it('a long body is read for who is known alone', async () => {
  const long = `[]${'#'.padStart(ROOM)}`;
  const by = (token: string) => ({ 'X-Auth-Token': token });
  for (const path of ['/', '/ui/can-i']) expect(await post(path, long, by('b'.repeat(40)))).toBe(401);
  expect([reads, asked]).toEqual([0, ['b'.repeat(40), 'b'.repeat(40)]]);
  expect(await post('/', long, by(GOOD))).toBe(200);
  expect(reads).toBe(1);
});

it('where there are no sessions, nothing that needs or makes one is there, and what does without is', async () => {
  const asks = async (path: string, method = 'GET') =>
    (await fetch(url + path, { method, headers: { Accept: '*/*' } })).status;
  const paths = ['/login', '/login/', '/LOGIN', '/logout', '/minions', '/minions/a', '/jobs', '/jobs/1'];
  for (const path of paths) expect([path, await asks(path)]).not.toEqual([path, 404]);
  await server.close();
  await serve(false);
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'PUT'])
      expect([path, method, await asks(path, method)]).toEqual([path, method, 404]);
  }
  expect(asked).toEqual([]);
  for (const path of ['/', '/openapi', '/openapi.json']) expect([path, await asks(path)]).toEqual([path, 200]);
  expect(await (await fetch(`${url}/openapi`)).text()).not.toContain('/login</code>');
  expect(await post('/token', LOGIN.replace('x', 'right'))).toBe(200);
  expect(await post('/run', '[]')).toBe(200);
});
