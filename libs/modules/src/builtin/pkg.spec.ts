import { execFileSync } from 'node:child_process';
import { isMap } from '@natrium/model';
import { call } from '../testing/call-context.js';
import { installedPackages, readStatus } from './dpkg-status.js';

const STATUS = `Package: bash
Status: install ok installed
Architecture: amd64
Version: 5.2-1
Description: a shell
 Status: not a field

Package: gone
Status: deinstall ok config-files
Architecture: amd64
Version: 1

Package: libc6
Status: hold ok installed
Architecture: i386
Version: 2.36
`;

describe('pkg.*', () => {
  it('lists what is wholly installed, with the architecture of foreign packages', () => {
    expect([...readStatus(STATUS, 'amd64')]).toEqual([
      ['bash', ['5.2-1']],
      ['libc6:i386', ['2.36']],
    ]);
  });

  it('knows a host without dpkg', async () => {
    expect(await installedPackages('/nonexistent/status')).toBeUndefined();
  });

  it('lists the same as dpkg-query on this machine', async () => {
    const lines = execFileSync('dpkg-query', ['-W', '-f', '${db:Status-Status} ${Package} ${Version}\n'], {
      encoding: 'utf8',
    });
    const installed = lines
      .split('\n')
      .filter((line) => line.startsWith('installed '))
      .map((line) => line.split(' '));
    const { ret } = await call('pkg.list_pkgs');
    const own = isMap(ret) ? ret : {};
    expect(Object.keys(own)).toHaveLength(installed.length);
    for (const [, name = '', version] of installed) expect(own[name]).toBe(version);
  });

  it('tells versions: text for one, a map for several or a glob, empty for what is not there', async () => {
    const version = execFileSync('dpkg-query', ['-W', '-f', '${Version}', 'dpkg'], { encoding: 'utf8' });
    expect((await call('pkg.version', ['dpkg'])).ret).toBe(version);
    expect((await call('pkg.version', ['no-such-package'])).ret).toBe('');
    expect((await call('pkg.version', ['dpkg', 'no-such-package'])).ret).toEqual({
      dpkg: version,
      'no-such-package': '',
    });
    expect((await call('pkg.version', ['dpk?'])).ret).toEqual({ dpkg: version });
  });

  it('asks the package manager what could be had', async () => {
    const policy = execFileSync('apt-cache', ['policy', 'dpkg'], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
    });
    const [installed, candidate] = ['Installed', 'Candidate'].map(
      (key) => new RegExp(`${key}: (.*)`).exec(policy)?.[1],
    );
    const latest = installed === candidate ? '' : candidate;
    expect((await call('pkg.latest_version', ['dpkg'])).ret).toBe(latest);
    expect((await call('pkg.upgrade_available', ['dpkg'])).ret).toBe(latest !== '');
    expect(isMap((await call('pkg.list_upgrades')).ret)).toBe(true);
  });

  it.each([
    ['pkg.install', ['--reinstall'], "'--reinstall' is not the name of a package"],
    ['pkg.install', ['vim', null, '1; x'], "'1; x' is not a version"],
    ['pkg.remove', [''], 'there is no package named'],
  ])('refuses %s %j', async (fun, sent, text) => {
    expect((await call(fun, sent)).ret).toBe(`ERROR executing '${fun}': ${text}`);
  });
});
