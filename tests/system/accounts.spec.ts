/**
 * The accounts of `publisher_acl` as real accounts of this machine, without root: what each may run, and what each is refused.
 * Two are in /etc/passwd, two are known only through NSS. Runs as root, for the accounts themselves.
 */
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@natrium/testing';
import { type Ran, runProgram } from '../support/run-program.js';
import { upCluster, type UpCluster } from '../support/up-cluster.js';
import { HostAccounts } from './host.js';

const PASSWORD = 'of-ursula';
const MASTER = `log_level: info
external_auth:
  sharedsecret:
    ursula:
      - web1:
        - test.ping
sharedsecret: ${PASSWORD}
publisher_acl:
  thatch:
    - .*
  fred:
    - web*:
      - test.*
      - pkg.*
  admin|manager_.*:
    - saltutil.*
  user_.*:
    - web*:
      - my_mod.*:
          args: ['a.*', 'b.*']
          kwargs: {kwa: 'kwa.*', kwb: 'kwb'}
      - test.arg:
          args: ['a.*', 'b.*']
          kwargs: {kwa: 'kwa.*', kwb: 'kwb'}
`;

let host: HostAccounts;
let up: UpCluster;

beforeAll(async () => {
  host = HostAccounts.make(['thatch', 'fred'], ['manager_nss', 'user_nss']);
  up = await upCluster({ minions: ['web1', 'web2', 'db1'], masterConfig: MASTER });
  chmodSync(up.folder, 0o755);
});
afterAll(async () => {
  host.remove();
  await up.stop();
});

function ctl(...words: readonly string[]): Promise<Ran> {
  return runProgram(process.execPath, [up.command('natriumctl'), ...words, '-c', up.master], { cwd: '/' });
}

function natrium(account: string, ...words: readonly string[]): Promise<Ran> {
  return host.run(account, process.execPath, up.command('natrium'), '-c', up.master, ...words);
}

function keyFile(name: string): string {
  return join(up.master, 'pki', 'accounts', `${name}.key`);
}

function write(text: string): void {
  writeFileSync(join(up.master, 'master'), text);
}

/** Resolves when what was written last decides. */
async function inForce(from: number): Promise<void> {
  await until('the new policy is in force', () =>
    up.lines.slice(from).some((line) => line.includes('policy in force')),
  );
}

function told({ code, stdout, stderr }: Ran) {
  return { code, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
}

const pong = (...ids: readonly string[]) => ids.flatMap((id) => [`${id}:`, '    True']).sort();
const lines = (text: string) => text.trimEnd().split('\n').sort();

describe('before the sync', () => {
  it('an account has no key, and hears so', async () => {
    const { code, stderr } = await natrium('fred', 'web1', 'test.ping');
    expect(code).toBeGreaterThan(0);
    expect(stderr).not.toBe('');
  });

  it('a dry run says what would be done, and does nothing', async () => {
    const { code, stdout } = await ctl('accounts', 'sync', '--dry-run');
    expect({ code, lines: lines(stdout) }).toEqual({
      code: 0,
      lines: ['fred', 'manager_nss', 'thatch', 'user_nss'].map((name) => `${name}: would get a key`),
    });
    expect(existsSync(join(up.master, 'pki', 'accounts'))).toBe(false);
  });

  it('nobody else than root may sync', async () => {
    const ran = await host.run('fred', process.execPath, up.command('natriumctl'), 'accounts', 'sync', '-c', up.master);
    expect(told(ran)).toEqual({
      code: 77,
      stdout: '',
      stderr: 'natriumctl accounts: accounts sync makes files for other accounts: run it as root',
    });
  });
});

describe('a sync', () => {
  it('gives each account a key that it alone may read, also where only NSS knows it', async () => {
    const { code, stdout } = await ctl('accounts', 'sync');
    expect({ code, lines: lines(stdout) }).toEqual({
      code: 0,
      lines: ['fred', 'manager_nss', 'thatch', 'user_nss'].map((name) => `${name}: got a key`),
    });
    for (const [name, { uid }] of host.ids) {
      const { mode, uid: owner } = statSync(keyFile(name));
      expect([name, (mode & 0o777).toString(8), String(owner)]).toEqual([name, '600', uid]);
    }
    expect(told(await host.run('thatch', 'cat', keyFile('fred'))).code).toBe(1);
    expect(told(await host.run('thatch', 'cat', join(up.master, 'pki', 'account.key'))).code).toBe(1);
    expect(told(await host.run('thatch', 'ls', join(up.master, 'pki', 'accounts'))).code).toBe(2);
    const files = readdirSync(join(up.master, 'pki', 'accounts'));
    expect([files.filter((file) => file.endsWith('.key')).length, files.length]).toEqual([4, 8]);
  });

  it('changes nothing the second time', async () => {
    const before = readFileSync(keyFile('fred'), 'utf8');
    const { code, stdout } = await ctl('accounts', 'sync');
    expect({ code, lines: lines(stdout) }).toEqual({
      code: 0,
      lines: ['fred', 'manager_nss', 'thatch', 'user_nss'].map((name) => `${name}: has its key`),
    });
    expect(readFileSync(keyFile('fred'), 'utf8')).toBe(before);
  });
});

describe('allowed', () => {
  it.each([
    ['thatch', ['*', 'test.ping'], pong('web1', 'web2', 'db1')],
    ['thatch', ['db1', 'cmd.run', 'echo hello'], ['    hello', 'db1:']],
    ['fred', ['web*', 'test.ping'], pong('web1', 'web2')],
    ['fred', ['-L', 'web1,web2', 'test.version'], ['    Natrium-0.1.0', '    Natrium-0.1.0', 'web1:', 'web2:']],
  ])('%s: natrium %j', async (account, words, expected) => {
    const { code, stdout, stderr } = await natrium(account, ...words);
    expect({ code, stderr, lines: lines(stdout) }).toEqual({ code: 0, stderr: '', lines: [...expected].sort() });
  });

  it.each([
    ['manager_nss', ['*', 'saltutil.running']],
    ['user_nss', ['web1', 'test.arg', 'a1', 'b2', 'kwa=kwa3', 'kwb=kwb']],
  ])('%s, known only through NSS: natrium %j', async (account, words) => {
    const { code, stdout, stderr } = await natrium(account, ...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('web1:');
  });

  it('what is allowed and does not exist on the minion is said by the minion', async () => {
    const { code, stdout } = await natrium('user_nss', 'web1', 'my_mod.run', 'a1', 'b2', 'kwa=kwa3', 'kwb=kwb');
    expect({ code, stdout }).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("'my_mod.run' is not available") as string,
    });
  });
});

describe('natrium-run', () => {
  const run = (account: string, ...words: readonly string[]) =>
    host.run(account, process.execPath, up.command('natrium-run'), '-c', up.master, ...words);

  it('is for accounts whose list names runners, under their own name', async () => {
    const from = up.lines.length;
    write(MASTER.replace('    - .*\n', "    - .*\n    - '@runner'\n"));
    await inForce(from);
    expect(told(await run('thatch', 'manage.up'))).toEqual({ code: 0, stdout: '- db1\n- web1\n- web2', stderr: '' });
    expect(told(await run('fred', 'manage.up'))).toMatchObject({
      code: 13,
      stdout: '',
      stderr: expect.stringContaining('account fred may not run') as string,
    });
  });
});

describe('refused', () => {
  it.each([
    ['fred', ['*', 'test.ping'], "account fred may not run 'test.ping' on '*'"],
    ['fred', ['db1', 'test.ping'], "account fred may not run 'test.ping' on 'db1'"],
    ['fred', ['web1', 'cmd.run', 'id'], "account fred may not run 'cmd.run' on 'web1'"],
    ['manager_nss', ['*', 'test.ping'], "account manager_nss may not run 'test.ping' on '*'"],
    [
      'user_nss',
      ['web1', 'test.arg', 'a1', 'x2', 'kwa=kwa3', 'kwb=kwb'],
      "account user_nss may not run 'test.arg' on 'web1'",
    ],
    ['user_nss', ['web1', 'test.arg', 'a1', 'b2', 'kwa=kwa3'], "account user_nss may not run 'test.arg' on 'web1'"],
    [
      'user_nss',
      ['db1', 'test.arg', 'a1', 'b2', 'kwa=kwa3', 'kwb=kwb'],
      "account user_nss may not run 'test.arg' on 'db1'",
    ],
  ])('%s: natrium %j', async (account, words, sentence) => {
    const ran = told(await natrium(account, ...words));
    expect(ran).toMatchObject({ code: 13, stdout: '', stderr: expect.stringContaining(sentence) as string });
  });

  it('an account that nobody names has no key', async () => {
    const { code, stderr } = await natrium('nobody', 'web1', 'test.ping');
    expect({ code, stderr }).toMatchObject({
      code: 77,
      stderr: expect.stringContaining('account nobody has no key') as string,
    });
  });

  it('and comes in all the same as an external user, who may what that one may', async () => {
    const login = ['-a', 'sharedsecret', '--username', 'ursula', '--password'];
    expect(told(await natrium('nobody', ...login, PASSWORD, 'web1', 'test.ping'))).toEqual({
      code: 0,
      stdout: 'web1:\n    True',
      stderr: '',
    });
    expect(told(await natrium('nobody', ...login, PASSWORD, 'db1', 'test.ping'))).toMatchObject({
      code: 13,
      stdout: '',
    });
    expect(told(await natrium('nobody', ...login, 'wrong', 'web1', 'test.ping'))).toMatchObject({
      code: 13,
      stdout: '',
    });
    const door = join(up.master, 'pki', 'broker', 'knock.creds');
    chmodSync(door, 0o600);
    expect(told(await natrium('nobody', ...login, PASSWORD, 'web1', 'test.ping'))).toMatchObject({
      code: 77,
      stdout: '',
      stderr: expect.stringMatching(
        /account nobody has no key in \S+; natriumctl accounts sync makes them, as root$/,
      ) as string,
    });
    chmodSync(door, 0o644);
  });

  it('is in the audit, with the account', async () => {
    const refused = async () => {
      const { stdout } = await ctl('audit', 'tail', '--json', '-n', '200');
      const all = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { what: string; caller: { name: string } | null });
      const who = all.filter(({ what }) => what === 'refusal').map(({ caller }) => caller?.name);
      return ['fred', 'user_nss'].map((account) => who.filter((name) => name === account).length);
    };
    // Records are written soon after the answer.
    await until('all are recorded', async () => (await refused()).join() === '4,3');
    expect(await refused()).toEqual([4, 3]);
    expect((await ctl('audit', 'verify')).code).toBe(0);
  });
});

describe('through sudo', () => {
  const asSudo = (name: string, ...words: readonly string[]) =>
    runProgram('env', [`SUDO_USER=${name}`, process.execPath, up.command('natrium'), '-c', up.master, ...words], {
      cwd: '/',
    });

  it('root has full access while sudo_acl is off, and what the account has when it is on', async () => {
    expect(told(await asSudo('fred', 'db1', 'test.ping'))).toEqual({ code: 0, stdout: 'db1:\n    True', stderr: '' });
    const from = up.lines.length;
    write(`${MASTER}sudo_acl: true\n`);
    await inForce(from);
    expect(told(await asSudo('fred', 'db1', 'test.ping'))).toMatchObject({
      code: 13,
      stderr: expect.stringContaining("account sudo_fred may not run 'test.ping' on 'db1'") as string,
    });
    expect(told(await asSudo('fred', 'web1', 'test.ping'))).toEqual({ code: 0, stdout: 'web1:\n    True', stderr: '' });
    expect(told(await asSudo('stranger', 'web1', 'test.ping')).code).toBe(13);
  });

  it('nobody else becomes another by saying so', async () => {
    const ran = await host.run(
      'fred',
      'env',
      'SUDO_USER=thatch',
      process.execPath,
      up.command('natrium'),
      '-c',
      up.master,
      'db1',
      'test.ping',
    );
    expect(told(ran)).toMatchObject({ code: 13, stderr: expect.stringContaining('account fred may not') as string });
  });
});

describe('an account that publisher_acl names no more', () => {
  it('loses its key at the next sync, and is refused at once', async () => {
    write(MASTER.replace('  fred:\n    - web*:\n      - test.*\n      - pkg.*\n', ''));
    const { code, stdout } = await ctl('accounts', 'sync');
    expect({ code, lines: lines(stdout) }).toEqual({
      code: 0,
      lines: [
        'fred: lost its key: publisher_acl does not name it any more',
        'manager_nss: has its key',
        'thatch: has its key',
        'user_nss: has its key',
      ],
    });
    expect(existsSync(keyFile('fred'))).toBe(false);
    expect((await natrium('fred', 'web1', 'test.ping')).code).toBe(77);
    expect((await natrium('thatch', 'web1', 'test.ping')).code).toBe(0);
  });
});
