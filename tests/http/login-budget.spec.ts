/**
 * Budgets of logins in a whole cluster with two acl-services: wrong passwords lock an account wherever they are looked at, also
 * when all services have started again. In the fast tests: apps/acl-service/src/eauth/attempts.spec.ts, tests/http/login-rules.ts.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@natrium/process';
import { START_MS, upCluster, type UpCluster } from '../support/up-cluster.js';

const LONG_MS = 2 * START_MS;
const folder = mkdtempSync(join(tmpdir(), 'nt-budget-'));
const PASSWORD = 'right';
const USERS = ['alice', 'bob', 'carol'];
let up: UpCluster;
let port: number;

beforeAll(async () => {
  const sha = createHash('sha1').update(PASSWORD).digest('base64');
  writeFileSync(join(folder, 'users'), USERS.map((user) => `${user}:{SHA}${sha}\n`).join(''));
  up = await start();
}, START_MS);
afterAll(async () => {
  await up.stop();
  rmSync(folder, { recursive: true, force: true });
}, START_MS);

async function start(): Promise<UpCluster> {
  port = await freePort();
  return upCluster({
    minions: ['a'],
    masterConfig: `external_auth:
  file:
    ^filename: ${join(folder, 'users')}
    ^filetype: htpasswd
    '*':
      - test.ping
`,
    replicas: { 'acl-service': 2 },
    httpPort: port,
    folder: join(folder, 'state'),
  });
}

async function login(username: string, password: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${String(port)}/login`, {
    method: 'POST',
    headers: { Accept: 'application/json' },
    body: new URLSearchParams({ username, password, eauth: 'file' }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

const logins = (times: number, username: string, password: string) =>
  Promise.all(Array.from({ length: times }, () => login(username, password)));

it(
  'ten wrong passwords at two acl-services lock the account at both, also after a restart; nine do not, nor another account',
  async () => {
    expect(await logins(10, 'alice', 'wrong')).toEqual(new Array<number>(10).fill(401));
    expect(await logins(9, 'bob', 'wrong')).toEqual(new Array<number>(9).fill(401));
    // Each acl-service would answer some of them.
    expect(await logins(8, 'alice', PASSWORD)).toEqual(new Array<number>(8).fill(401));
    expect(await login('carol', PASSWORD)).toBe(200);
    await up.stop();
    up = await start();
    expect(await logins(8, 'alice', PASSWORD)).toEqual(new Array<number>(8).fill(401));
    expect(await login('bob', PASSWORD)).toBe(200);
  },
  LONG_MS,
);
