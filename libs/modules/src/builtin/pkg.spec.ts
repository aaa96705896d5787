import { aCall, call, named } from '../testing/call-context.js';
import { installedPackages, LEFT, listedName, PRESENT, readStatus, REMOVED } from './dpkg-status.js';
import { isOfRpm } from './installed.js';
import { aptWords, versionWord } from './package-managers.js';
import { wanted } from './pkg-changes.js';
import { removalWords } from './pkg-removal.js';

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

Package: half
Status: install ok half-configured
Architecture: amd64
Version: 2

Package: begun
Status: install reinstreq half-installed
Architecture: amd64

Package: unpurged
Status: purge ok config-files
Architecture: amd64
Version: 3

Package: never
Status: purge ok not-installed
Architecture: amd64

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

  it('lists what was removed and left its configuration files, of which a purge is as well', () => {
    const of = (status: RegExp) => readStatus(STATUS, 'amd64', status);
    const packages = { there: of(PRESENT), left: of(LEFT) };
    expect([...of(REMOVED)]).toEqual([['gone', ['1']]]);
    const names = ['bash', 'half', 'begun', 'gone', 'unpurged', 'never', 'none', 'libc6'];
    const words = (purge: boolean) =>
      removalWords(
        names.map((name) => [name]),
        packages,
        purge,
      );
    expect(words(false)).toEqual(['bash', 'half', 'begun']);
    expect(words(true)).toEqual(['bash', 'half', 'begun', 'gone', 'unpurged']);
    expect(removalWords([['bash', '4'], ['libc6:i386']], packages, false)).toEqual(['bash', 'libc6:i386']);
  });

  it('takes away, where rpm has several versions, the one that is named, or none', () => {
    const packages = { there: new Map([['kernel', ['5-1', '6-1']]]), left: undefined };
    expect(removalWords([['kernel', '5-1'], ['kernel', '32:5-1'], ['kernel.x86_64', '6-1']], packages, true)).toEqual(['kernel-5-1', 'kernel-5-1', 'kernel-6-1.x86_64']); // prettier-ignore
    expect(removalWords([['kernel', '7-1'], ['none'], ['none', '1']], packages, false)).toEqual([]);
    expect(removalWords([['kernel'], ['kernel.noarch']], packages, false)).toEqual(['kernel', 'kernel.noarch']);
  });

  it('takes a name with the architecture of this host for the name alone', () => {
    const names = ['bash', 'bash:amd64', 'bash:native', 'bash:any', 'bash:i386', 'a:b:c'];
    expect(names.map((name) => listedName(name, 'amd64'))).toEqual(['bash', 'bash', 'bash', 'bash', 'bash:i386', 'a:b:c']); // prettier-ignore
  });

  it('reads which packages are meant, and of which a version', () => {
    expect(wanted('vim, curl', null)).toEqual([['vim'], ['curl']]);
    expect(wanted('left-out', ['vim', { curl: null }, { bash: '5.2', dash: 1 }])).toEqual([['vim'], ['curl', ''], ['bash', '5.2'], ['dash', '1']]); // prettier-ignore
  });

  it('goes by the packages of the host, whatever tools are there', async () => {
    const of = (family: string) => ({ grains: () => ({ os_family: family }) });
    for (const family of ['RedHat', 'Suse']) {
      expect(await isOfRpm(of(family))).toBe(true);
      expect(await versionWord('vim', '1', aCall(of(family)))).toBe('vim-1');
      // What dpkg has is none of them, though its files may be here; rpm is asked, where there is one.
      expect((await call('pkg.list_pkgs', [named({ removed: true })], of(family))).ret).toEqual({});
      const { ret } = await call('pkg.version', ['dpkg'], of(family));
      expect(['', 'ERROR: pkg: this host has neither dpkg nor rpm']).toContain(ret);
    }
    expect(await isOfRpm(of('Debian'))).toBe(false);
    expect(await versionWord('vim', '1', aCall(of('Debian')))).toBe('vim=1');
  });

  it('knows a host without dpkg', async () => {
    expect(await installedPackages('/nonexistent/status')).toBeUndefined();
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

  it('names a package whose name ends in a plus with its architecture', () => {
    expect(aptWords('install', ['g++', 'vim', 'g++=4:12.2']).slice(-3)).toEqual(['g++:native', 'vim', 'g++=4:12.2']);
  });

  it.each([
    ['pkg.install', ['vim', false, named({ version: '1-' })], "'1-' is not a version"],
    ['pkg.install', [named({ pkgs: [{ vim: '1+' }] })], "'1+' is not a version"],
    ['pkg.install', ['--reinstall'], "'--reinstall' is not the name of a package"],
    ['pkg.install', ['vim', named({ version: '1; x' })], "'1; x' is not a version"],
    ['pkg.remove', [''], 'there is no package named'],
    ['pkg.remove', ['none,-x'], "'-x' is not the name of a package"],
  ])('refuses %s %j', async (fun, sent, text) => {
    expect((await call(fun, sent)).ret).toBe(`ERROR executing '${fun}': ${text}`);
  });
});
