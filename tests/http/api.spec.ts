/** The HTTP API as Salt's clients meet it, in a real cluster with two gateways; the page, and at last how a gateway stops, in the same. */
import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { until } from '@natrium/testing';
import { Salt } from 'salt-api';
import { WebSocket } from 'ws';
import { loginRules } from './login-rules.js';
import { RECORDED, type Recorded } from './recorded.js';
import { stopRules } from './stop-rules.js';
import { pageRules, refusedVerdictRules, verdictRules } from './ui-rules.js';
import { PASSWORDS, tokenIn, useHttp } from './world.js';

const world = useHttp();

describe('each endpoint', () => {
  it.each(RECORDED.map((one) => [one.about, one] as const))('answers %s', async (_about, recorded) => {
    const { status, text, body } = await asked(recorded);
    expect({ status, text: recorded.text?.test(text) ?? true, shown: recorded.text === undefined ? '' : text }).toEqual(
      {
        status: recorded.status,
        text: true,
        shown: recorded.text === undefined ? '' : text,
      },
    );
    if (recorded.returns !== undefined) expect(likeness(body, recorded.returns)).toEqual(recorded.returns);
  });

  it('lets a browser keep the files of a page of one’s own, and no answer', async () => {
    const kept = async (path: string) => (await world.ask(path)).headers.get('Cache-Control');
    expect(await kept('/static/app.js')).toBe('no-cache');
    expect(await kept('/static/none.js')).toBe('private, no-store');
    expect(await kept('/stats')).toBe('private, no-store');
  });

  async function asked({ as, method, path, type, accept, headers: more, body }: Recorded) {
    const headers = {
      ...more,
      ...(type === undefined ? {} : { 'Content-Type': type }),
      ...(accept === undefined ? {} : { Accept: accept }),
    };
    return world.ask(path, {
      headers,
      ...(method === undefined ? {} : { method }),
      ...(body === undefined ? {} : { body }),
      ...(as === undefined ? {} : { token: await world.tokenOf(as) }),
    });
  }
});

describe('what clients of Salt’s server send and read besides', () => {
  it('a Server header, without which the Jenkins plugin cannot log in', async () => {
    expect((await world.login('bob')).headers.get('Server')).toBe('Natrium');
  });

  it('Rundeck’s character set in Content-Encoding; what is really packed is refused', async () => {
    const body = new URLSearchParams({ username: 'bob', password: PASSWORDS.bob, eauth: 'file' }).toString();
    const status = async (encoding: string) => {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Encoding': encoding };
      return (await world.ask('/login', { body, headers })).status;
    };
    expect([await status('UTF-8'), await status('gzip')]).toEqual([200, 415]);
  });
});

describe('a session', () => {
  it('of one gateway is good at the other, and ends at both', async () => {
    const token = tokenIn(await world.login('bob', {}, 0));
    expect((await world.low(token, PING, { at: 1 })).body).toEqual({ return: [{ a: true, b: true, c: true }] });
    expect((await world.ask('/logout', { token, body: '{}', at: 1 })).body).toEqual({
      return: 'Your token has been cleared',
    });
    const before = await world.jobCount();
    expect((await world.low(token, PING, { at: 0 })).status).toBe(401);
    expect((await world.ask('/stats', { token })).status).toBe(401);
    expect((await world.ask('/logout', { token, body: '{}' })).status).toBe(401);
    expect(await world.jobCount()).toBe(before);
  });

  it('lives as long as its user chooses, where a user may choose the time; any other as long as the configuration says', async () => {
    const seconds = async (user: 'bob' | 'alice') => {
      const { body } = await world.login(user, { token_expire: '1' });
      const {
        return: [{ expire, start }],
      } = body as { return: [{ expire: number; start: number }] };
      return Math.round(expire - start);
    };
    expect([await seconds('bob'), await seconds('alice')]).toEqual([1, 43_200]);
  });

  it('is revoked by the operator', async () => {
    const token = tokenIn(await world.login('carol'));
    expect((await world.ask('/stats', { token })).status).toBe(200);
    const listed = await world.cluster.ctl('token', 'list', '--json');
    expect(listed.stdout).toContain('"user":"carol"');
    expect(listed.stdout).not.toContain(token);
    expect((await world.cluster.ctl('token', 'revoke', '--user', 'carol')).code).toBe(0);
    expect((await world.ask('/stats', { token })).status).toBe(401);
  });

  it('travels in a cookie for pages of our own only', async () => {
    const token = await world.tokenOf('bob');
    const set = (await world.login('bob')).headers.get('Set-Cookie') ?? '';
    expect(set).toMatch(/^session_id=[0-9a-f]{40}; Max-Age=\d+; Path=\/; Expires=.*; HttpOnly; SameSite=Strict$/);
    const cookie = `session_id=${token}`;
    for (const sent of [cookie, `a=b; session_id="${token}"; c=d`])
      expect((await world.ask('/stats', { headers: { Cookie: sent } })).status).toBe(200);
    expect((await world.ask('/stats', { headers: { Cookie: cookie, Origin: world.url() } })).status).toBe(200);
    const before = await world.jobCount();
    for (const headers of [
      { Cookie: cookie, Origin: 'http://127.0.0.1:1' },
      { Cookie: cookie, 'Sec-Fetch-Site': 'cross-site' },
    ]) {
      expect((await world.ask('/stats', { headers })).status).toBe(401);
      expect((await world.low(undefined, PING, { headers })).status).toBe(401);
    }
    expect(await world.jobCount()).toBe(before);
  });

  it('is no token of /token, and the other way round', async () => {
    const session = await world.tokenOf('bob');
    const form = { username: 'bob', password: 'builder', eauth: 'file' };
    const issued = await world.ask('/token', {
      body: JSON.stringify(form),
      headers: { 'Content-Type': 'application/json' },
    });
    const [{ token }] = issued.body as [{ token: string }];
    const run = (own: string) =>
      world.ask('/run', {
        body: JSON.stringify({ ...PING, token: own }),
        headers: { 'Content-Type': 'application/json' },
      });
    expect((await run(token)).status).toBe(200);
    expect((await run(session)).status).toBe(401);
    expect((await world.low(token, PING)).status).toBe(401);
  });
});

describe('many who log in', () => {
  loginRules(world);
});

describe('who is not permitted', () => {
  it('hears what is missing, and nothing is sent', async () => {
    const token = await world.tokenOf('bob');
    const before = await world.jobCount();
    for (const client of ['local', 'local_async', 'local_batch', 'local_subset']) {
      const { status, text } = await world.low(token, { client, tgt: '*', fun: 'cmd.run', arg: ['id'], batch: '1' });
      expect([client, status]).toEqual([client, 401]);
      expect(text).toContain("token bob may not run 'cmd.run' on '*': no rule permits it");
    }
    for (const low of [
      { client: 'runner', fun: 'jobs.list_jobs' },
      { client: 'wheel', fun: 'key.delete', match: 'a' },
    ]) {
      expect((await world.low(token, low)).status).toBe(401);
    }
    expect(await world.jobCount()).toBe(before);
    const allowed = { client: 'local', tgt: 'a', fun: 'cmd.run', arg: ['echo hi'] };
    expect((await world.low(token, allowed)).body).toEqual({ return: [{ a: 'hi' }] });
  });

  it('finds the id of the HTTP request in the audit', async () => {
    const token = await world.tokenOf('bob');
    const answer = await world.low(
      token,
      { client: 'local', tgt: 'b', fun: 'cmd.run' },
      { headers: { 'X-Request-Id': 'lookme.up' } },
    );
    expect(answer.headers.get('X-Request-Id')).toBe('lookme.up');
    const [record] = await world.recorded((line) => line.includes('lookme.up'));
    expect(record).toContain('not_permitted');
    expect(record).toContain('"bob"');
  });

  it('learns nothing of who there is: all failures look the same, and none is told at once', async () => {
    const fails = async (form: Readonly<Record<string, string>>) => {
      const began = performance.now();
      const { status, text } = await world.login('bob', form);
      expect(performance.now() - began).toBeGreaterThan(395);
      return { status, text };
    };
    const wrong = await fails({ password: 'x' });
    expect(wrong.status).toBe(401);
    expect([await fails({ username: 'zoe' }), await fails({ eauth: 'none' })]).toEqual([wrong, wrong]);
  });
});

describe('keys', () => {
  it('are changed by an external user whom a rule lets, once for each request, and the audit says by whom', async () => {
    const [alice, bob] = [await world.tokenOf('alice'), await world.tokenOf('bob')];
    const groups = async () =>
      (await world.ask('/keys', { token: alice })).body as { return: Record<string, string[]> };
    const change = (token: string, fun: string, more: object) =>
      world.low(token, { client: 'wheel', fun, match: 'c', ...more });
    expect((await change(bob, 'key.reject', { include_accepted: true })).status).toBe(401);
    expect((await groups()).return['minions']).toEqual(['a', 'b', 'c']);
    expect((await change(alice, 'key.reject', { include_accepted: true })).body).toMatchObject({
      return: [{ data: { success: true, return: { minions_rejected: ['c'] } } }],
    });
    expect((await groups()).return).toMatchObject({ minions: ['a', 'b'], minions_rejected: ['c'] });
    expect((await change(alice, 'key.accept', { include_rejected: true })).status).toBe(200);
    expect((await groups()).return['minions']).toEqual(['a', 'b', 'c']);
    const records = await world.recorded((line) => line.includes('key.reject') && line.includes('token'));
    expect(records).not.toEqual([]);
  });
});

describe('a job that takes longer than its time', () => {
  it('is waited for as long as its minion still runs it', async () => {
    const low = { client: 'local', tgt: 'a', fun: 'cmd.run', arg: ['sleep 2'], timeout: 1, full_return: true };
    expect((await world.low(await world.tokenOf('alice'), low)).body).toMatchObject({
      return: [{ a: { ret: '', retcode: 0 } }],
    });
  });
});

describe('a job whose returns no one message carries', () => {
  it('is told whole at /jobs/JID to whoever may run jobs.list_job, and to nobody else', async () => {
    const alice = await world.tokenOf('alice');
    // Nine of them are more than the 7 MiB that a message carries.
    const most = 'x'.repeat(850_000);
    const funs = ['cmd.run', 'cmd.run_stdout', 'cmd.shell'];
    const large = Object.fromEntries(funs.map((fun) => [fun, most]));
    const file = join(world.folder, 'large');
    writeFileSync(file, most);
    const arg = funs.map(() => [`cat ${file}`]);
    const { body } = await world.low(alice, { client: 'local_async', tgt: '*', fun: funs, arg });
    const { jid } = (body as { return: [{ jid: string }] }).return[0];
    await until('it has ended', async () => {
      const { body: active } = await world.low(alice, { client: 'runner', fun: 'jobs.active' });
      return !Object.hasOwn((active as { return: [object] }).return[0], jid);
    });
    // Each look at what was returned reads all of it.
    const returned = { client: 'runner', fun: 'jobs.exit_success', jid };
    await until('all is kept', async () =>
      isDeepStrictEqual((await world.low(alice, returned)).body, { return: [{ a: true, b: true, c: true }] }),
    );
    for (const at of [0, 1] as const) {
      const { status, body: found } = await world.ask(`/jobs/${jid}`, { token: alice, at });
      expect(status).toBe(200);
      expect(found).toMatchObject({ info: [{ jid, Function: funs, Minions: ['a', 'b', 'c'] }] });
      expect(found).toMatchObject({ return: [{ a: large, b: large, c: large }] });
    }
    const refused = await world.ask(`/jobs/${jid}`, { token: await world.tokenOf('bob') });
    expect(refused.status).toBe(401);
    expect(refused.text).not.toContain('xxx');
  });
});

describe('events', () => {
  it('come as server-sent events, each listener’s own, and from where the listener was', async () => {
    const [alice, bob] = [await world.tokenOf('alice'), await world.tokenOf('bob')];
    const [all, own] = [await listen({ 'X-Auth-Token': alice }), await listen({ Cookie: `session_id=${bob}` })];
    const { jid } = await started(alice);
    const mine = await started(bob);
    // Both jobs run at the same time: the order of their returns is nobody's promise.
    for (const one of [jid, mine.jid]) await all.until(`salt/job/${one}/ret/a`);
    await own.until(`salt/job/${mine.jid}/ret/a`);
    expect(all.text.startsWith('retry: 400\n')).toBe(true);
    expect(all.tags).toEqual(expect.arrayContaining([jid, `salt/job/${jid}/new`, `salt/job/${jid}/ret/a`]));
    expect(own.tags.filter((tag) => tag.includes(jid))).toEqual([]);
    const first = all.events.find(({ tag }) => tag === `salt/job/${jid}/new`);
    expect(first?.data).toMatchObject({
      tag: `salt/job/${jid}/new`,
      data: { jid, fun: 'test.ping', user: 'alice', minions: ['a'] },
    });
    all.close();
    own.close();
    const missed = all.tags.slice(all.tags.indexOf(`salt/job/${jid}/new`) + 1);
    const back = await listen({ 'X-Auth-Token': alice, 'Last-Event-ID': first?.id ?? '' });
    await back.untilCount(missed.length);
    expect(back.tags.slice(0, missed.length)).toEqual(missed);
    back.close();
  });

  it('come in Salt’s lines alone to who does not say that he knows server-sent events', async () => {
    const token = await world.tokenOf('alice');
    const plain = await listen({ 'X-Auth-Token': token, Accept: 'application/json' });
    const [known, back] = [await listen({ 'X-Auth-Token': token }), await listen({ 'X-Auth-Token': token, Accept: '*/*', 'Last-Event-ID': '' })]; // prettier-ignore
    const { jid } = await started(token);
    for (const one of [known, back]) await one.until(`salt/job/${jid}/ret/a`);
    await plain.untilTrue(() => new RegExp(`^tag: salt/job/${jid}/ret/a\ndata: .*\n\n`, 'm').test(plain.text));
    expect(plain.text.slice(0, plain.text.lastIndexOf('\n\n') + 2)).toMatch(
      /^retry: 400\n(?:tag: .+\ndata: \{.+\}\n\n)+$/,
    );
    for (const one of [plain, known, back]) one.close();
  });

  it('come to a session or a token that the address names, under either name, or a header', async () => {
    const session = await world.tokenOf('bob');
    const { body } = await world.ask('/token', {
      body: JSON.stringify({ username: 'bob', password: PASSWORDS.bob, eauth: 'file' }),
      headers: { 'Content-Type': 'application/json' },
    });
    const [{ token = '' } = {}] = body as readonly { readonly token?: string }[];
    const statusOf = async (query: string, header?: string) => {
      const abort = new AbortController();
      const headers = header === undefined ? {} : { 'X-Auth-Token': header };
      const { status } = await fetch(`${world.url()}/events?${query}`, { headers, signal: abort.signal });
      abort.abort();
      return status;
    };
    const good = [`token=${session}`, `salt_token=${session}`, `token=${token}`, `token=&salt_token=${token}`];
    for (const query of good) expect([query, await statusOf(query)]).toEqual([query, 200]);
    for (const query of ['token=xyz', `salt_token=${'0'.repeat(64)}`, 'token=', `token=x&salt_token=${token}`])
      expect([query, await statusOf(query)]).toEqual([query, 401]);
    for (const header of [session, token]) expect(await statusOf('', header)).toBe(200);
    for (const header of ['xyz', '0'.repeat(64)]) expect(await statusOf('', header)).toBe(401);
  });

  it('are fired, jobs begun and sessions ended only for who takes the answer', async () => {
    const token = tokenIn(await world.login('bob'));
    const all = await listen({ 'X-Auth-Token': await world.tokenOf('alice') });
    const before = await world.jobCount();
    const post = async (path: string, body: object, accept: string) => {
      const headers = { Accept: accept, 'Content-Type': 'application/json' };
      return [path, (await world.ask(path, { token, headers, body: JSON.stringify(body) })).status];
    };
    for (const [path, body] of [
      ['/hook/never', { n: 1 }],
      ['/minions', PING],
      ['/logout', {}],
    ] as const)
      expect(await post(path, body, 'text/csv')).toEqual([path, 406]);
    expect(await world.jobCount()).toBe(before);
    expect(await post('/minions', PING, 'application/json')).toEqual(['/minions', 202]);
    expect(await world.jobCount()).toBe(before + 1);
    expect(await post('/hook/then', { n: 2 }, 'application/json')).toEqual(['/hook/then', 200]);
    await all.until('salt/netapi/hook/then');
    expect(all.tags).not.toContain('salt/netapi/hook/never');
    all.close();
  });

  it('come over a WebSocket once the client has said anything', async () => {
    const token = await world.tokenOf('alice');
    const socket = new WebSocket(`${world.url().replace('http', 'ws')}/ws/${token}`);
    const heard = (word: string) =>
      new Promise<string>((resolve) => {
        socket.on('message', (data: Buffer) => {
          if (data.includes(word)) resolve(data.toString());
        });
      });
    const [answer, event] = [heard('server received'), heard('hook/ws')];
    await new Promise((resolve) => (socket.onopen = resolve));
    socket.send('websocket client ready');
    expect(await answer).toBe('server received message');
    await world.ask('/hook/ws', { token, body: '{"n":1}', headers: { 'Content-Type': 'application/json' } });
    const text = await event;
    expect(text).toMatch(/^data: \{.*\}\n\n$/);
    expect(JSON.parse(text.slice(6))).toMatchObject({
      tag: 'salt/netapi/hook/ws',
      data: { body: '{"n":1}', post: { n: 1 } },
    });
    expect(text).not.toContain(token);
    socket.close();
  });

  it('tell of runs and of the wheel, to whom they concern', async () => {
    const [alice, bob] = [await world.tokenOf('alice'), await world.tokenOf('bob')];
    const [all, own] = [await listen({ 'X-Auth-Token': alice }), await listen({ 'X-Auth-Token': bob })];
    const { body } = await world.low(alice, { client: 'runner_async', fun: 'manage.up' });
    const { tag } = (body as { return: [{ tag: string }] }).return[0];
    await all.until(`${tag}/ret`);
    await world.low(alice, { client: 'wheel', fun: 'key.list_all' });
    await all.until(/^salt\/wheel\/\d{20}\/ret$/);
    const mine = await started(bob);
    await own.until(mine.jid);
    await all.until(mine.jid);
    expect(all.tags).toEqual(
      expect.arrayContaining([`${tag}/new`, expect.stringMatching(/^salt\/wheel\/\d{20}\/ret$/)]),
    );
    expect(all.events.find((event) => event.tag === `${tag}/ret`)?.data).toMatchObject({
      data: { fun: 'runner.manage.up', user: 'alice', return: ['a', 'b', 'c'], success: true },
    });
    expect(own.tags.filter((other) => /^salt\/(?:run|wheel)/.test(other))).toEqual([]);
    all.close();
    own.close();
  });

  it('tell of his own runs who may not see those of others', async () => {
    const [alice, dave] = [await world.tokenOf('alice'), await world.tokenOf('dave')];
    const own = await listen({ 'X-Auth-Token': dave });
    const begun = async (token: string, client: string, fun: string) => {
      const { body } = await world.low(token, { client, fun });
      return (body as { return: [{ tag: string }] }).return[0].tag;
    };
    const hers = await begun(alice, 'runner_async', 'test.arg');
    const his = [await begun(dave, 'runner_async', 'test.arg'), await begun(dave, 'wheel', 'key.list_all')];
    for (const tag of his) await own.until(`${tag}/ret`);
    expect(own.tags).toEqual(expect.arrayContaining(his.map((tag) => `${tag}/new`)));
    expect(own.tags.filter((tag) => tag.startsWith(hers))).toEqual([]);
    expect((await world.low(dave, { client: 'runner', fun: 'jobs.list_jobs' })).status).toBe(401);
    own.close();
  });

  it('of a run’s end come when its answer can be read by its jid, as a job’s', async () => {
    const alice = await world.tokenOf('alice');
    const all = await listen({ 'X-Auth-Token': alice });
    const { body } = await world.low(alice, { client: 'runner_async', fun: 'test.arg', arg: ['x'] });
    const { jid, tag } = (body as { return: [{ tag: string; jid: string }] }).return[0];
    await all.until(`${tag}/ret`);
    const end = { fun: 'runner.test.arg', jid, user: 'alice', success: true, return: { args: ['x'], kwargs: {} } };
    const found = (await world.ask(`/jobs/${jid}`, { token: alice })).body;
    expect(found).toMatchObject({
      info: [{ jid, Function: 'runner.test.arg', Arguments: ['x'], User: 'alice' }],
      return: [{ [`${hostname()}_master`]: end }],
    });
    expect(found).not.toMatchObject({ info: [{ Error: expect.anything() as unknown }] });
    const looked = await world.low(alice, { client: 'runner', fun: 'jobs.lookup_jid', jid });
    expect(looked.body).toMatchObject({ return: [{ [`${hostname()}_master`]: end }] });
    expect((await world.low(await world.tokenOf('bob'), { client: 'runner', fun: 'jobs.lookup_jid', jid })).status).toBe(401); // prettier-ignore
    all.close();
  });

  async function started(token: string): Promise<{ readonly jid: string }> {
    const { body } = await world.low(token, { client: 'local_async', tgt: 'a', fun: 'test.ping' });
    return (body as { return: [{ jid: string }] }).return[0];
  }

  async function listen(headers: Readonly<Record<string, string>>) {
    const abort = new AbortController();
    const answer = await fetch(`${world.url()}/events`, {
      headers: { Accept: 'text/event-stream', 'Cache-Control': 'no-cache', ...headers },
      signal: abort.signal,
    });
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'text/event-stream;charset=utf-8']);
    return new Stream(answer, abort);
  }
});

describe('the npm package salt-api', () => {
  it('logs in, runs functions, and reads minions, jobs and events', async () => {
    const salt: Client = new Salt({ url: world.url(), username: 'alice', password: 'wonderland', eauth: 'file' });
    await salt.login();
    expect(await salt.fun('*', 'test.ping')).toEqual({ return: [{ a: true, b: true, c: true }] });
    expect(await salt.fun('a', 'cmd.run', { kwarg: { cmd: 'echo hi' } })).toEqual({ return: [{ a: 'hi' }] });
    expect(Object.keys((await salt.minions()).return[0] ?? {}).sort()).toEqual(['a', 'b', 'c']);
    const jobs = Object.keys((await salt.jobs()).return[0] ?? {});
    expect(jobs.length).toBeGreaterThan(0);
    expect(await salt.jobs(jobs[0])).toMatchObject({ info: [{ jid: jobs[0] }] });
    const events: Listening = await salt.eventSource();
    const heard = new Promise<string>((resolve) => {
      events.onmessage = ({ data }: { data: string }) => {
        if (data.includes('/ret/b')) resolve(data);
      };
    });
    await new Promise((resolve) => (events.onopen = resolve));
    await salt.fun('b', 'test.ping');
    expect(JSON.parse(await heard)).toMatchObject({ data: { id: 'b', return: true, retcode: 0, success: true } });
    events.close();
  });
});

describe('the page', () => {
  pageRules(world);
});

describe('can I', () => {
  verdictRules(world);
  refusedVerdictRules(world);
});

// The first gateway is gone then.
describe('a gateway that is told to stop', () => {
  stopRules(world);
});

const PING = { client: 'local', tgt: '*', fun: 'test.ping' };

/** What of the package is used here; its own types know less. */
interface Client {
  login(): Promise<void>;
  fun(tgt: string, fun: string, options?: object): Promise<unknown>;
  minions(id?: string): Promise<Elements>;
  jobs(jid?: string): Promise<Elements>;
  eventSource(): Promise<Listening>;
}

interface Elements {
  readonly return: readonly object[];
}

interface Listening {
  onmessage: (event: { data: string }) => void;
  onopen: (event: unknown) => void;
  close(): void;
}

interface Told {
  readonly id: string;
  readonly tag: string;
  readonly data: unknown;
}

/** A listener's side of `/events`. */
class Stream {
  text = '';
  readonly #waiting = new Set<() => void>();

  constructor(
    answer: Response,
    private readonly abort: AbortController,
  ) {
    void this.#read(answer).catch(() => undefined);
  }

  get events(): readonly Told[] {
    return [...this.text.matchAll(/tag: (.+)\ndata: (.+)\nid: (.+)\n\n/g)].map(([, tag = '', data = '', id = '']) => ({
      id,
      tag,
      data: JSON.parse(data) as unknown,
    }));
  }

  get tags(): readonly string[] {
    return this.events.map(({ tag }) => tag);
  }

  until(tag: string | RegExp): Promise<void> {
    return this.untilTrue(() => this.tags.some((one) => (typeof tag === 'string' ? one === tag : tag.test(one))));
  }

  untilCount(count: number): Promise<void> {
    return this.untilTrue(() => this.events.length >= count);
  }

  async untilTrue(isIt: () => boolean): Promise<void> {
    while (!isIt()) {
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    }
  }

  close(): void {
    this.abort.abort();
  }

  async #read(answer: Response): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      this.text += decoder.decode(chunk as Uint8Array, { stream: true });
      for (const wake of this.#waiting) wake();
      this.#waiting.clear();
    }
  }
}

const STANDS_FOR: Readonly<Record<string, (value: unknown) => boolean>> = {
  '<any>': (value) => value !== undefined,
  '<number>': (value) => typeof value === 'number',
  '<jid>': (value) => typeof value === 'string' && /^\d{20}$/.test(value),
  '<token>': (value) => typeof value === 'string' && /^[0-9a-f]{40}$/.test(value),
  '<long token>': (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
  '<no return>': (value) => typeof value === 'string' && value.startsWith('Minion did not return.'),
};

/** `value` with each part that a placeholder stands for replaced by that, so that the two can be compared as they are. */
function likeness(value: unknown, wanted: unknown): unknown {
  if (typeof wanted === 'string' && STANDS_FOR[wanted]?.(value) === true) return wanted;
  if (Array.isArray(value) && Array.isArray(wanted)) return value.map((item, at) => likeness(item, wanted[at]));
  if (typeof value !== 'object' || value === null || typeof wanted !== 'object' || wanted === null) return value;
  const shapes = wanted as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, likeness(item, shapes[key])]));
}
