import { call, named } from '../testing/call-context.js';
import { installedPackages, readStatus } from './dpkg-status.js';
import { aptWords } from './package-managers.js';

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
  ])('refuses %s %j', async (fun, sent, text) => {
    expect((await call(fun, sent)).ret).toBe(`ERROR executing '${fun}': ${text}`);
  });
});
