import { execFileSync, spawnSync } from 'node:child_process';
import { isMap } from '@natrium/model';
import { call, named } from '../testing/call-context.js';
import { installedPackages, readStatus } from './dpkg-status.js';
import { aptWords } from './package-managers.js';

const OLD_LISTS = named({ refresh: false });

/** Only what is installed: to read the lists of what could be had takes apt a second. */
const INSTALLED_ALONE = ['State::lists', 'Etc::sourcelist', 'Etc::sourceparts'].map(
  (name) => `-oDir::${name}=/dev/null`,
);

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
    expect((await call('pkg.latest_version', ['dpkg', OLD_LISTS])).ret).toBe(latest);
    expect((await call('pkg.upgrade_available', ['dpkg', OLD_LISTS])).ret).toBe(latest !== '');
    expect(isMap((await call('pkg.list_upgrades', [OLD_LISTS])).ret)).toBe(true);
  });

  it('fetches the lists first where it tells what could be had, unless told not to', async () => {
    const { ret } = await call('sys.argspec', ['pkg.l*', 'pkg.upgrade_available']);
    expect(ret).toMatchObject({
      'pkg.latest_version': { args: ['refresh'], defaults: [true] },
      'pkg.list_upgrades': { args: ['refresh'], defaults: [true] },
      'pkg.upgrade_available': { args: ['name', 'refresh'], defaults: [true] },
    });
  });

  it('has the second place of an installation for refresh, as Salt, and no third', async () => {
    expect((await call('sys.argspec', ['pkg.install'])).ret).toEqual({
      'pkg.install': {
        args: ['name', 'refresh', 'pkgs', 'version'],
        defaults: ['', false, null, ''],
        varargs: null,
        kwargs: null,
      },
    });
    const third = await call('pkg.install', ['vim', '--x', 'vim']);
    expect(third.ret).toContain('install() takes from 0 to 2 positional arguments but 3 were given');
  });

  it.each([
    ['install', 'bash-'],
    ['remove', 'bash+'],
    ['remove', 'bas.'],
    ['install', 'bash:all-'],
  ] as const)('has apt take a name for nothing else: %s %s', (verb, name) => {
    const { status, stderr } = spawnSync('apt-get', ['--simulate', ...INSTALLED_ALONE, ...aptWords(verb, [name])], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
    });
    expect(status).toBe(100);
    expect(stderr).toContain(`Unable to locate package ${name}`);
  });

  it('names a package whose name ends in a plus with its architecture', () => {
    expect(aptWords('install', ['g++', 'vim', 'g++=4:12.2']).slice(-3)).toEqual(['g++:native', 'vim', 'g++=4:12.2']);
  });

  it.each([
    ['pkg.install', ['vim', false, named({ version: '1-' })], "'1-' is not a version"],
    ['pkg.install', [named({ pkgs: [{ vim: '1+' }] })], "'1+' is not a version"],
    ['pkg.install', ['--reinstall'], "'--reinstall' is not the name of a package"],
    ['pkg.install', ['vim', named({ version: '1; x' })], "'1; x' is not a version"],
    ['pkg.remove', [''], 'there is no package named'],
  ])('refuses %s %j', async (fun, sent, text) => {
    expect((await call(fun, sent)).ret).toBe(`ERROR executing '${fun}': ${text}`);
  });
});
