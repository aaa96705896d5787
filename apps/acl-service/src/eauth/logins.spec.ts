/** Rules of logins that hold for every back end, whatever it does. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { MemoryStore } from '@natrium/bus';
import type { MasterConfig } from '@natrium/config';
import { sodiumReady } from '@natrium/envelope';
import { Attempts } from './attempts.js';
import { Logins, type LoginParts } from './logins.js';
import { Tallies } from './tallies.js';

const REFUSED = { ok: false, error: { code: 'bad_credential' } };

const folder = mkdtempSync(join(tmpdir(), 'nt-logins-'));
const opened: Logins[] = [];

beforeAll(() => sodiumReady());
afterEach(() => {
  for (const logins of opened.splice(0)) logins.onModuleDestroy();
  jest.useRealTimers();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** What logins write to their log is in `logged`. */
function loginsWith(external_auth: object, more: object = {}) {
  const logged: string[] = [];
  const hear = (...said: unknown[]) => void logged.push(said.map((one) => JSON.stringify(one)).join(' '));
  const now = () => 1_795_000_000_000;
  const tallies = new Tallies(new MemoryStore('tokens'), { id: 'names', key: new Uint8Array(32).fill(9) }, now);
  const parts = { attempts: new Attempts(tallies, now), tallies, now, log: { info: hear, warn: hear, error: hear } };
  const logins = new Logins({ external_auth, ...more } as MasterConfig, parts as unknown as LoginParts);
  opened.push(logins);
  const login = (eauth: string, username: string, secret: string) =>
    logins.prove({ eauth, username, secret, token: '' }, '192.0.2.1');
  return { login, logged };
}

it('a back end that never ends fails after a minute', async () => {
  jest.useFakeTimers({ doNotFake: ['performance', 'nextTick', 'queueMicrotask', 'setImmediate'] });
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const { login, logged } = loginsWith({ file: { '^filename': pipe } });
  let ended = false;
  const refused = login('file', 'bob', 'one').finally(() => {
    ended = true;
  });
  await jest.advanceTimersByTimeAsync(59_000);
  expect(ended).toBe(false);
  await jest.advanceTimersByTimeAsync(1000);
  expect(await refused).toMatchObject(REFUSED);
  expect(logged).toEqual([expect.stringContaining('a back end of external_auth failed')]);
  // Ends the read, which holds a thread.
  closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
});

it('an empty password proves nobody, also where a file has one', async () => {
  const filename = join(folder, 'users');
  writeFileSync(filename, 'alice:one\nbob:\n');
  const { login } = loginsWith({ file: { '^filename': filename } });
  expect(await login('file', 'alice', 'one')).toMatchObject({ ok: true });
  expect(await login('file', 'bob', '')).toMatchObject(REFUSED);
});

it('only auto, which asks for none, takes an empty password', async () => {
  const { login } = loginsWith({ auto: {} }, { eauth_auto_for_development: true });
  expect(await login('auto', 'zoe', '')).toMatchObject({ ok: true });
});
