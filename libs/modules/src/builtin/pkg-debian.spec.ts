/** What dpkg and apt say themselves: `npm run test:system`, as they are Debian's. Without them: pkg.spec.ts. */
import { execFileSync, spawnSync } from 'node:child_process';
import { isMap } from '@natrium/model';
import { gatherGrains } from '../grains/gather-grains.js';
import { call, named } from '../testing/call-context.js';
import { aptWords } from './package-managers.js';

const OLD_LISTS = named({ refresh: false });

/** Only what is installed: to read the lists of what could be had takes apt a second. */
const INSTALLED_ALONE = ['State::lists', 'Etc::sourcelist', 'Etc::sourceparts'].map(
  (name) => `-oDir::${name}=/dev/null`,
);

describe('pkg.* where there is a dpkg', () => {
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
    const left = lines.split('\n').filter((line) => line.startsWith('config-files '));
    const removed = (await call('pkg.list_pkgs', [named({ removed: true })])).ret;
    expect(Object.keys(removed ?? {}).sort()).toEqual(left.map((line) => line.split(' ')[1]).sort());
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
    expect((await call('pkg.version', ['dpkg', 'dpkg'])).ret).toBe(version);
    expect((await call('pkg.version', ['dpkg', named({ versions_as_list: true })])).ret).toEqual([version]);
    expect((await call('pkg.version', ['no-such-package', named({ versions_as_list: true })])).ret).toEqual([]);
  });

  it('has nothing to tell of no package, and nothing to remove of one that is not there', async () => {
    expect((await call('pkg.version')).ret).toEqual({});
    expect((await call('pkg.latest_version', [OLD_LISTS])).ret).toBe('');
    for (const fun of ['pkg.remove', 'pkg.purge'])
      expect(await call(fun, ['natrium-no-such-package,none-too'])).toMatchObject({ ret: {}, retcode: 0 });
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
});

it('the grain osarch is what dpkg calls the processor', () => {
  const osarch = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();
  expect(gatherGrains('web1', {})).toMatchObject({ osarch });
});
