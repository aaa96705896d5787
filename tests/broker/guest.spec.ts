/**
 * External users whose account of the host has no key of the cluster: with users of the broker they come in as guests. A
 * cluster of an earlier version lets them in once `natriumctl init` was run again (`natriumctl up` does) and its
 * acl-service has started anew.
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountJwt, SCOPES } from '@natrium/broker-auth';
import { sodiumReady } from '@natrium/envelope';
import { connect } from '@nats-io/transport-node';
import { brokerKeysOf, systemLogin } from '../support/broker-operator.js';
import { type Ran, runProgram } from '../support/run-program.js';
import { START_MS, upCluster, type UpCluster } from '../support/up-cluster.js';

const folder = mkdtempSync(join(tmpdir(), 'nt-guest-'));
/** A configuration as an account without a key sees it: what it may not read is not there. */
const keyless = join(folder, 'keyless');
const home = join(folder, 'home');
const PASSWORD = 'right';
const NO_KEY = 77;
const DENIED = 13;
let up: UpCluster;

beforeAll(async () => {
  await sodiumReady();
  const sha = createHash('sha1').update(PASSWORD).digest('base64');
  writeFileSync(join(folder, 'users'), `fred:{SHA}${sha}\n`);
  mkdirSync(home);
  up = await start();
  show('roles', 'broker/knock.creds');
}, START_MS);
afterAll(async () => {
  await up.stop();
  rmSync(folder, { recursive: true, force: true });
}, START_MS);

function start(): Promise<UpCluster> {
  const masterConfig = `external_auth:
  file:
    ^filename: ${join(folder, 'users')}
    ^filetype: htpasswd
    fred:
      - a:
        - test.*
      - '@runner'
`;
  return upCluster({ minions: ['a', 'b'], masterConfig, folder: join(folder, 'state') });
}

/** @param files Of `pki`. */
function show(...files: readonly string[]): void {
  rmSync(keyless, { recursive: true, force: true });
  for (const file of files) cpSync(join(up.master, 'pki', file), join(keyless, 'pki', file));
  const config = readFileSync(join(up.master, 'master.d', 'up.conf'), 'utf8').replaceAll(up.master, keyless);
  writeFileSync(join(keyless, 'master'), config);
}

function natrium(words: readonly string[], input?: string, command = 'natrium'): Promise<Ran> {
  const env = { HOME: home };
  const argv = [up.command(command), '-c', keyless, ...words];
  return runProgram(process.execPath, argv, { cwd: folder, env, ...(input === undefined ? {} : { input }) });
}

const FRED = ['-a', 'file', '--username', 'fred'];
const told = ({ code, stdout, stderr }: Ran) => ({ code, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() });
const pong = { code: 0, stdout: 'a:\n    True', stderr: '' };

describe('an account without a key', () => {
  it('logs in with a name and a password, and runs what that user may', async () => {
    expect(told(await natrium([...FRED, 'a', 'test.ping'], `${PASSWORD}\n`))).toEqual(pong);
    const run = await natrium([...FRED, 'test.arg', '1'], `${PASSWORD}\n`, 'natrium-run');
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('keeps a token with -T, and comes in with that alone', async () => {
    expect(told(await natrium(['-T', ...FRED, 'a', 'test.ping'], `${PASSWORD}\n`))).toEqual(pong);
    expect(told(await natrium(['-a', 'file', 'a', 'test.ping']))).toEqual(pong);
  });

  it('may nothing else than that user', async () => {
    const refused = await natrium([...FRED, 'b', 'test.ping'], `${PASSWORD}\n`);
    expect(told(refused)).toEqual({
      code: DENIED,
      stdout: '',
      stderr: "token fred may not run 'test.ping' on 'b': no rule permits it",
    });
  });

  it('is not let in with a wrong password', async () => {
    expect(told(await natrium([...FRED, 'a', 'test.ping'], 'wrong\n'))).toEqual({
      code: DENIED,
      stdout: '',
      stderr: 'file does not let "fred" in with this password',
    });
  });

  it('hears without -a that it has no key', async () => {
    const { code, stdout, stderr } = await natrium(['a', 'test.ping']);
    expect({ code, stdout }).toEqual({ code: NO_KEY, stdout: '' });
    expect(stderr).toContain(`has no key: ${join(keyless, 'pki', 'account.key')} is not there`);
    expect(stderr).not.toContain('knock.creds');
  });
});

describe('a cluster of an earlier version', () => {
  it(
    'has no guests; natriumctl init, run again, and a new start of the acl-service let them in, and change nothing else',
    async () => {
      await forgetGuests();
      show('roles');
      const shut = await natrium([...FRED, 'a', 'test.ping'], `${PASSWORD}\n`);
      expect({ code: shut.code, stdout: shut.stdout }).toEqual({ code: NO_KEY, stdout: '' });
      expect(shut.stderr).toContain('knock.creds is: natriumctl init, run again, makes it');

      const before = joinCreds();
      const made = await up.ctl('init');
      expect([made.code, made.stderr]).toEqual([0, '']);
      expect(made.stdout).toContain('were made: knock, guest.');
      expect(joinCreds()).toBe(before);
      const again = await up.ctl('init');
      expect([again.code, again.stderr]).toEqual([0, '']);
      expect(again.stdout).toContain('lacks nothing of this version; nothing was changed');

      await up.stop();
      up = await start();
      await guestsAreIn();
    },
    3 * START_MS,
  );

  it(
    'is completed by natriumctl up, which changes nothing else',
    async () => {
      await forgetGuests();
      await up.stop();
      const before = joinCreds();
      up = await start();
      expect(joinCreds()).toBe(before);
      await guestsAreIn();
    },
    3 * START_MS,
  );
});

function joinCreds(): string {
  return readFileSync(join(up.master, 'pki', 'broker', 'join.creds'), 'utf8');
}

async function guestsAreIn(): Promise<void> {
  show('roles', 'broker/knock.creds');
  expect(told(await natrium([...FRED, 'a', 'test.ping'], `${PASSWORD}\n`))).toEqual(pong);
  expect((await up.natrium('*', 'test.ping')).code).toBe(0);
}

/** The keys and the account as they were before there were guests. */
async function forgetGuests(): Promise<void> {
  const keys = brokerKeysOf(up.folder);
  const isNew = (name: string) => name === 'guest' || name === 'knock';
  const scopes = SCOPES.filter(({ name }) => !isNew(name)).map((scope) => ({
    ...scope,
    // Whoever has another scope than before is cut off when the account is signed anew: the acl-service itself, as it starts.
    sends: scope.sends.filter((subject) => scope.name !== 'acl' || subject !== 'dir.roles'),
  }));
  const kept = new Map([...keys.scopeKeys].filter(([name]) => !isNew(name)));
  const content = { cluster: 'main', scopes, keys: kept, revoked: [] };
  const jwt = await accountJwt(keys.account, keys.operatorSigning, content);
  const system = await connect({ servers: up.brokerUrl, authenticator: await systemLogin(up.folder) });
  const { code } = (await system.request('$SYS.REQ.CLAIMS.UPDATE', jwt, { timeout: 5000 })).json<{
    data?: { code?: number };
  }>().data ?? { code: 0 };
  await system.close();
  expect(code).toBe(200);
  const broker = join(up.master, 'pki', 'broker');
  writeFileSync(join(broker, 'acl', 'scopes.json'), JSON.stringify(Object.fromEntries(kept)));
  for (const file of ['acl/guest.key', 'knock.creds']) rmSync(join(broker, file));
}
