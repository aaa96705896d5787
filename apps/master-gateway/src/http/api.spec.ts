/** What a client hears that must not do a thing twice, and of what it sent. */
import { jest } from '@jest/globals';
import { EventProblem, NotStored } from '@natrium/events';
import type { Value, ValueMap } from '@natrium/model';
import { ServiceUnavailableException } from '@nestjs/common';
import type { Request, Response } from 'express';
import pino from 'pino';
import { Refusals } from '../callers/refusals.js';
import type { EventFeed } from '../event-feed.js';
import { Api } from './api.js';
import { Clients } from './clients.js';
import type { EventStreams } from './event-streams.js';
import type { MasterCalls } from './master-calls.js';
import type { LoginAsk, Sessions } from './sessions.js';

const RETURN = { id: 'a', ret: true, retcode: 0, success: true, out: null };
const RES = { getHeader: () => 'id-1' } as unknown as Response;
/** For so long a session lives that was begun here. */
const LEFT_MS = 7000;

function anApi(parts: {
  readonly fire?: EventFeed['fire'];
  readonly logout?: Sessions['logout'];
  readonly count?: Sessions['count'];
  readonly open?: EventStreams['open'];
}) {
  const [logged, logins]: [string[], string[]] = [[], []];
  const refusals = new Refusals();
  const sessions = {
    login: ({ username }: LoginAsk) => {
      logins.push(username);
      const session = { name: username, eauth: 'file', start: 0, expire: 0 };
      return Promise.resolve({ token: 'f'.repeat(64), session });
    },
    leftOf: () => LEFT_MS,
    logout: parts.logout,
    check: () => Promise.resolve({}),
    bill: () => ({ pay: () => undefined, repay: () => undefined }),
    count: parts.count ?? (() => undefined),
  };
  const calls = {
    job: () => Promise.resolve({ jid: '1', minions: ['a'], missing: [], absent: [], returns: [RETURN] }),
  };
  const api = new Api({
    sessions: sessions as unknown as Sessions,
    clients: new Clients(calls as unknown as MasterCalls, { clients: new Set(['local']), timeout: 5, restTimeout: 5 }),
    streams: { open: parts.open, count: 0 } as EventStreams,
    feed: { fire: parts.fire } as EventFeed,
    openHook: true,
    openStats: false,
    maxEventBytes: 1000,
    refusals,
    log: pino({ level: 'warn' }, { write: (line) => logged.push(line) }),
  });
  return { api, logged, logins, refused: refusals.counts };
}

function hook(api: Api, body = '{}', type = 'application/json'): Promise<void> {
  return api.hook({ path: '/hook/x', headers: { 'content-type': type }, body: Buffer.from(body) } as Request, RES);
}

function withBody(value: Value): Request {
  return { headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(value)) } as Request;
}

const never = () => new Promise<void>(() => undefined);

describe('/run with credentials', () => {
  const low = { client: 'local', tgt: 'a', fun: 'test.ping', username: 'u', password: 'p', eauth: 'file' };

  it.each([
    ['fails', () => Promise.reject(new ServiceUnavailableException('No acl-service answered'))],
    ['takes for ever', never],
  ])('is answered also where the logout behind it %s', async (_about, logout) => {
    const { api, logged } = anApi({ logout });
    expect(await api.runSessionless(withBody([low]), RES)).toEqual([{ a: true }]);
    await new Promise(setImmediate);
    expect(logged.join()).toMatch(logout === never ? /^$/ : /lives on until its end/);
    expect(logged.join()).not.toContain('ffff');
  });
});

it('the cookie of a session lives as long as it does by the clock of the acl-service, not by that of this host', async () => {
  const { api } = anApi({});
  const cookies: unknown[] = [];
  const cookie = (name: string, _token: string, { maxAge }: { readonly maxAge: number }) =>
    cookies.push([name, maxAge]);
  const res = { ...RES, setHeader: () => undefined, cookie } as unknown as Response;
  await api.login(withBody({ username: 'u', password: 'p', eauth: 'file' }), res);
  expect(cookies).toEqual([['session_id', LEFT_MS]]);
});

it('/token issues none where one of several is malformed', async () => {
  const own = { username: 'u', password: 'p', eauth: 'file' };
  const { api, logins } = anApi({});
  await expect(api.tokens(withBody([own, { username: 'u' }]), RES)).rejects.toMatchObject({ status: 400 });
  expect(logins).toEqual([]);
  await api.tokens(withBody([own, own]), RES);
  expect(logins).toEqual(['u', 'u']);
});

it.each([
  [{ accept: 'text/event-stream', 'cache-control': 'no-cache' }, 'with id'],
  [{ accept: 'text/event-stream', 'cache-control': 'no-store' }, 'with id'],
  [{ 'last-event-id': '1.0' }, 'with id'],
  [{ accept: 'text/event-stream' }, 'plain'],
  [{ 'cache-control': 'no-cache' }, 'plain'],
  [{ accept: 'application/json' }, 'plain'],
])('who asks for events with %j hears them %s: ids are for an EventSource alone', async (headers, form) => {
  const forms: string[] = [];
  const { api } = anApi({ open: (_res, _listener, asked) => void forms.push(asked) });
  const sent: Readonly<Record<string, string>> = { ...headers, 'x-auth-token': 'f'.repeat(40) };
  const req = { headers: sent, query: {}, get: (name: string) => sent[name.toLowerCase()] };
  await api.events(req as unknown as Request, RES);
  expect(forms).toEqual([form]);
});

it('/stats says, where Salt’s server does, that the API is up and since when', async () => {
  jest.useFakeTimers({ now: 1_795_000_000_000 });
  try {
    const { api } = anApi({});
    await jest.advanceTimersByTimeAsync(2500);
    const req = { headers: { 'x-auth-token': 'f'.repeat(40) } } as unknown as Request;
    expect((await api.stats(req, RES))['CherryPy Applications']).toEqual({
      Enabled: true,
      'Start Time': 1_795_000_000,
      'Current Time': 1_795_000_002.5,
      Uptime: 2.5,
    });
    jest.setSystemTime(1_795_003_600_000);
    expect((await api.stats(req, RES))['CherryPy Applications']).toMatchObject({ 'Start Time': 1_795_000_000 });
  } finally {
    jest.useRealTimers();
  }
});

describe('a hook', () => {
  it('that anybody may send is not heard from an address that asks too much', async () => {
    const fired: string[] = [];
    const fire = (tag: string) => {
      fired.push(tag);
      return Promise.resolve();
    };
    const count = () => {
      throw new ServiceUnavailableException();
    };
    await expect(hook(anApi({ fire, count }).api)).rejects.toMatchObject({ status: 503 });
    expect(fired).toEqual([]);
    await hook(anApi({ fire }).api);
    expect(fired).toEqual(['salt/netapi/hook/x']);
  });

  it.each<[string, string, Value]>([
    ['application/json', '{"a":1}', { a: 1 }],
    ['application/json', '{"arg":"x"}', { arg: ['x'] }],
    ['text/yaml', '{arg: }', { arg: [null] }],
    ['application/json', '{"arg":["x"]}', { arg: ['x'] }],
    ['application/json', '[1,{"b":2}]', [1, { b: 2 }]],
    ['text/plain', 'done', 'done'],
    ['application/json', '7', 7],
    ['application/json', '[]', {}],
    ['application/json', '0', {}],
    ['application/json', '', {}],
  ])('of the type %s with %s has the post %j', async (type, body, post) => {
    const fired: ValueMap[] = [];
    const { api } = anApi({ fire: (_tag, data) => (fired.push(data), Promise.resolve()) });
    await hook(api, body, type);
    expect(fired).toEqual([expect.objectContaining({ body, post })]);
  });

  /** What takes more room as values than as text. */
  const FLOATS = JSON.stringify(Array<number>(150).fill(0.5));

  it.each([
    ['{"a":"LONG"}', { body: 'VALUE_TRIMMED', post: { a: 'x'.repeat(600) } }],
    ['{"a":1}', { body: '{"a":1}', post: { a: 1 } }],
    ['{"a":"LONG","b":"LONG"}', { body: 'VALUE_TRIMMED', post: 'VALUE_TRIMMED' }],
    [FLOATS, { body: FLOATS, post: 'VALUE_TRIMMED' }],
  ])(
    'that is too large for an event loses its body where that is enough, and else what is largest: %s',
    async (body, told) => {
      const fired: ValueMap[] = [];
      const { api } = anApi({ fire: (_tag, data) => (fired.push(data), Promise.resolve()) });
      await hook(api, body.replaceAll('LONG', 'x'.repeat(600)));
      expect(fired).toEqual([expect.objectContaining(told)]);
    },
  );

  it('is told whatever its bytes are: an event is no command', async () => {
    const fired: ValueMap[] = [];
    const { api } = anApi({ fire: (_tag, data) => (fired.push(data), Promise.resolve()) });
    const headers = { 'content-type': 'application/json' };
    await api.hook({ path: '/hook/x', headers, body: Buffer.from('"\xe9"', 'latin1') } as unknown as Request, RES);
    expect(fired).toEqual([expect.objectContaining({ body: '"\ufffd"', post: '\ufffd' })]);
  });

  it.each([
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8::1', '2001:db8::1'],
  ])('from %s says so, whatever its own headers say, and not what logs its client in', async (ip, address) => {
    const fired: ValueMap[] = [];
    const { api } = anApi({ fire: (_tag, data) => (fired.push(data), Promise.resolve()) });
    const headers = { 'x-own': 'a', 'remote-addr': '10.0.0.1', cookie: 'session_id=1', 'x-auth-token': '2' };
    await api.hook({ path: '/hook/x', ip, headers, body: undefined } as unknown as Request, RES);
    expect(fired[0]?.['headers']).toEqual({ 'X-Own': 'a', 'Remote-Addr': address });
  });

  it.each([
    ['x-git-hub', 'X-Git-Hub'],
    ['x-amz-meta-sha256sum', 'X-Amz-Meta-Sha256Sum'],
    ['x-s3-2fa', 'X-S3-2Fa'],
  ])('has the header %s as Salt writes it: %s', async (sent, told) => {
    const fired: ValueMap[] = [];
    const { api } = anApi({ fire: (_tag, data) => (fired.push(data), Promise.resolve()) });
    await api.hook({ path: '/hook/x', ip: '192.0.2.7', headers: { [sent]: 'a' } } as unknown as Request, RES);
    expect(fired[0]?.['headers']).toEqual({ [told]: 'a', 'Remote-Addr': '192.0.2.7' });
  });

  it.each([
    [{ x_git_hub: 'a' }, { 'X-Git-Hub': 'a' }],
    [{ 'x-own': 'a', x_own: 'b' }, { 'X-Own': 'a' }],
    [{ x_own: 'b', 'x-own': 'a' }, { 'X-Own': 'a' }],
    [{ x_auth_token: '2', proxy_authorization: '3' }, {}],
    [{ remote_addr: '10.0.0.1' }, {}],
  ])('of the headers %j has %j: `_` in a name is told as `-`, and beside such a name says nothing', async (headers, told) => {
    const fired: ValueMap[] = [];
    const { api } = anApi({ fire: (_tag, data) => (fired.push(data), Promise.resolve()) });
    await api.hook({ path: '/hook/x', ip: '192.0.2.7', headers } as unknown as Request, RES);
    expect(fired[0]?.['headers']).toEqual({ ...told, 'Remote-Addr': '192.0.2.7' });
  }); // prettier-ignore

  it('is 503 where the event was not stored, which is a refusal that is counted, and 400 where it is none', async () => {
    const [full, none] = [new NotStored('no room'), new EventProblem('no tag')];
    const { api, refused } = anApi({ fire: () => Promise.reject(full) });
    const other = anApi({ fire: () => Promise.reject(none) });
    await expect(hook(api)).rejects.toMatchObject({ status: 503, message: 'no room' });
    expect([...refused]).toEqual([['store_unavailable', 1]]);
    await expect(hook(other.api)).rejects.toMatchObject({ status: 400 });
    expect(other.refused.size).toBe(0);
  });

  it('hears after ten seconds that its event is kept', async () => {
    jest.useFakeTimers();
    try {
      const { api, refused } = anApi({ fire: never });
      const told = expect(hook(api)).rejects.toThrow(/kept at this gateway.*not be sent again/);
      await jest.advanceTimersByTimeAsync(10_000);
      await told;
      expect([...refused]).toEqual([['store_unavailable', 1]]);
    } finally {
      jest.useRealTimers();
    }
  });
});
