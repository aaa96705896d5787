/**
 * Packages, services, accounts and files of this machine, changed by an operator's `natrium` through a whole cluster, and
 * changed back: afterwards all is as it was.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@natrium/testing';
import { NO_PEER } from '../support/examples.js';
import { START_MS, upCluster, type UpCluster } from '../support/up-cluster.js';

const ID = 'web1';
/** Small, without dependencies that this machine lacks, and with nothing that runs. */
const PACKAGE = 'hello';
const SERVICE = 'natrium-test-service';
const SCRIPT = `/etc/init.d/${SERVICE}`;
const PIDFILE = `/run/${SERVICE}.pid`;
const [USER, GROUP] = ['natrium-t2', 'natrium-g2'];
const ACCOUNT_FILES = ['/etc/passwd', '/etc/group'] as const;
const LEVELS = ['2', '3', '4', '5'];

const INIT = `#!/bin/sh
### BEGIN INIT INFO
# Provides:          ${SERVICE}
# Required-Start:
# Required-Stop:
# Default-Start:     2 3 4 5
# Default-Stop:      0 1 6
# Short-Description: For a test of Natrium
### END INIT INFO
WORDS="--pidfile ${PIDFILE} --exec /bin/sleep"
case "$1" in
  start) start-stop-daemon --start --quiet --oknodo --background --make-pidfile $WORDS -- 600 ;;
  stop) start-stop-daemon --stop --quiet --oknodo --remove-pidfile $WORDS ;;
  restart|reload) "$0" stop && "$0" start ;;
  status) start-stop-daemon --status $WORDS ;;
  *) exit 2 ;;
esac
`;

let cluster: UpCluster;
let folder = '';

beforeAll(async () => {
  if (process.getuid?.() !== 0) throw new Error('these tests change the machine: they need root');
  folder = mkdtempSync(join(tmpdir(), 'nt-host-'));
  if (!isInstalled()) execFileSync('apt-get', ['update'], { stdio: 'ignore' });
  else execFileSync('apt-get', ['purge', '-y', PACKAGE], { stdio: 'ignore' });
  cluster = await upCluster({ minions: [ID], masterConfig: NO_PEER });
}, START_MS);

afterAll(async () => {
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function asked(...words: readonly string[]) {
  const { stdout, code } = await cluster.natrium('-t', '120', '--out=json', '--static', ID, ...words);
  return { code, ret: (JSON.parse(stdout) as Readonly<Record<string, unknown>>)[ID] };
}
const run = async (...words: readonly string[]) => (await asked(...words)).ret;

function isInstalled(): boolean {
  return existsSync(`/usr/bin/${PACKAGE}`);
}

it('a script is read by the account that it runs as, and by nobody else, and that cannot take it away', async () => {
  const text =
    '#!/bin/sh\nid -un; pwd; mv "$0" "$0.other" 2>/dev/null || echo kept; stat -c %a "$0"; test -w "${0%/*}" || echo closed';
  const ran = { stdout: 'nobody\n/usr\nkept\n500\nclosed', stderr: '', retcode: 0 };
  expect(await run('cmd.script', text, 'cwd=/usr', 'runas=nobody')).toMatchObject(ran);
});

describe('pkg', () => {
  afterAll(() => {
    if (isInstalled()) execFileSync('apt-get', ['purge', '-y', PACKAGE], { stdio: 'ignore' });
  });

  it('installs a Debian package, tells its version, and removes it again', async () => {
    expect(await run('pkg.version', PACKAGE)).toBe('');
    const latest = await run('pkg.latest_version', PACKAGE);
    expect(latest).toMatch(/^\d/);
    expect(await run('pkg.install', PACKAGE)).toEqual({ [PACKAGE]: { old: '', new: latest } });
    expect(execFileSync(`/usr/bin/${PACKAGE}`, { encoding: 'utf8' })).toContain('Hello');
    expect(await run('pkg.version', PACKAGE)).toBe(latest);
    expect(await run('pkg.install', PACKAGE)).toEqual({});
    expect(await run('pkg.purge', PACKAGE)).toEqual({
      installed: { [PACKAGE]: { old: latest, new: '' } },
      removed: {},
    });
    expect(isInstalled()).toBe(false);
    expect(await run('pkg.remove', PACKAGE)).toEqual({});
  });

  it('says which package there is none of, and fails', async () => {
    const { ret, code } = await asked('pkg.install', 'natrium-no-such-package');
    expect(ret).toContain('natrium-no-such-package');
    expect(code).not.toBe(0);
    expect(await run('pkg.install', '--', '-o=Dir::Etc=/tmp')).toMatch(/is not the name of a package/);
  });
});

describe('service, with a script of /etc/init.d', () => {
  beforeAll(() => {
    if (existsSync('/run/systemd/system')) throw new Error('systemd runs here: this test is for init scripts');
    writeFileSync(SCRIPT, INIT, { mode: 0o755 });
  });
  afterAll(() => {
    execFileSync(SCRIPT, ['stop']);
    rmSync(SCRIPT);
    execFileSync('update-rc.d', [SERVICE, 'remove'], { stdio: 'ignore' });
  });
  /** The program that starts it in the background does not wait for the file. */
  const pid = () => (existsSync(PIDFILE) && Number(readFileSync(PIDFILE, 'utf8'))) || undefined;

  it('is started, restarted and stopped', async () => {
    expect(await run('service.available', SERVICE)).toBe(true);
    expect(await run('service.status', SERVICE)).toBe(false);
    expect(await run('service.start', SERVICE)).toBe(true);
    expect(await run('service.status', SERVICE)).toBe(true);
    const first = await until('its number', pid);
    expect(readFileSync(`/proc/${String(first)}/cmdline`, 'utf8')).toContain('sleep');
    expect(await run('service.restart', SERVICE)).toBe(true);
    expect(await until('another number', () => pid() !== first && pid())).not.toBe(first);
    expect(await run('service.stop', SERVICE)).toBe(true);
    expect(await run('service.status', SERVICE)).toBe(false);
    expect(existsSync(PIDFILE)).toBe(false);
  });

  it('starts with the host after enable, and not after disable', async () => {
    execFileSync('update-rc.d', [SERVICE, 'defaults'], { stdio: 'ignore' });
    const links = () => LEVELS.filter((level) => existsSync(`/etc/rc${level}.d/S01${SERVICE}`));
    expect(await run('service.disable', SERVICE)).toBe(true);
    expect([await run('service.enabled', SERVICE), links()]).toEqual([false, []]);
    expect(await run('service.enable', SERVICE)).toBe(true);
    expect([await run('service.enabled', SERVICE), links()]).toEqual([true, LEVELS]);
    expect(await run('service.get_all')).toContain(SERVICE);
  });

  it('that is none is named', async () => {
    const { ret, code } = await asked('service.start', 'natrium-no-such-service');
    expect(ret).toBe('ERROR: there is no service natrium-no-such-service');
    expect(code).not.toBe(0);
  });
});

describe('user and group', () => {
  afterEach(async () => {
    await run('user.delete', USER);
    await run('group.delete', GROUP);
  });

  it('are added, changed and removed, and the files of /etc are as before', async () => {
    const contents = () => ACCOUNT_FILES.map((file) => readFileSync(file, 'utf8'));
    const before = contents();
    expect(await run('group.add', GROUP, '47002')).toBe(true);
    const words = ['uid=47002', `gid=${GROUP}`, 'createhome=False', 'shell=/bin/sh'];
    expect(await run('user.add', USER, ...words)).toBe(true);
    expect(execFileSync('id', ['-u', USER], { encoding: 'utf8' }).trim()).toBe('47002');
    expect(await run('user.chshell', USER, '/bin/false')).toBe(true);
    expect(await run('user.info', USER)).toMatchObject({ uid: 47_002, gid: 47_002, shell: '/bin/false' });
    expect(await run('group.adduser', GROUP, USER)).toBe(true);
    expect(await run('user.delete', USER)).toBe(true);
    expect(await run('group.delete', GROUP)).toBe(true);
    expect(contents()).toEqual(before);
  });
});

describe('file', () => {
  it('is written, changed with a backup, given away, and put back', async () => {
    const path = join(folder, 'motd');
    expect(await run('file.write', path, 'hello world')).toMatch(/Wrote 1 lines/);
    expect(await run('file.replace', path, 'world', 'there')).toContain('+hello there');
    expect(readFileSync(path, 'utf8')).toBe('hello there\n');
    expect(await run('file.get_hash', path)).toBe(
      execFileSync('sha256sum', [path], { encoding: 'utf8' }).split(' ')[0],
    );
    await run('file.chown', path, 'nobody', 'nogroup');
    expect([await run('file.get_user', path), await run('file.get_group', path)]).toEqual(['nobody', 'nogroup']);
    expect(await run('file.set_mode', path, '0600')).toBe('0600');
    expect(await run('file.remove', path)).toBe(true);
    expect(existsSync(path)).toBe(false);
  });
});
