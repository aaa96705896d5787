/** Rules of one job over HTTP, over a real socket: how much was returned to it is bounded by the gateway's memory, and by no message. */
import { once } from 'node:events';
import { get } from 'node:http';
import type { Value, ValueMap } from '@natrium/model';
import { UnauthorizedException } from '@nestjs/common';
import pino from 'pino';
import { freePort } from '@natrium/process';
import type { Api } from './api.js';
import type { EventStreams } from './event-streams.js';
import type { HttpOptions } from './http-options.js';
import { type HttpServer, serveHttp } from './http-server.js';
import type { Sessions } from './sessions.js';
import { WholeJobs } from './whole-jobs.js';

const JID = '20261120112404639750';
const MIB = 1 << 20;
let server: HttpServer;
/** What the gate was asked, and which jobs were read here. */
let [ran, read] = [[] as ValueMap[], [] as string[]];

afterEach(() => server.close());

const one = (ret: Value) => ({ return: ret, retcode: 0, success: true });
const about = { jid: JID, Function: 'test.echo', Minions: ['a', 'b', 'c'] };

interface Gateway {
  /** What the run of jobs.list_job tells; undefined: it is refused. */
  readonly told: Value | undefined;
  readonly kept?: Value;
  /** Why nothing can be read here. */
  readonly fails?: Error;
}

async function serve({ told, kept = null, fails }: Gateway): Promise<void> {
  [ran, read] = [[], []];
  const api = {
    callerOf: () => ({}),
    runAll: (lows: readonly ValueMap[]) => {
      ran.push(...lows);
      if (told === undefined) return Promise.reject(new UnauthorizedException('You may not.'));
      return Promise.resolve([told]);
    },
  } as unknown as Api;
  const jobs = new WholeJobs((jid) => {
    read.push(jid);
    return fails === undefined ? Promise.resolve(kept) : Promise.reject(fails);
  });
  const options: HttpOptions = {
    host: '127.0.0.1', port: await freePort(), addresses: undefined, prefix: '', tls: undefined, app: undefined, appPath: '/app',
    static: undefined, staticPath: '/static', favicon: undefined, hookPath: '/hook', hasSessions: true, openHook: false, openStats: false, maxBody: 1000,
    clients: new Set(), timeout: 5, restTimeout: 5, proxies: [],
  }; // prettier-ignore
  const streams = { close: () => undefined } as unknown as EventStreams;
  server = await serveHttp(options, { api, sessions: {} as Sessions, streams, jobs, log: pino({ enabled: false }) });
}

async function ask(type = 'application/json', path = `/jobs/${JID}`) {
  const answer = await fetch(server.url + path, { headers: { Accept: type } });
  return { status: answer.status, text: await answer.text() };
}

/** A job of three minions, of which the run has told one: so many MiB each. */
function large(mib: number): Gateway {
  const Result = Object.fromEntries(
    about.Minions.map((id) => [id, one({ text: id.repeat(mib * MIB), list: [1, 'ü'] })]),
  );
  return {
    told: { ...about, StartTime: 'then', Result: { a: Result['a'] ?? null }, Left: ['b', 'c'] },
    kept: { ...about, Result },
  };
}

it('a job that one message carries is told as the run told it, and nothing is read here', async () => {
  await serve({ told: { ...about, Result: { a: one('x') } } });
  const { status, text } = await ask();
  expect([status, JSON.parse(text)]).toEqual([
    200,
    { info: [{ ...about, Result: { a: one('x') } }], return: [{ a: 'x' }] },
  ]);
  expect(ran).toEqual([{ client: 'runner', fun: 'jobs.list_job', jid: JID, partial: true }]);
  expect(read).toEqual([]);
});

it('a job that is more than one message carries is told whole', async () => {
  const { told, kept } = large(3);
  await serve({ told, kept: kept ?? null });
  const { status, text } = await ask();
  const { Result } = kept as { Result: Readonly<Record<string, { return: Value }>> };
  const { info, return: returned } = JSON.parse(text) as { info: [ValueMap]; return: [ValueMap] };
  expect(status).toBe(200);
  expect(info[0]).toEqual({ ...about, StartTime: 'then', Result });
  expect(returned[0]).toEqual(Object.fromEntries(Object.entries(Result).map(([id, { return: ret }]) => [id, ret])));
  expect(read).toEqual([JID]);
});

it('whoever may not run jobs.list_job hears that, and nothing is read', async () => {
  await serve({ ...large(1), told: undefined });
  expect(await ask()).toMatchObject({ status: 401, text: expect.stringContaining('You may not.') as unknown });
  expect(read).toEqual([]);
});

it.each([`/jobs/${JID}`, '/jobs'])(
  'what a run that has failed says is no answer of %s, and not read as one to which nobody has returned',
  async (path) => {
    const why = 'no gateway service answered (timeout)';
    await serve({ told: why });
    expect(await ask('application/json', path)).toMatchObject({ status: 500, text: expect.stringContaining(why) as unknown }); // prettier-ignore
    expect(read).toEqual([]);
    await server.close();
    await serve({ told: { [JID]: { Function: 'test.ping' } } });
    expect((await ask('application/json', path)).status).toBe(200);
  },
);

it.each([
  ['application/json', 12, 'is 37 MiB, and an answer of application/json holds 32 MiB: ask for some of the minions'],
  [
    'application/x-yaml',
    3,
    'is 10 MiB, and an answer of application/x-yaml holds 7 MiB: ask for application/json, which holds 32 MiB',
  ],
])('more than memory allows is refused with the size, the limit and what to do: %s', async (type, mib, sentence) => {
  await serve(large(mib));
  expect(await ask(type)).toMatchObject({ status: 400, text: expect.stringContaining(sentence) as unknown });
});

it('a job that was forgotten while it was asked for is not told in part', async () => {
  await serve({ ...large(1), kept: null });
  expect(await ask()).toMatchObject({ status: 400, text: expect.stringContaining('is not kept any more') as unknown });
});

it('one such job at a time is in memory: the next is read when the one before is written, or its client is gone', async () => {
  await serve(large(3));
  const slow = get(`${server.url}/jobs/${JID}`);
  const [answer] = (await once(slow, 'response')) as [NodeJS.ReadableStream];
  await once(answer, 'readable');
  const next = ask();
  while (ran.length < 2) await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(read).toHaveLength(1);
  slow.destroy();
  expect((await next).status).toBe(200);
  expect(read).toHaveLength(2);
});

it('for a client that went while it waited nothing is read', async () => {
  const seen: string[] = [];
  const jobs = new WholeJobs((jid) => {
    seen.push(jid);
    return Promise.resolve(large(1).kept ?? null);
  });
  let finish: () => void = () => undefined;
  const holds = new Promise<void>((resolve) => (finish = resolve));
  const wanted = (jid: string, isGone: boolean) => ({ jid, type: 'application/json' as const, isGone: () => isGone });
  const told = large(1).told ?? null;
  const first = jobs.tell(told, wanted('first', false), () => holds);
  const gone = jobs.tell(told, wanted('gone', true), () => Promise.reject(new Error('nobody is told')));
  finish();
  await Promise.all([first, gone]);
  expect(seen).toEqual(['first']);
});

it('why a job cannot be read now is told, as a run tells it', async () => {
  const fails = Object.assign(new Error('the broker is away'), { name: 'TimeoutError' });
  await serve({ ...large(1), fails });
  const { status, text } = await ask();
  const sentence = 'the job cannot be read now: the broker is away';
  expect([status, JSON.parse(text)]).toEqual([500, { status: 500, return: sentence }]);
});
