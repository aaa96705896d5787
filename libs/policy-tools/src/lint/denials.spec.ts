import { fleetOf } from '../fleet.js';
import { showPath, viewPolicy } from '../policy-view.js';
import { lintPolicy } from './lint.js';

function told(list: 'users' | 'modules', entry: string): readonly string[] {
  const view = viewPolicy({ publisher_acl_blacklist: { [list]: ['zz\\.z', entry] } });
  return lintPolicy(view, fleetOf(['web1']))
    .filter(({ severity }) => severity === 'warning')
    .map(({ path, message, mend }) => `${showPath(path)}: ${message}; ${mend ?? ''}`);
}

describe('an entry of the blacklist that denies nobody', () => {
  it.each(['wheel%', '%wheel'])('names a group, as if it could: %s', (entry) => {
    expect(told('users', entry)).toEqual([
      `publisher_acl_blacklist.users[1]: '${entry}' denies nobody: groups mean nothing here, and no account has such a name; write the names of its accounts`,
    ]);
  });

  it.each([
    ['@runner', "write the functions of runners and wheel by their own names, such as 'jobs.*'"],
    ['@wheel', "write the functions of runners and wheel by their own names, such as 'jobs.*'"],
    ['@jobs', "write 'jobs.*'"],
    ['@jobs.list_jobs', "write 'jobs.list_jobs'"],
    ['cmd.run shell', "write 'cmd.run'; arguments are not looked at here"],
    ['cmd.run cat /etc/x.d', "write 'cmd.run'; arguments are not looked at here"],
    ['cmd.run ', "write 'cmd.run'"],
    ['cmd.*,test.*', "write an entry for each: 'cmd.*', 'test.*'"],
    ['cmd.run, cp.push', "write an entry for each: 'cmd.run', 'cp.push'"],
    ['cmd.run,.*', "write an entry for each function, as 'cmd.run'"],
    ['cmd.run; cp.push', "write an entry for each function, as 'cmd.run'"],
  ])('has in it what is in no function’s name: %s', (entry, mend) => {
    expect(told('modules', entry)).toEqual([
      `publisher_acl_blacklist.modules[1]: '${entry}' denies nothing: no function's name has an @, a comma or a blank; ${mend}`,
    ]);
  });

  it('is empty', () => {
    expect(told('users', '')).toEqual([
      'publisher_acl_blacklist.users[1]: an empty entry denies nobody; write a name, or remove it',
    ]);
    expect(told('modules', '')).toEqual([
      'publisher_acl_blacklist.modules[1]: an empty entry denies nothing; write a function, or remove it',
    ]);
  });
});

describe('an entry of the blacklist that can deny somebody', () => {
  it.each([
    'fred',
    'fred ann',
    'CN=fred,OU=x',
    'wheel%?',
    'wheel%|fred',
    '(wheel%)?fred',
    'a[%]',
    '^(?!sudo_).*$',
    '*',
  ])('is not said to deny nobody: %s among the users', (entry) => {
    expect(told('users', entry)).toEqual([]);
  });

  it.each([
    'jobs.*',
    'key\\.',
    '[ a]b\\.c',
    'a ?b\\.c',
    'a {0}b',
    '@*cmd\\.run',
    'x@|cmd\\.run',
    '(@run)?cmd.x',
    '*',
    'cmd.{1,99}',
    '^.{5,}$',
  ])('is not said to deny nobody: %s among the modules', (entry) => {
    expect(told('modules', entry)).toEqual([]);
  });
});
