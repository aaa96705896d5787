import type { PolicyConfig } from '@natrium/acl';
import { fleetOf } from '../fleet.js';
import { type PolicyView, showPath, viewPolicy } from '../policy-view.js';
import type { Finding } from './finding.js';
import { lintPolicy } from './lint.js';

function lint(config: PolicyConfig): readonly Finding[] {
  return lintPolicy(viewPolicy(config), fleetOf(['web1']));
}

function never(config: PolicyConfig): readonly string[] {
  return lint(config)
    .filter(({ code }) => code === 'never-matches')
    .map(({ path, message, mend }) => `${showPath(path)}: ${message}; ${mend ?? ''}`);
}

describe('an entry for runners and wheel', () => {
  it.each([
    ['@Runner', "did you mean '@runner'?"],
    ['@runner ', "did you mean '@runner'?"],
    ['@ WHEELS', "did you mean '@wheels'?"],
    ['@jobs.active', "write {'@jobs': ['active$']}"],
    ['@runner.manage', "write {'@runner': ['manage\\.']}"],
    ['@*', "write '@runner', '@wheel' or '@' and the name of a module"],
    ['@', "write '@runner', '@wheel' or '@' and the name of a module"],
  ])('whose word is no side and no module opens nothing, and is not said to: %s', (word, mend) => {
    const opens = (found: readonly Finding[]) => found.filter(({ message }) => message.includes('opens runners'));
    for (const entry of [word, { [word]: ['a.b', 'c.d'] }]) {
      const config = { publisher_acl: { fred: [entry] } };
      expect(never(config)).toEqual([`publisher_acl.fred[0]: '${word}' opens nothing; ${mend}`]);
      expect(opens(lint(config))).toEqual([]);
      expect(lint(config).filter(({ severity }) => severity === 'warning')).toHaveLength(1);
    }
    expect(opens(lint({ publisher_acl: { fred: [word, '@runners', '@jobs'] } }))).toHaveLength(2);
    expect(never({ publisher_acl: { fred: ['@runners', '@jobs', { '@wheel': ['key\\.list_all$'] }] } })).toEqual([]);
  });
});

describe('an entry for a module', () => {
  const config: PolicyConfig = { external_auth: { pam: { joe: ['@whell', '@jobs', '@wheel', '@local'] } } };
  const modules = {
    names: new Set(['jobs', 'manage']),
    nearest: (word: string, among: Iterable<string>) => [...among].find((one) => one.startsWith(word.slice(0, 2))),
  };
  const neverOf = (view: PolicyView) =>
    lintPolicy(view, fleetOf(['web1'])).map(({ path, code, message, mend }) => [showPath(path), code, message, mend]);

  it('that nobody has opens nothing, where all modules are known', () => {
    expect(neverOf(viewPolicy(config, modules))).toEqual([
      [
        'external_auth.pam.joe[0]',
        'never-matches',
        "no runner or wheel module is called 'whell'",
        "did you mean '@wheel'?",
      ],
      [
        'external_auth.pam.joe[3]',
        'never-matches',
        "no runner or wheel module is called 'local'",
        "write '@' and the name of a module",
      ],
    ]);
  });

  it('may be of a runner of the user’s own, where not all are known', () => {
    expect(neverOf(viewPolicy(config))).toEqual([]);
  });

  it('that nobody has is not said to open runners', () => {
    const found = neverOf(viewPolicy({ publisher_acl: { fred: ['@whell', '@jobs'] } }, modules));
    expect(found.map(([path, code]) => `${path ?? ''} ${code ?? ''}`)).toEqual([
      'publisher_acl.fred[0] never-matches',
      'publisher_acl.fred[1] differs-from-salt',
    ]);
  });
});

describe('a key', () => {
  it('of a group names somebody in external_auth only', () => {
    const list = ['test\\.ping$'];
    expect(lint({ publisher_acl: { 'ops%': ['@runner'] } }).map(({ code }) => code)).toEqual(['never-matches']);
    expect(never({ publisher_acl: { 'ops%': list }, external_auth: { pam: { 'ops%': list } } })).toEqual([
      "publisher_acl.ops%: 'ops%' names no group here, and no account: groups count only in external_auth; write the names of its accounts, or put the group into external_auth",
    ]);
  });

  it('without a name names nobody', () => {
    const list = ['test\\.ping$'];
    expect(never({ publisher_acl: { '': list }, external_auth: { pam: { '': list, joe: list } } })).toEqual([
      'publisher_acl.: nobody has an empty name; write a name, or remove the key',
      'external_auth.pam.: nobody has an empty name; write a name, or remove the key',
    ]);
  });
});

it('a back end of external_auth that does not exist lets nobody in', () => {
  const users = { joe: ['test\\.ping$'] };
  expect(never({ external_auth: { nosuch: users, pam: users, file: users, ldap: users } })).toEqual([
    "external_auth.nosuch: there is no back end 'nosuch'; there are auto, file, ldap, pam, sharedsecret",
  ]);
});

it('a rule is refused by the blacklist when nothing that begins with its name is left', () => {
  const refused = (rule: string, denied: string) =>
    lint({ publisher_acl: { fred: [rule] }, publisher_acl_blacklist: { modules: [denied] } })
      .filter(({ code }) => code === 'unreachable')
      .map(({ message }) => message);
  const message = (rule: string) => `what '${rule}' names is refused before by publisher_acl_blacklist`;
  for (const rule of ['cmd', 'cmd.*', 'cmd\\.run', 'cmd\\.run$'])
    expect(refused(rule, 'cmd.*')).toEqual([message(rule)]);
  expect(refused('cmd\\.run$', 'cmd.run')).toEqual([message('cmd\\.run$')]);
  expect([refused('cmd', 'cmd'), refused('cmd\\.run', 'cmd.run')]).toEqual([[], []]);
});

describe('a list for the master’s own account', () => {
  const list = (key: string) => ({ publisher_acl: { [key]: ['test\\.ping$'] } });
  const mend = 'remove it; who shall have less needs an account of their own';
  const said = (key: string) =>
    `publisher_acl.${key}: '${key}' has full access by the master's own key, of which this list takes nothing; ${mend}`;

  it.each(['omp', 'root'])('restricts nothing: %s', (key) => {
    expect(never({ user: 'omp', ...list(key) })).toEqual([said(key)]);
  });

  it('is of another where it is not the master’s', () => {
    expect(never({ user: 'root', ...list('omp') })).toEqual([]);
  });

  it('is that of who comes as sudo_<name> where sudo_acl is on', () => {
    expect(never({ user: 'omp', sudo_acl: true, ...list('omp') })).toEqual([]);
  });
});

describe('a distinguished name among the keys of ldap', () => {
  const under = (backend: string, key: string) => never({ external_auth: { [backend]: { [key]: ['test\\.ping$'] } } });

  it.each([
    ['cn=salt-admins,ou=groups,dc=example,dc=com', "write 'salt-admins%'"],
    ['CN=salt-admins, OU=Groups,DC=example,DC=com%', "write 'salt-admins%'"],
    ['uid=joe,ou=people,dc=example,dc=com', "write 'joe'"],
    ['uid=*,ou=people,dc=example,dc=com', "write such a name, as 'admins%'"],
    ['cn=.*,ou=groups', "write such a name, as 'admins%'"],
    ['OU=Admins,DC=corp,DC=example', "write such a name, as 'admins%'"],
  ])('names nobody: %s; %s', (key, mend) => {
    const said = `'${key}' names nobody: a group is named by its cn and %, a login as it is typed; ${mend}`;
    expect(under('ldap', key)).toContain(`external_auth.ldap.${key}: ${said}`);
  });

  it.each(['salt-admins%', 'joe', 'uid=joe', 'CORP\\joe'])('%s is none', (key) => {
    expect(under('ldap', key)).toEqual([]);
  });

  it('names whom it may name among the keys of another back end', () => {
    expect(under('pam', 'cn=joe,ou=people')).toEqual([]);
  });
});
