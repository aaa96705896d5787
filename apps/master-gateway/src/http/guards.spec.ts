/** How much of whom nobody knows is listened to, over real sockets: at the doors that credentials come to, before anything is parsed. */
import { request } from 'node:http';
import { sodiumReady } from '@natrium/envelope';
import { Budget } from '@natrium/flow';
import type { RoleLink } from '@natrium/edge';
import pino from 'pino';
import { freePort } from '@natrium/process';
import { Refusals } from '../callers/refusals.js';
import type { EventFeed } from '../event-feed.js';
import { Api } from './api.js';
import { type Call, Clients } from './clients.js';
import { EventStreams } from './event-streams.js';
import type { HttpOptions } from './http-options.js';
import { type HttpServer, serveHttp } from './http-server.js';
import { allowanceOf, authorityOf } from './logins.spec-support.js';
import type { MasterCalls } from './master-calls.js';
import { Sessions } from './sessions.js';
import type { WholeJobs } from './whole-jobs.js';

const MOST = 3;
const GOOD = 'a'.repeat(40);
/** One of `/token`. */
const LASTING = 'c'.repeat(64);
const ROOM = 65_536;
const LOGIN = 'username: fred\npassword: x\neauth: file\n';
let server: HttpServer;
let url: string;
/** What the acl-service was asked, and how many bodies were read as lowstates. */
let [asked, reads] = [[] as string[], 0];
/** Tags of the events that came of it. */
let fired: string[] = [];

class CountingClients extends Clients {
  override read(): readonly Call[] {
    reads += 1;
    return [];
  }
}

beforeAll(sodiumReady);
beforeEach(() => serve());
afterEach(() => server.close());

async function serve(hasSessions = true, openHook = false): Promise<void> {
  [asked, reads] = [[], 0];
  fired = [];
  const bus = authorityOf(({ token, secret }) => {
    asked.push(secret === '' ? token : secret); // a login's token is its name, made at random
    if (secret === 'busy') return { refusal: { code: 'slow_down', sentence: 'too many' }, token: '', session: null };
    return [GOOD, LASTING].includes(token) || secret === 'right'
      ? { refusal: null, token: GOOD, session: { name: 'fred', eauth: 'file', perms: [], start: 0, expire: 0 } }
      : { refusal: { code: 'bad_credential', sentence: 'no' }, token: '', session: null };
  });
  const allowance = allowanceOf(new Budget({ rate: 1, burst: MOST }));
  const link = {
    bus,
    subjects: { svcAcl: () => '' },
    directory: { role: () => [] },
    clock: { now: () => Date.now() },
  };
  const refusals = new Refusals();
  const sessions = new Sessions(link as unknown as RoleLink, allowance, refusals);
  const log = pino({ enabled: false });
  const streams = new EventStreams({} as EventFeed, sessions, log);
  const options: HttpOptions = {
    host: '127.0.0.1', port: await freePort(), addresses: undefined, prefix: '', tls: undefined, app: undefined, appPath: '/app',
    static: undefined, staticPath: '/static', favicon: undefined, hookPath: '/hook', hasSessions, openHook, openStats: false, maxBody: 200_000, clients: new Set(['local']),
    timeout: 5, restTimeout: 5, proxies: ['loopback'],
  }; // prettier-ignore
  const clients = new CountingClients({} as MasterCalls, options);
  const api = new Api({
    sessions,
    streams,
    clients,
    feed: { fire: (tag: string) => Promise.resolve(void fired.push(tag)) } as unknown as EventFeed,
    openHook,
    openStats: false,
    maxEventBytes: 1000,
    refusals,
    log,
  });
  server = await serveHttp(options, { api, sessions, streams, jobs: {} as WholeJobs, log });
  ({ url } = server);
}

async function post(path: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const answer = await fetch(url + path, {
    method: 'POST',
    body,
    // A connection that is kept may be one to the server of the test before, which had the same port.
    headers: { 'Content-Type': 'text/yaml', Connection: 'close', ...headers },
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
const by = (token: string) => ({ 'X-Auth-Token': token });
const JSON_BODY = { 'Content-Type': 'application/json' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const CREDENTIALS = '{"client":"local","username":"fred","password":"x","eauth":"file"}';
const padded = (bytes: number) => CREDENTIALS.padEnd(bytes);

describe.each(['/login', '/token', '/LOGIN/', '/run'])('%s', (path) => {
  it('takes a body of 64 KiB and no longer one, said or not', async () => {
    expect(await post(path, padded(ROOM), JSON_BODY)).toBe(401);
    expect(asked).toHaveLength(1);
    expect(await post(path, padded(ROOM + 1), JSON_BODY)).toBe(413);
    expect(await postInChunks(path, padded(ROOM + 1))).toBe(413);
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['a body', { 'Content-Type': 'text/yaml' }, LOGIN.padEnd(257 + 64 * MOST, '#')],
    ['a field of a form', FORM, new URLSearchParams({ client: 'local', username: 'fred', password: 'x', eauth: 'file', arg: '{'.repeat(300 + 64 * MOST) }).toString()],
    ['many short fields of a form', FORM, `client=local&username=fred&password=x&eauth=file${'&arg=['.repeat(20)}`],
  ])('reads no more YAML of a stranger than his address can pay: %s', async (_about, type, body) => {
    expect(await post(path, body, type)).toBe(503);
    expect(await post(path, LOGIN, type)).toBe(503);
    expect([asked, reads]).toEqual([[], 0]);
    expect(await post(path, body.slice(0, 100), { ...type, ...from('192.0.2.8') })).not.toBe(503);
  }); // prettier-ignore
});

it('/run reads no more words of arguments than an address can pay, but of whom it knows by a token of /token', async () => {
  const words = ['k='.padEnd(300 + 64 * MOST, '['), ...new Array<string>(20).fill('k=[')];
  const ask = (more: object, address: string) => post('/run', JSON.stringify({ client: 'local', arg: words, ...more }), { ...JSON_BODY, ...from(address) }); // prettier-ignore
  expect(await ask({ username: 'fred', password: 'right', eauth: 'file' }, '192.0.2.7')).toBe(503);
  expect([asked, reads]).toEqual([[], 0]);
  expect(await ask({ token: 'b'.repeat(64) }, '192.0.2.8')).toBe(401);
  expect(reads).toBe(0);
  expect(await ask({ token: LASTING }, '192.0.2.9')).toBe(200);
  expect(reads).toBe(1);
});

describe('a form of /run', () => {
  const form = (password: string, arg: string, more = {}) =>
    new URLSearchParams({ client: 'local', username: 'fred', password, eauth: 'file', arg, ...more }).toString();
  /** It takes all that an address has. */
  const DEAR = 'x'.repeat(256 + 64 * MOST - 32);
  const SCRIPT = '#!/bin/sh\necho "{[x"\n'.repeat(250);

  it.each([
    ['read as YAML', DEAR],
    ['of many lines, which is never read as that', SCRIPT],
  ])('with right credentials is taken however often it comes, with an argument %s', async (_, arg) => {
    for (let n = 0; n < 20; n += 1) expect(await post('/run', form('right', arg), FORM)).toBe(200);
    expect(reads).toBe(20);
  });

  it('with a token that is good costs its address nothing', async () => {
    for (let n = 0; n < 20; n += 1)
      expect(await post('/run', new URLSearchParams({ client: 'local', token: LASTING, arg: DEAR }).toString(), FORM)).toBe(200); // prettier-ignore
  });

  it.each([
    ['a wrong password', 'username=fred&password=x&eauth=file'],
    ['a wrong token', `token=${'b'.repeat(64)}`],
    ['none', ''],
  ])('with %s costs its address what its argument takes to read', async (_, credentials) => {
    const body = `client=local&${credentials}&arg=${DEAR}`;
    expect(await post('/run', body, FORM)).toBe(401);
    const before = [asked.length, reads];
    expect(await post('/run', body, FORM)).toBe(503);
    expect([asked.length, reads]).toEqual(before);
  });

  it('pays for each time that its argument is read: a keyword’s value is, once more', async () => {
    const twoThirds = 'x'.repeat(256 + 64 + 1);
    expect(await post('/run', form('x', `k=${twoThirds}`), FORM)).toBe(503);
    expect([asked, reads]).toEqual([[], 0]);
    expect(await post('/run', form('x', `k:${twoThirds}`), { ...FORM, ...from('192.0.2.8') })).toBe(401);
  });
});

describe('a hook that anybody may send', () => {
  beforeEach(async () => {
    await server.close();
    await serve(true, true);
  });

  it('brings as much JSON as any body', async () => {
    expect(await post('/hook/x', JSON.stringify(['x'.repeat(100_000)]), JSON_BODY)).toBe(200);
    expect(fired).toEqual(['salt/netapi/hook/x']);
  });

  it('brings as much YAML as its address can pay, and of more nothing is fired', async () => {
    expect(await post('/hook/x', 'a: 1')).toBe(200);
    expect(fired).toHaveLength(1);
    expect(await post('/hook/x', 'x'.repeat(257 + 64 * MOST), from('192.0.2.7'))).toBe(503);
    expect(await post('/hook/x', 'x'.repeat(ROOM + 1), from('192.0.2.8'))).toBe(413);
    expect(fired).toHaveLength(1);
  });
});

describe.each(['/', '/minions', '/ui/can-i', '/logout'])('at %s an invented token', (path) => {
  it('is looked at as often as its address may try, and nothing that came with it is read or asked', async () => {
    const invented = (n: number) => by(n.toString(16).padStart(40, 'b'));
    for (let n = 0; n < MOST; n += 1) expect(await post(path, 'a: [', invented(n))).toBe(401);
    expect(await post(path, 'a: [', invented(MOST))).toBe(503);
    expect([asked.length, reads]).toEqual([MOST, 0]);
    expect(await post(path, 'a: [', { ...invented(MOST), ...from('192.0.2.8') })).toBe(401);
  });
});

it('a session of another gateway is heard at once and looked at once, also where its address may try nothing more later', async () => {
  expect(await post('/', '[{}]', by(GOOD))).toBe(200);
  for (let n = 0; n < MOST; n += 1) await post('/', '[]', by(n.toString(16).padStart(40, 'b')));
  const before = asked.length;
  for (let n = 0; n < 4 * MOST; n += 1) expect(await post('/', '[{}]', by(GOOD))).toBe(200);
  expect([asked.length, asked.filter((token) => token === GOOD).length]).toEqual([before, 1]);
});

it('a session that was begun here is looked at for none of its calls', async () => {
  expect(await post('/login', LOGIN.replace('x', 'right'))).toBe(200);
  expect(await post('/', '[{}]', by(GOOD))).toBe(200);
  expect(asked).toEqual(['right']);
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
  // Told by the acl-service that there are too many at once.
  ['/login', LOGIN.replace('x', 'busy'), 503],
  ['/token', LOGIN.replace('x', 'busy'), 503],
  ['/run', `${LOGIN.replace('x', 'busy')}client: local\n`, 503],
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
  for (const path of ['/', '/ui/can-i']) expect(await post(path, long, by('b'.repeat(40)))).toBe(401);
  expect([reads, asked]).toEqual([0, ['b'.repeat(40), 'b'.repeat(40)]]);
  expect(await post('/', long, by(GOOD))).toBe(200);
  expect(reads).toBe(1);
});

/** Part of a body that says how long it is; the rest comes with `end`. */
function begin(path: string, headers: Readonly<Record<string, string>>) {
  const asking = request(url + path, {
    method: 'POST',
    headers: { ...JSON_BODY, 'Content-Length': '100', ...headers },
  });
  asking.write('[');
  const status = new Promise<number | undefined>((resolve, reject) => {
    asking.on('error', reject).on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
  });
  return { status, end: () => void asking.end(']'.padStart(99)) };
}

it.each([
  ['/', {}, 401, 0],
  ['/', by('b'.repeat(40)), 401, 1],
  ['/MINIONS/', by('b'.repeat(40)), 401, 1],
  ['/ui/can-i', by('b'.repeat(40)), 401, 1],
  ['/hook/x', {}, 401, 0],
  ['/hook', by('b'.repeat(40)), 401, 1],
  ['/logout', by('b'.repeat(40)), 401, 1],
  ['/keys', {}, 501, 0],
  ['/nothing', {}, 404, 0],
])('POST %s by whom nobody knows (%j) is answered before its body has come', async (path, headers, status, looks) => {
  const begun = begin(path, headers);
  expect(await begun.status).toBe(status);
  expect([asked.length, fired, reads]).toEqual([looks, [], 0]);
  begun.end();
}); // prettier-ignore

it('of whom the gate knows the whole body is waited for', async () => {
  for (const path of ['/', '/hook/x']) {
    const begun = begin(path, by(GOOD));
    expect(await Promise.race([begun.status, post('/login', LOGIN.replace('x', 'right')).then(() => 'waits')])).toBe(
      'waits',
    );
    begun.end();
    expect(await begun.status).toBe(200);
  }
  expect([fired, reads]).toEqual([['salt/netapi/hook/x'], 1]);
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
