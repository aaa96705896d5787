/** Rules of what is told of answers: every one, by its door and status, and nothing of what stands in its path. */
import { EventEmitter, once } from 'node:events';
import { request } from 'node:http';
import { freePort } from '@natrium/process';
import { UnauthorizedException } from '@nestjs/common';
import { pino } from 'pino';
import type { Answered } from './answered.js';
import type { Api } from './api.js';
import type { EventStreams } from './event-streams.js';
import type { HttpOptions } from './http-options.js';
import { type HttpParts, type HttpServer, serveHttp } from './http-server.js';
import { ROUTES } from './paths.js';
import type { Sessions } from './sessions.js';
import type { WholeJobs } from './whole-jobs.js';

let server: HttpServer;
let port: number;
const heard = new EventEmitter();
/** What asks the api waits here for ever, once it is said so. */
let isSilent = false;
let options: HttpOptions;
let parts: HttpParts;

beforeEach(async () => {
  isSilent = false;
  port = await freePort();
  options = {
    host: '127.0.0.1', port, addresses: undefined, prefix: '/salt', tls: undefined, app: undefined, appPath: '/app',
    static: undefined, staticPath: '/static', favicon: undefined, hookPath: '/hook', hasSessions: true, openHook: false, openStats: false,
    maxBody: 1000, clients: new Set(), timeout: 5, restTimeout: 5, proxies: [],
  }; // prettier-ignore
  const api = {
    callerOf: () => (isSilent ? new Promise(() => undefined) : Promise.reject(new UnauthorizedException('no'))),
  };
  const nobody = { knows: () => false, check: () => Promise.reject(new UnauthorizedException('no')) };
  parts = {
    api: api as unknown as Api,
    sessions: nobody as unknown as Sessions,
    streams: { close: () => undefined } as unknown as EventStreams,
    jobs: {} as WholeJobs,
    tell: (answered) => heard.emit('answered', answered),
    log: pino({ enabled: false }),
  };
  server = await serveHttp(options, parts);
});
afterEach(() => server.close());

it.each([
  ['GET', '/login', '/login', '200'],
  ['GET', '/salt/login/', '/login', '200'],
  ['GET', '/minions/web1.secret', '/minions/:id', '401'],
  ['POST', '/minions', '/minions', '401'],
  ['POST', '/jobs/20261120141646000001', '/jobs/:jid', '405'],
  ['GET', '/nothing/of/the/kind', 'other', '404'],
  ['OPTIONS', '/', '/', '200'],
])('%s %s is told as %s, %s', async (method, path, route, code) => {
  const told = once(heard, 'answered');
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { Connection: 'close' } });
  await answer.arrayBuffer();
  const [answered] = (await told) as [Answered];
  expect(answered).toEqual({ route, code, seconds: expect.any(Number) as number });
  expect(ROUTES).toContain(answered.route);
  expect(answered.seconds).toBeGreaterThan(0);
});

it('a client that leaves before its answer has none', async () => {
  isSilent = true;
  const asking = request({ port, host: '127.0.0.1', path: '/minions' }).on('error', () => undefined);
  asking.end();
  await once(asking, 'finish');
  const told = once(heard, 'answered');
  asking.destroy();
  expect(await told).toEqual([{ route: '/minions', code: 'none', seconds: expect.any(Number) as number }]);
});

it('a second one on the same port does not begin, and says what to do', async () => {
  await expect(serveHttp(options, parts)).rejects.toThrow(
    /^the HTTP API cannot listen on 127\.0\.0\.1:\d+ \(EADDRINUSE\): another program listens there: .* \(http_port, /,
  );
});
