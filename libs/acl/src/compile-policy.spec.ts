/** Rules of spec/acl.md#loading: what is malformed is a problem with its place, and grants nothing. */
import { float, type Value } from '@natrium/model';
import { quickest } from '@natrium/testing';
import { compilePolicy } from './compile-policy.js';
import type { PolicyConfig } from './policy-config.js';

function problems(config: PolicyConfig): readonly string[] {
  return compilePolicy(config).problems.map(({ path, reason }) => `${path.join('.')}: ${reason}`);
}

describe('a sound configuration', () => {
  it('has no problems', () => {
    const config = {
      peer: {
        '.*example.com': [
          'test.*',
          'ps.*',
          { 'web* and G@os:Debian': ['pkg.*', { 'cmd.run': { args: ['ls.*', null], kwargs: { cwd: '/tmp' } } }] },
        ],
      },
      peer_run: { '.*': ['manage.*'] },
      publisher_acl: { fred: ['test.*'], 'admin|manager_.*': ['@runner', { '@jobs': ['list.*'] }], 'f[r]ed*': [] },
      publisher_acl_blacklist: { users: ['root', '^(?!sudo_).*$', '*bad_*'], modules: ['cmd', '*.run'] },
      external_auth: {
        pam: { fred: ['.*'], 'ops%': [], '^model': 'x', 'CORP\\ops%': [], 'c++ devs%': [], 'ops [prod%': [] },
      },
      nodegroups: { webs: 'web*', list: ['a', 'b'] },
    };
    expect(problems(config)).toEqual([]);
    expect(problems({ peer: null, nodegroups: null, publisher_acl: {} })).toEqual([]);
  });
});

describe('a switch', () => {
  const isOn = (value: Value): boolean => compilePolicy({ permissive_acl: value }).policy.settings.permissiveAcl;

  it.each<[Value]>([[[]], [{}], [float(0)], [0], [''], [false], [null]])('is off as Python reads it: %j', (value) => {
    expect(isOn(value)).toBe(false);
  });

  it.each<[Value]>([[[0]], [{ a: null }], [float(0.5)], [1], ['no'], [true]])('is on: %j', (value) => {
    expect(isOn(value)).toBe(true);
  });
});

describe('a problem', () => {
  it.each<[PolicyConfig, string]>([
    [{ peer: 'all' }, 'peer: this is not a mapping'],
    [{ peer: { a: '.*' } }, 'peer.a: this is not a list'],
    [{ peer: { '*web': ['.*'] } }, "peer.*web: the pattern '*web' cannot be used"],
    [{ peer: { a: ['['] } }, 'peer.a.0: the pattern'],
    [{ peer: { a: [1] } }, 'peer.a.0: this entry grants nothing'],
    [{ peer: { a: [{ x: ['y'], z: ['y'] }] } }, 'peer.a.0: this entry grants nothing'],
    [{ peer: { a: [{ 'web\\*': ['test.*'] }] } }, 'peer.a.0.web\\*: no valid name can match'],
    [{ peer: { a: [{ '( web*': ['test.*'] }] } }, "peer.a.0.( web*: the target '( web*' is wrong"],
    [{ peer: { a: [{ 'R@%x': ['test.*'] }] } }, 'no range server'],
    [{ peer: { a: [{ 'N@none': ['test.*'] }] } }, "there is no node group 'none'"],
    [{ peer: { a: [{ 'S@10.0.0.5/24': ['test.*'] }] } }, 'neither an address nor a network'],
    [{ peer: { a: [{ web: [{ f: { args: null } }] }] } }, 'peer.a.0.web.0.f.args: args is a list'],
    [{ peer: { a: [{ web: [{ f: { args: [1] } }] }] } }, 'peer.a.0.web.0.f.args.0: a pattern is text'],
    [{ peer: { a: [{ web: [{ f: { bogus: 1 } }] }] } }, 'bogus'],
    [{ peer: { a: [{ web: [{ f: null }] }] } }, 'a condition is a mapping'],
    [{ peer_run: { a: [{ '*': ['x'] }] } }, 'peer_run.a.0: this entry grants nothing'],
    [{ publisher_acl: { fred: 'test.*' } }, 'publisher_acl.fred: this is not a list'],
    [{ publisher_acl: { 'fred(': ['test.*'] } }, 'publisher_acl.fred(: the pattern'],
    [{ publisher_acl_blacklist: { users: ['(?<!x)'] } }, 'publisher_acl_blacklist.users.0: the pattern'],
    [{ publisher_acl_blacklist: { modules: [1] } }, 'everyone is denied'],
    [{ publisher_acl_blacklist: { user: ['root'] } }, 'publisher_acl_blacklist.user: there is no such list'],
    [{ external_auth: { pam: { 'ops [prod': [] } } }, 'external_auth.pam.ops [prod: the pattern'],
    [{ publisher_acl_blacklist: { modules: ['test\\.ver\\*'] } }, 'the star is escaped'],
    [{ publisher_acl_blacklist: { users: ['fred\\*'] } }, 'the star is escaped'],
    [{ external_auth: { pam: null } }, 'external_auth.pam: this is not a mapping'],
    [{ nodegroups: { n: 5 } }, 'nodegroups.n: a node group is text'],
  ])('%j is reported with its place', (config, expected) => {
    expect(problems(config).join('\n')).toContain(expected);
  });

  it('says how to mend it', () => {
    const [problem] = compilePolicy({ peer: { 'web\\*': ['.*'] } }).problems;
    expect(problem?.mend).toBe("did you mean 'web*'?");
  });

  it('is not the account of a domain whose name is no pattern: the list is that account’s', () => {
    const { policy, problems: found } = compilePolicy({
      publisher_acl: { 'CORP\\joe': ['test.*'] },
      external_auth: { ldap: { 'CORP\\joe': ['test.*'] } },
    });
    expect(found).toEqual([]);
    const names = ['CORP\\joe', 'CORPjoe', 'joe', 'CORP\\joey', 'CORP\\\\joe'];
    for (const [rule] of [policy.publisher, policy.external.get('ldap') ?? []])
      expect(names.filter((name) => rule?.users.test(name))).toEqual(['CORP\\joe']);
  });

  it('is that account where it would be denied: everyone is, until it is escaped', () => {
    const { policy, problems: found } = compilePolicy({ publisher_acl_blacklist: { users: ['CORP\\joe'] } });
    expect(found[0]?.mend).toBe("did you mean 'CORP\\\\joe'?");
    expect(policy.deniedUsers.everyone).toBe(true);
    expect(compilePolicy({ publisher_acl_blacklist: { users: ['CORP\\\\joe'] } }).problems).toEqual([]);
    for (const config of [{ publisher_acl_blacklist: { modules: ['a\\joe'] } }, { peer: { 'CORP\\joe': ['.*'] } }])
      expect(compilePolicy(config).problems[0]?.mend).toBe(
        'write a regular expression in the syntax of spec/acl.md#patterns',
      );
  });
});

describe('a mapping in the place of a list', () => {
  const PATTERNS = 'put each pattern into a list of its own line: - pattern';

  it.each<[Value, string]>([
    [{ 'web*': ['test.ping'] }, "write - 'web*': […]"],
    [{ 'web*': ['test.ping'], "it's": null }, "write - 'web*': […] and - 'it''s': […]"],
    [{ a: [], b: [], c: [], d: [] }, "write - 'a': […] and - 'b': […] and - 'c': […], and so on"],
    [{ '@jobs': ['active$'] }, "write - '@jobs': […]"],
    [{ 'test.ping': ['web*'] }, "write - 'web*': [test.ping]"],
    [{ 'test.ping': null }, "write - 'test.ping'"],
    [{ 'test.ping': { args: ['x'] } }, "write - TARGET: [{'test.ping': …}]"],
    [{}, PATTERNS],
    ['test.ping', PATTERNS],
  ])('becomes entries with the targets that it names: %j', (list, mend) => {
    const problems = [{ publisher_acl: { ops: list } }, { peer: { ops: list } }].map((config) =>
      compilePolicy(config).problems.map((problem) => problem.mend),
    );
    expect(problems).toEqual([[mend], [mend]]);
  });

  it('has patterns only in peer_run, where there are no targets', () => {
    const [problem] = compilePolicy({ peer_run: { ops: { 'manage.up': null } } }).problems;
    expect(problem?.mend).toBe(PATTERNS);
  });
});

describe('loading', () => {
  it('takes 1,000 rules at once', () => {
    const list = Array.from({ length: 1000 }, (_, index) => ({
      [`web${index}* and G@os:Deb*`]: [`(get|set)_${index}[a-z]+$`],
    }));
    const ms = quickest(() => {
      expect(compilePolicy({ peer: { '.*': list } }).problems).toEqual([]);
    });
    expect(ms).toBeLessThan(2000);
  });
});
