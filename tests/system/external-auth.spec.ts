/**
 * External users for real: a slapd with two groups, PAM with two accounts of this machine. Who may what, who is refused, what
 * becomes of tokens, and that no password is ever seen. Makes the transcript of docs/external-auth.md (UPDATE_DOCS=1).
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@natrium/testing';
import { type Ran, runProgram } from '../support/run-program.js';
import { upCluster, type UpCluster } from '../support/up-cluster.js';
import { PamAccounts } from './pam-accounts.js';
import { Slapd } from './slapd.js';
import { Transcript } from './transcript.js';

const SECRET = {
  fred: 'canary-fred-81d0',
  thatch: 'canary-thatch-3bb1',
  outsider: 'canary-outsider-77e2',
  reader: 'canary-reader-90c3',
  nt_anna: 'canary-anna-4ae4',
  nt_locked: 'canary-locked-16f5',
  wrong: 'canary-wrong-0b26',
} as const;
type Who = keyof typeof SECRET;

const SUFFIX = 'dc=example,dc=com';
const READER = `cn=reader,${SUFFIX}`;

const person = (uid: Who, number: number) => `dn: uid=${uid},ou=People,${SUFFIX}
objectClass: inetOrgPerson
objectClass: posixAccount
uid: ${uid}
cn: ${uid.toUpperCase()}
sn: ${uid}
uidNumber: ${String(number)}
gidNumber: ${String(number)}
homeDirectory: /nonexistent
userPassword: ${SECRET[uid]}
`;
const group = (cn: string, number: number, member: string) => `dn: cn=${cn},ou=Groups,${SUFFIX}
objectClass: posixGroup
cn: ${cn}
gidNumber: ${String(number)}
memberUid: ${member}
`;
const LDIF = [
  `dn: ${SUFFIX}\nobjectClass: dcObject\nobjectClass: organization\no: example\n`,
  ...['People', 'Groups'].map((ou) => `dn: ou=${ou},${SUFFIX}\nobjectClass: organizationalUnit\n`),
  `dn: ${READER}\nobjectClass: applicationProcess\nobjectClass: simpleSecurityObject\nuserPassword: ${SECRET.reader}\n`,
  ...[person('fred', 7001), person('thatch', 7002), person('outsider', 7003)],
  ...[group('web-admins', 8001, 'fred'), group('db-admins', 8002, 'thatch')],
].join('\n');

let slapd: Slapd;
let accounts: PamAccounts;
let up: UpCluster;
const home = mkdtempSync(join(tmpdir(), 'nt-home-'));
const page = new Transcript();
const seen = { said: [] as string[], argumentsOfAll: new Set<string>() };

/** @param more Lines of the master file in place of the usual ones for the directory's connection. */
let version = 0;

function masterFile(
  more = `auth.ldap.starttls: true\nauth.ldap.port: ${String(slapd.port)}\n`,
  tokenExpire = 3600,
): string {
  return `log_level: trace
token_expire: ${String(tokenExpire)}
auth.pam.service: ${accounts.service}
auth.ldap.server: localhost
${more}auth.ldap.cacert: ${slapd.authority}
auth.ldap.basedn: ${SUFFIX}
auth.ldap.binddn: ${READER}
auth.ldap.bindpw: ${SECRET.reader}
auth.ldap.filter: uid={{ username }}
external_auth:
  ldap:
    web-admins%:
      - web*:
        - test.*
      - '@runner'
    db-admins%:
      - db*:
        - test.*
  pam:
    nt_anna:
      - test.ping
    nt_locked:
      - .*
    nt-ops%:
      - web*:
        - test.version
`;
}

beforeAll(async () => {
  accounts = new PamAccounts({ nt_anna: SECRET.nt_anna, nt_locked: SECRET.nt_locked }, { 'nt-ops': 'nt_anna' });
  accounts.change('nt_locked', '--lock', '--expiredate', '1');
  slapd = await Slapd.start({ ldif: LDIF, suffix: SUFFIX, reader: READER });
  up = await upCluster({ minions: ['web1', 'db1'], masterConfig: masterFile() });
});
afterAll(async () => {
  await up.stop();
  await slapd.stop();
  accounts.remove();
  rmSync(home, { recursive: true, force: true });
});

function run(command: string, words: readonly string[], password?: string): Promise<Ran> {
  const config = ['-c', up.master];
  // Its subcommand comes first.
  const asked = [up.command(command), ...(command === 'natriumctl' ? [...words, ...config] : [...config, ...words])];
  const input = password === undefined ? {} : { input: `${password}\n` };
  return watched(runProgram(process.execPath, asked, { cwd: '/', env: { HOME: home }, ...input }));
}

/** Everything that any process shows as its arguments while something runs. */
async function watched(running: Promise<Ran>): Promise<Ran> {
  const timer = setInterval(() => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        seen.argumentsOfAll.add(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
      } catch {
        // It has ended.
      }
    }
  }, 5);
  try {
    const ran = await running;
    seen.said.push(ran.stdout, ran.stderr);
    return ran;
  } finally {
    clearInterval(timer);
  }
}

/** As the page shows it: the password is typed at the prompt. */
async function shown(command: string, words: readonly string[], password?: string): Promise<Ran> {
  const ran = await run(command, words, password);
  const quoted = words.map((word) => (/^[\w./:=,-]+$/.test(word) ? word : `'${word}'`)).join(' ');
  const same = { ...ran, stdout: ran.stdout.replaceAll(home, '~'), stderr: ran.stderr.replaceAll(home, '~') };
  page.ran(`${command} ${quoted}`, same);
  return same;
}

function told({ code, stdout, stderr }: Ran) {
  return { code, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
}

/** Writes the master file and awaits that it counts; each has a rule of its own, so that each is told as a new policy. */
async function reload(text: string): Promise<void> {
  const from = up.lines.length;
  version += 1;
  writeFileSync(join(up.master, 'master'), `${text}publisher_acl: {version${String(version)}: [test.ping]}\n`);
  await until('the new policy is in force', () =>
    up.lines.slice(from).some((line) => line.includes('policy in force')),
  );
}

const as = (eauth: string, who: Who, ...words: readonly string[]) => ['-a', eauth, '--username', who, ...words];

describe('a directory', () => {
  it('lets in with the password, to what the groups have', async () => {
    page.say('### A directory\nThe password is asked for and does not show. `fred` is in the group `web-admins`.\n');
    expect(told(await shown('natrium', as('ldap', 'fred', 'web*', 'test.ping'), SECRET.fred))).toEqual({
      code: 0,
      stdout: 'web1:\n    True',
      stderr: '',
    });
    expect(told(await shown('natrium', as('ldap', 'thatch', 'db1', 'test.ping'), SECRET.thatch))).toEqual({
      code: 0,
      stdout: 'db1:\n    True',
      stderr: '',
    });
    expect(told(await shown('natrium-run', as('ldap', 'fred', 'manage.up'), SECRET.fred))).toEqual({
      code: 0,
      stdout: '- db1\n- web1',
      stderr: '',
    });
  });

  it('knows somebody by the one name that the filter is about, in whatever case it was typed', async () => {
    for (const name of ['FRED', 'Fred']) {
      const ran = await run('natrium', ['-a', 'ldap', '--username', name, 'web1', 'test.ping'], SECRET.fred);
      expect(told(ran)).toEqual({ code: 0, stdout: 'web1:\n    True', stderr: '' });
    }
  });

  it.each([
    ['fred', ['db1', 'test.ping'], "may not run 'test.ping' on 'db1'"],
    ['fred', ['web1', 'cmd.run', 'id'], "may not run 'cmd.run' on 'web1'"],
    ['thatch', ['*', 'test.ping'], "may not run 'test.ping' on '*'"],
  ] as const)('%s is refused %j', async (who, words, sentence) => {
    const ran = told(await shown('natrium', as('ldap', who, ...words), SECRET[who]));
    expect(ran).toMatchObject({ code: 13, stdout: '', stderr: expect.stringContaining(sentence) as string });
  });

  it('a runner is refused to whom no group gives it', async () => {
    expect(told(await run('natrium-run', as('ldap', 'thatch', 'manage.up'), SECRET.thatch))).toMatchObject({
      code: 13,
      stdout: '',
    });
  });

  it('somebody in no group that counts may do nothing', async () => {
    const ran = told(await shown('natrium', as('ldap', 'outsider', 'web1', 'test.ping'), SECRET.outsider));
    expect(ran).toMatchObject({ code: 13, stdout: '' });
  });

  it('a wrong password, an unknown name, an empty one and a filter as a name are one and the same', async () => {
    const sentence = (name: string) => `ldap does not let ${JSON.stringify(name)} in with this password`;
    const wrong = await shown('natrium', as('ldap', 'fred', 'web1', 'test.ping'), SECRET.wrong);
    expect(told(wrong)).toEqual({ code: 13, stdout: '', stderr: sentence('fred') });
    for (const name of ['nobody-here', '*', 'fred)(uid=*', 'fre*', READER]) {
      const ran = await run('natrium', ['-a', 'ldap', '--username', name, 'web1', 'test.ping'], SECRET.fred);
      expect(told(ran)).toEqual({ code: 13, stdout: '', stderr: sentence(name) });
    }
    const empty = await run('natrium', as('ldap', 'fred', 'web1', 'test.ping'), '');
    expect(told(empty)).toEqual({ code: 13, stdout: '', stderr: 'no password was given' });
  });

  it('a back end that is not configured proves nobody', async () => {
    const ran = told(await run('natrium', as('file', 'fred', 'web1', 'test.ping'), SECRET.fred));
    expect(ran).toEqual({ code: 13, stdout: '', stderr: 'file does not let "fred" in with this password' });
  });
});

describe('accounts of the host, through PAM', () => {
  it('lets in with the password: own rules and those of the group', async () => {
    page.say('### PAM\n`nt_anna` is an account of the master’s host, in the group `nt-ops`; `nt_locked` is locked.\n');
    expect(told(await shown('natrium', as('pam', 'nt_anna', '-s', '*', 'test.ping'), SECRET.nt_anna))).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^(?:db1|web1):\n {4}True\n(?:db1|web1):\n {4}True$/) as string,
      stderr: '',
    });
    expect(told(await shown('natrium', as('pam', 'nt_anna', 'web1', 'test.version'), SECRET.nt_anna)).code).toBe(0);
  });

  it('refuses what no rule names', async () => {
    const ran = told(await shown('natrium', as('pam', 'nt_anna', 'db1', 'test.version'), SECRET.nt_anna));
    expect(ran).toMatchObject({ code: 13, stdout: '' });
  });

  it('refuses a wrong password, a locked account, and one that has expired with the right password, alike', async () => {
    const words = as('pam', 'nt_locked', 'web1', 'test.ping');
    const wrongWords = as('pam', 'nt_anna', 'web1', 'test.ping');
    const wrong = await shown('natrium', wrongWords, SECRET.wrong);
    expect(told(wrong)).toEqual({ code: 13, stdout: '', stderr: 'pam does not let "nt_anna" in with this password' });
    const took = [await quickestOf(wrong, () => run('natrium', wrongWords, SECRET.wrong))];
    const locked = await shown('natrium', words, SECRET.nt_locked);
    took.push(await quickestOf(locked, () => run('natrium', words, SECRET.nt_locked)));
    expect(told(locked)).toEqual({
      code: 13,
      stdout: '',
      stderr: 'pam does not let "nt_locked" in with this password',
    });
    accounts.change('nt_locked', '--unlock');
    const expired = await run('natrium', words, SECRET.nt_locked);
    expect(told(expired)).toEqual(told(locked));
    await until('the reason is logged', () => up.lines.some((line) => line.includes('User account has expired')));
    took.push(await quickestOf(expired, () => run('natrium', words, SECRET.nt_locked)));
    // Each after the same five seconds; what a busy machine adds to one of them is not a second time that.
    expect(Math.min(...took)).toBeGreaterThan(4900);
    expect(Math.max(...took) - Math.min(...took)).toBeLessThan(5000);
  });

  /** How long a refusal takes where the machine has nothing else to do: it is tried again when it took a second time those five seconds. */
  async function quickestOf(first: Ran, again: () => Promise<Ran>): Promise<number> {
    let { ms } = first;
    for (let tries = 1; tries < 3 && ms > 9000; tries += 1) ms = Math.min(ms, (await again()).ms);
    return ms;
  }
});

describe('a token', () => {
  const file = join(home, '.natrium_token');

  it('is kept by -T for this account alone, and then -a is enough', async () => {
    page.say('### A token\n`-T` keeps a token in `~/.natrium_token`; later `-a ldap` is enough.\n');
    const kept = await shown('natrium', ['-T', ...as('ldap', 'fred', 'web1', 'test.ping')], SECRET.fred);
    expect(told(kept)).toEqual({ code: 0, stdout: 'web1:\n    True', stderr: '' });
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}$/);
    expect(told(await shown('natrium', ['-a', 'ldap', 'web1', 'test.ping'])).code).toBe(0);
    expect(told(await shown('natrium', ['-a', 'ldap', 'db1', 'test.ping'])).code).toBe(13);
  });

  it('counts for its own back end, and not when others may read the file', async () => {
    expect(told(await run('natrium', ['-a', 'pam', 'web1', 'test.ping']))).toEqual({
      code: 13,
      stdout: '',
      stderr: 'the token that was kept is of the back end ldap; log in again with -T',
    });
    execFileSync('chmod', ['644', file]);
    expect(told(await run('natrium', ['-a', 'ldap', 'web1', 'test.ping']))).toMatchObject({ code: 13, stdout: '' });
    execFileSync('chmod', ['600', file]);
  });

  it('has the rights of the policy now', async () => {
    await reload(masterFile().replace('web-admins%', 'others%'));
    expect(told(await run('natrium', ['-a', 'ldap', 'web1', 'test.ping']))).toMatchObject({ code: 13, stdout: '' });
    await reload(masterFile());
    expect(told(await run('natrium', ['-a', 'ldap', 'web1', 'test.ping'])).code).toBe(0);
  });

  it('is listed without its text, and revoked', async () => {
    const list = await run('natriumctl', ['token', 'list']);
    expect(list.stdout).toMatch(/fred/);
    expect(list.stdout).not.toContain(readFileSync(file, 'utf8'));
    expect(told(await shown('natriumctl', ['token', 'revoke', '--user', 'fred']))).toMatchObject({ code: 0 });
    expect(told(await shown('natrium', ['-a', 'ldap', 'web1', 'test.ping']))).toEqual({
      code: 13,
      stdout: '',
      stderr: 'the token that was kept is not valid any more: it has expired or was revoked; log in again with -T',
    });
  });

  it('is refused from the moment that it expires', async () => {
    await reload(masterFile(undefined, 8)); // a busy machine needs some of it for the job that follows the login
    expect(told(await run('natrium', ['-T', ...as('ldap', 'fred', 'web1', 'test.ping')], SECRET.fred)).code).toBe(0);
    const last = await until('it ends', async () => {
      const ran = await run('natrium', ['-a', 'ldap', 'web1', 'test.ping']);
      return ran.code !== 0 && ran;
    });
    expect(told(last)).toMatchObject({ code: 13, stdout: '', stderr: expect.stringContaining('expired') as string });
    page.say('After `token_expire`:\n');
    await shown('natrium', ['-a', 'ldap', 'web1', 'test.ping']);
  });
});

describe('the way to the directory', () => {
  const ask = () => run('natrium', as('ldap', 'fred', 'web1', 'test.ping'), SECRET.fred);

  it('may be LDAPS', async () => {
    await reload(masterFile(`auth.ldap.tls: true\nauth.ldap.port: ${String(slapd.tlsPort)}\n`));
    expect(told(await ask()).code).toBe(0);
  });

  it.each([
    ['StartTLS', () => `auth.ldap.starttls: true\nauth.ldap.port: ${String(slapd.port)}\n`],
    ['LDAPS', () => `auth.ldap.tls: true\nauth.ldap.port: ${String(slapd.tlsPort)}\n`],
  ])('is refused with %s of an authority that nobody trusts, and no password goes over it', async (_, lines) => {
    const own = /^auth\.ldap\.cacert: .*$/m;
    await reload(masterFile(lines()).replace(own, ''));
    expect(told(await ask())).toMatchObject({ code: 13, stdout: '' });
    await until('the reason is logged', () =>
      up.lines.some((line) => line.includes('ERR_EAUTH_FAILED') && /certificate/i.test(line)),
    );
  });

  it("may be the user's own name, without an account that searches", async () => {
    const text = masterFile()
      .replace(`binddn: ${READER}`, `binddn: uid={{ username }},ou=People,${SUFFIX}`)
      .replace(/^auth\.ldap\.(?:bindpw|filter): .*\n/gm, '')
      .replace('web-admins%', 'fred');
    await reload(text);
    expect(told(await ask()).code).toBe(0);
    const shouted = await run('natrium', ['-a', 'ldap', '--username', 'FRED', 'web1', 'test.ping'], SECRET.fred);
    expect(told(shouted)).toEqual({ code: 0, stdout: 'web1:\n    True', stderr: '' });
    const ran = await run('natrium', ['-a', 'ldap', '--username', 'fred,ou=x', 'web1', 'test.ping'], SECRET.fred);
    expect(told(ran)).toMatchObject({ code: 13, stdout: '' });
  });
});

describe('ten wrong passwords', () => {
  it('lock the account for everyone, with the right password too, and no other account', async () => {
    await reload(masterFile());
    for (let n = 0; n < 10; n += 1) {
      const name = n % 2 === 0 ? 'thatch' : 'THATCH';
      expect((await run('natrium', ['-a', 'ldap', '--username', name, 'db1', 'test.ping'], SECRET.wrong)).code).toBe(
        13,
      );
    }
    expect(told(await run('natrium', as('ldap', 'thatch', 'db1', 'test.ping'), SECRET.thatch))).toEqual({
      code: 13,
      stdout: '',
      stderr: 'ldap does not let "thatch" in with this password',
    });
    expect(told(await run('natrium', as('ldap', 'fred', 'web1', 'test.ping'), SECRET.fred)).code).toBe(0);
  });
});

describe('after all of this', () => {
  it('no password was in a log, an answer, or the arguments of any process', () => {
    const logs = up.lines.join('\n');
    expect(logs).toContain('PAM refused a login');
    for (const secret of Object.values(SECRET)) {
      expect(logs).not.toContain(secret);
      expect(seen.said.join('\n')).not.toContain(secret);
      expect([...seen.argumentsOfAll].filter((words) => words.includes(secret))).toEqual([]);
    }
    expect([...seen.argumentsOfAll].some((words) => words.includes('pamtester'))).toBe(true);
  });

  it('nor in what the cluster keeps, but for the master file', () => {
    const found = execFileSync('sh', ['-c', `grep -rlaF canary- '${up.folder}' || true`], { encoding: 'utf8' });
    expect(found.trim().split('\n')).toEqual([join(up.master, 'master')]);
  });

  it('the audit has who came in, who did not, and by what', async () => {
    const { stdout } = await run('natriumctl', ['audit', 'tail', '--json', '-n', '200']);
    const logins = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { what: string; verdict: string; detail: { user: string; eauth: string } })
      .filter(({ what }) => what === 'login');
    const of = (user: string) => new Set(logins.filter(({ detail }) => detail.user === user).map((one) => one.verdict));
    expect([...of('fred')].sort()).toEqual(['allow', 'refuse']);
    expect([...of('nt_locked')]).toEqual(['refuse']);
  });

  it('the page shows this very run', () => {
    const { found, wanted } = page.check('docs/external-auth.md');
    expect(found).toBe(wanted);
  });
});
