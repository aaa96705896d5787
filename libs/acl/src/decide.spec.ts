/** Rules of spec/acl.md: each allow has its deny. */
import type { Inventory, MinionData } from '@natrium/matchers';
import type { Target, Value } from '@natrium/model';
import { quickest } from '@natrium/testing';
import type { AccountIdentity } from './account.js';
import type { Ask, Decision } from './ask.js';
import { compilePolicy } from './compile-policy.js';
import { decide } from './decide.js';
import type { PolicyConfig } from './policy-config.js';
import { TargetMemo } from './target-memo.js';

const DATA = new Map<string, MinionData>([
  ['web1', { grains: { os: 'Debian' }, pillar: { role: 'web' } }],
  ['web2', { grains: { os: 'RedHat' }, pillar: { role: 'webby' } }],
  ['db1', { grains: { os: 'Debian' }, pillar: {} }],
]);
const FLEET: Inventory = {
  accepted: new Set(['web1', 'web2', 'db1', 'new1']),
  dataOf: (id) => DATA.get(id),
  revision: 1,
};

type Asked = Partial<Omit<Ask, 'target'>> & { readonly tgt?: string; readonly tgtType?: string };

function answer(config: PolicyConfig, { tgt = '*', tgtType = 'glob', ...ask }: Asked): Decision {
  const { policy } = compilePolicy(config);
  const asked: Ask = {
    principal: { kind: 'minion', name: 'web1' },
    what: 'job',
    funs: ['test.ping'],
    args: [],
    ...ask,
  };
  return decide(policy, asked.what === 'job' ? { ...asked, target: { tgt, tgtType } } : asked, FLEET);
}

function code(config: PolicyConfig, ask: Asked): string {
  const decision = answer(config, ask);
  return decision.allow ? `allowed on ${decision.minions.join(',')}` : decision.refusal.code;
}

const root: AccountIdentity = { name: 'root', listsOf: undefined, byMasterKey: true };
const account = (name: string): Pick<Ask, 'principal' | 'account'> => {
  return { principal: { kind: 'account', name }, account: { name, listsOf: name, byMasterKey: false } };
};
const external = (name: string, groups: readonly string[] = []): Pick<Ask, 'principal' | 'login'> => {
  return { principal: { kind: 'external', name }, login: { backend: 'pam', groups } };
};

describe('peer', () => {
  const peer = { 'web.*': ['test.*', { 'web*': ['pkg.*'] }, { 'G@os:Debian': [{ 'cmd.run': { args: ['ls'] } }] }] };

  it('permits what a list of the caller names, for every target', () => {
    expect(code({ peer }, {})).toBe('allowed on web1,web2,db1,new1');
    expect(code({ peer }, { funs: ['grains.items'] })).toBe('not_permitted');
  });

  it('permits a function on minions that one entry covers, and narrows nothing', () => {
    expect(code({ peer }, { funs: ['pkg.install'], tgt: 'web*' })).toBe('allowed on web1,web2');
    expect(code({ peer }, { funs: ['pkg.install'] })).toBe('not_permitted');
  });

  it('does not add entries up', () => {
    const split = { 'web.*': [{ web1: ['pkg.*'] }, { web2: ['pkg.*'] }] };
    expect(code({ peer: split }, { funs: ['pkg.install'], tgt: 'web1' })).toBe('allowed on web1');
    expect(code({ peer: split }, { funs: ['pkg.install'], tgt: 'web*' })).toBe('not_permitted');
  });

  it('refuses everyone without a policy, and everyone it does not name', () => {
    expect(code({}, {})).toBe('not_permitted');
    expect(code({ peer }, { principal: { kind: 'minion', name: 'xweb1' } })).toBe('not_permitted');
    expect(code({ peer }, { principal: { kind: 'minion', name: 'web1.evil.net' } })).not.toBe('not_permitted');
  });

  it('checks conditions on the arguments that are sent', () => {
    const ask = { funs: ['cmd.run'], tgt: 'db1' };
    expect(code({ peer }, { ...ask, args: [['ls -l']] })).toBe('allowed on db1');
    expect(code({ peer }, { ...ask, args: [['rm']] })).toBe('not_permitted');
    expect(code({ peer }, { ...ask, args: [[{ __kwarg__: true, ls: 'x' }]] })).toBe('not_permitted');
  });

  it('checks conditions on the named arguments of a runner, of which their mark is none', () => {
    const may = (kwargs: Value, what: 'run' | 'job') => {
      const list = [{ 'test.arg': { kwargs } }];
      const publisher_acl = { fred: [what === 'run' ? { '@runner': list } : { '*': list }] };
      const args = [[{ __kwarg__: true, k: 'v' }]];
      return code({ publisher_acl }, { ...account('fred'), what, funs: ['test.arg'], args }).startsWith('allowed');
    };
    expect([may({ k: 'v' }, 'run'), may({ k: 'w' }, 'run')]).toEqual([true, false]);
    expect([may({ __kwarg__: 'True' }, 'run'), may({ __kwarg__: 'True' }, 'job')]).toEqual([false, true]);
  });

  it('does not count unknown data as inside of a permitted target', () => {
    expect(code({ peer }, { funs: ['cmd.run'], args: [['ls']], tgt: 'new1' })).toBe('not_permitted');
    expect(code({ peer: { '.*': [{ 'not G@os:RedHat': ['test.*'] }] } }, { tgt: 'new1' })).toBe('not_permitted');
  });

  it.each([[['publish.publish']], [['publisher.x']], [['test.ping', 'publish.runner']]])(
    'refuses recursion before anything else: %j',
    (funs) => {
      expect(code({ peer: { '.*': ['.*'] } }, { funs })).toBe('recursive_publish');
      expect(code({}, { funs })).toBe('recursive_publish');
    },
  );

  it('permits several functions only when each of them is', () => {
    expect(code({ peer }, { funs: ['test.ping', 'test.version'] })).toBe('allowed on web1,web2,db1,new1');
    expect(code({ peer }, { funs: ['test.ping', 'pkg.install'] })).toBe('not_permitted');
  });

  it.each([[[]], [['']], [['test.ping', '']]])('refuses functions without a name: %j', (funs) => {
    expect(code({ peer: { '.*': ['.*'] } }, { funs })).toBe('empty_function');
    expect(code({ peer_run: { '.*': ['.*'] } }, { funs, what: 'run' })).toBe('empty_function');
  });

  it.each([
    ['role:w*', 'pillar'],
    ['role:web', 'pillar_pcre'],
    ['not I@role:w*', 'compound'],
    ['J@role:web', 'compound'],
    ['nosuch', 'nodegroup'],
  ])('refuses %s (%s) as a target of a peer', (tgt, tgtType) => {
    expect(code({ peer: { '.*': ['.*'] } }, { tgt, tgtType })).toBe('invalid_target');
  });

  it('takes a node group of the master with a pattern on pillar in it, but not the pattern itself', () => {
    const own = { peer: { '.*': [{ 'web*': ['test.*'] }] }, nodegroups: { fronts: 'web* and I@role:w*', all: '*' } };
    expect(code(own, { tgt: 'fronts', tgtType: 'nodegroup' })).toBe('allowed on web1,web2');
    expect(code(own, { tgt: 'all', tgtType: 'nodegroup' })).toBe('not_permitted');
    expect(code(own, { tgt: 'web* and I@role:w*', tgtType: 'compound' })).toBe('invalid_target');
  });

  it('permits exact values of pillar', () => {
    expect(code({ peer: { '.*': ['.*'] } }, { tgt: 'role:web', tgtType: 'pillar' })).toBe('allowed on web1,new1');
  });

  it('has no exempt function, and no rule of another kind', () => {
    expect(code({ peer }, { funs: ['saltutil.find_job'] })).toBe('not_permitted');
    expect(code({ publisher_acl: { '.*': ['.*'] }, peer_run: { '.*': ['.*'] } }, {})).toBe('not_permitted');
  });

  it('is subject to the blacklist of modules', () => {
    const publisher_acl_blacklist = { modules: ['test.*'], users: ['web1'] };
    expect(code({ peer, publisher_acl_blacklist }, {})).toBe('blacklisted');
    expect(code({ peer, publisher_acl_blacklist: { users: ['web1'] } }, {})).toMatch(/^allowed/);
  });

  it('says when nobody is meant, and why', () => {
    expect(answer({ peer }, { tgt: 'gone' })).toMatchObject({
      allow: true,
      minions: [],
      nobody: 'no minion matches the target',
    });
    expect(answer({ peer }, { tgtType: 'Glob' })).toMatchObject({
      allow: true,
      minions: [],
      nobody: "there is no target type 'Glob'",
    });
    expect(code({ peer }, { funs: ['cmd.shell'], tgtType: 'Glob' })).toBe('not_permitted');
  });

  it('takes a data term without a delimiter for one that only unknown minions may meet, and says so where nobody is left', () => {
    const own = { peer: { 'web.*': [{ 'E@web1|new1': ['test.*'] }] } };
    const on = (tgt: string) => answer(own, { tgt, tgtType: 'compound' });
    const sound = on('web1 or G@os');
    expect(sound).toMatchObject({ allow: true, minions: ['web1', 'new1'] });
    expect(sound).not.toHaveProperty('defect');
    expect(on('db* or G@os')).toMatchObject({ allow: false });
    expect(on('web1 and G@os')).toMatchObject({
      allow: true,
      minions: [],
      defect: "'os' has no ':' between key and value",
    });
  });

  it('sends nothing where a pattern cannot be used, and permits only what the other terms permit', () => {
    const own = { peer: { 'web.*': [{ 'E@web1|new1': ['test.*'] }] } };
    const on = (tgt: string) => answer(own, { tgt, tgtType: 'compound' });
    expect(on('web1 or P@os:[')).toMatchObject({ allow: true, minions: [] });
    expect(on('db* or P@os:[')).toMatchObject({ allow: false });
  });

  it('names the rule that allowed', () => {
    expect(answer({ peer }, { funs: ['pkg.install'], tgt: 'web*' })).toMatchObject({
      rule: { path: ['peer', 'web.*', 1, 'web*', 0] },
    });
  });

  it('says who, what, whom, and no rule', () => {
    const decision = answer({ peer }, { funs: ['cmd.shell'], tgt: 'web*' });
    expect(decision.allow ? '' : decision.refusal.sentence).toBe(
      "minion web1 may not run 'cmd.shell' on 'web*': no rule permits it",
    );
  });
});

describe('peer_run', () => {
  const peer_run = { 'web.*': ['manage.*', '@jobs', 'jobs.list'] };
  const run = (fun: string): Asked => ({ what: 'run', funs: [fun] });

  it('permits runner functions by pattern, publish among them', () => {
    expect(code({ peer_run }, run('manage.up'))).toMatch(/^allowed/);
    expect(code({ peer_run }, run('jobs.active'))).toBe('not_permitted');
    expect(code({ peer_run: { '.*': ['.*'] } }, run('publish.publish'))).toMatch(/^allowed/);
    expect(code({ peer: { '.*': ['.*'] } }, run('manage.up'))).toBe('not_permitted');
  });

  it('never opens wheel functions', () => {
    expect(code({ peer_run: { '.*': ['.*'] } }, { what: 'wheel', funs: ['key.accept'] })).toBe('not_permitted');
  });
});

describe('local accounts', () => {
  const publisher_acl = { fred: [{ 'web*': ['test.*'] }], 'admin|manager_.*': ['saltutil.*', '@jobs'], empty: [] };

  it('have the lists of every key that matches, whole', () => {
    expect(code({ publisher_acl }, { ...account('fred'), tgt: 'web*' })).toBe('allowed on web1,web2');
    expect(code({ publisher_acl }, { ...account('fred') })).toBe('not_permitted');
    expect(code({ publisher_acl }, { ...account('manager_x'), funs: ['saltutil.running'] })).toMatch(/^allowed/);
    expect(code({ publisher_acl }, { ...account('administrator'), funs: ['saltutil.running'] })).toBe('bad_credential');
  });

  it('may always ask for the state of a job, once they have a list', () => {
    expect(code({ publisher_acl }, { ...account('fred'), funs: ['saltutil.find_job'] })).toMatch(/^allowed/);
    expect(code({ publisher_acl }, { ...account('empty'), funs: ['saltutil.find_job'] })).toBe('bad_credential');
  });

  it('need their own entries for runners and wheel', () => {
    expect(code({ publisher_acl }, { ...account('admin'), what: 'run', funs: ['jobs.active'] })).toMatch(/^allowed/);
    expect(code({ publisher_acl }, { ...account('fred'), what: 'run', funs: ['jobs.active'] })).toBe('not_permitted');
    expect(code({ publisher_acl }, { ...account('admin'), what: 'wheel', funs: ['key.list'] })).toBe('not_permitted');
  });

  it('of the master may do everything that is not blacklisted', () => {
    const ask = { principal: { kind: 'account', name: 'root' } as const, account: root };
    expect(code({}, { ...ask, funs: ['cmd.run'] })).toMatch(/^allowed/);
    expect(code({ publisher_acl_blacklist: { modules: ['cmd.*'] } }, { ...ask, funs: ['cmd.run'] })).toBe(
      'blacklisted',
    );
    expect(code({ publisher_acl_blacklist: { users: ['root'] } }, { ...ask, what: 'run', funs: ['manage.up'] })).toBe(
      'blacklisted',
    );
  });

  it('are limited to a forwarded list only by the master that forwards it', () => {
    const forwarded: readonly Value[] = ['test.*'];
    const ask = { principal: { kind: 'account', name: 'root' } as const, account: root };
    expect(code({}, { ...ask, funs: ['cmd.run'], forwarded })).toBe('not_permitted');
    expect(code({}, { ...ask, funs: ['cmd.run'], forwarded: [] })).toMatch(/^allowed/);
    expect(code({ publisher_acl }, { ...account('fred'), funs: ['cmd.run'], forwarded: ['.*'] })).toBe('not_permitted');
  });

  it('behind sudo are limited to what was forwarded as well, and what was forwarded counts for jobs alone', () => {
    const sudo = {
      principal: { kind: 'account', name: 'fred' } as const,
      account: { name: 'fred', listsOf: 'fred', byMasterKey: true },
    };
    const config = { publisher_acl: { fred: ['cmd.*'] }, sudo_acl: true };
    const forwarded: readonly Value[] = ['test.*'];
    expect(code(config, { ...sudo, funs: ['cmd.run'], forwarded })).toBe('not_permitted');
    expect(code(config, { ...sudo, funs: ['test.ping'], forwarded })).toMatch(/^allowed/);
    expect(code(config, { ...sudo, funs: ['test.ping'], forwarded: [] })).toMatch(/^allowed/);
    expect(code({}, { ...sudo, funs: ['test.ping'], forwarded })).toBe('bad_credential');
    const ask = { principal: { kind: 'account', name: 'root' } as const, account: root };
    expect(code({}, { ...ask, what: 'run', funs: ['manage.up'], forwarded })).toMatch(/^allowed/);
  });

  it.each(['', ' ', 'manage', 'a.b.c'])('have no runner %j: that is no name of one', (fun) => {
    expect(code({ publisher_acl: { fred: ['@runner'] } }, { ...account('fred'), what: 'run', funs: [fun] })).toBe(
      'bad_request',
    );
  });

  it('have no runner without a name, whatever they may do', () => {
    const ask = { principal: { kind: 'account', name: 'root' } as const, account: root };
    expect(code({}, { ...ask, what: 'run', funs: [''] })).toBe('bad_request');
    expect(code({ publisher_acl: { fred: [] } }, { ...account('fred'), what: 'run', funs: [''] })).toBe(
      'bad_credential',
    );
  });

  it('that were not proved are refused', () => {
    expect(code({ publisher_acl }, { principal: { kind: 'account', name: 'fred' } })).toBe('bad_credential');
  });
});

describe('external users', () => {
  const external_auth = {
    pam: { 'fr*': [{ 'web*': ['test.*'] }], 'ops%': ['@runner'], '*': ['sys.doc'], '^setting': 'x' },
  };

  it('match a key as pattern, never the other way round', () => {
    expect(code({ external_auth }, { ...external('fred'), tgt: 'web*' })).toBe('allowed on web1,web2');
    expect(code({ external_auth: { pam: { fred: ['.*'] } } }, { ...external('*') })).toBe('not_permitted');
  });

  it('have the lists of their groups, and the star only when no key names them', () => {
    expect(code({ external_auth }, { ...external('dave', ['ops']), what: 'run', funs: ['jobs.active'] })).toMatch(
      /^allowed/,
    );
    expect(code({ external_auth }, { ...external('dave'), what: 'run', funs: ['jobs.active'] })).toBe('not_permitted');
    expect(code({ external_auth }, { ...external('dave'), funs: ['sys.doc'] })).toMatch(/^allowed/);
    expect(code({ external_auth }, { ...external('fred'), funs: ['sys.doc'] })).toBe('not_permitted');
    expect(code({ external_auth, permissive_acl: true }, { ...external('fred'), funs: ['sys.doc'] })).toMatch(
      /^allowed/,
    );
  });

  it('are refused without their backend, and name runners as module.function', () => {
    expect(code({ external_auth: { ldap: {} } }, external('fred'))).toBe('bad_credential');
    expect(code({ external_auth }, { ...external('dave', ['ops']), what: 'run', funs: ['a.b.c'] })).toBe('bad_request');
  });

  it('are subject to the blacklist under their own name', () => {
    expect(
      code({ external_auth, publisher_acl_blacklist: { users: ['fred'] } }, { ...external('fred'), tgt: 'web1' }),
    ).toBe('blacklisted');
  });
});

describe('runners and reactors', () => {
  const grants = { 'state.orchestrate': ['state.*'], 'rule-[a-z]+$': [{ 'web*': ['test.*'] }, '@jobs'] };

  it('have their own sections, empty unless written', () => {
    const runner = { principal: { kind: 'runner', name: 'state.orchestrate' } as const, funs: ['state.apply'] };
    expect(code({ runner_grants: grants }, runner)).toMatch(/^allowed/);
    expect(code({ reactor_grants: grants, peer: { '.*': ['.*'] } }, runner)).toBe('not_permitted');
    const reactor = { principal: { kind: 'reactor', name: 'rule-a' } as const };
    expect(code({ reactor_grants: grants }, { ...reactor, tgt: 'web*' })).toBe('allowed on web1,web2');
    expect(code({ reactor_grants: grants }, { ...reactor, what: 'run', funs: ['jobs.active'] })).toMatch(/^allowed/);
    expect(code({}, { ...reactor, tgt: 'web*' })).toBe('not_permitted');
  });
});

describe('hostile requests', () => {
  it.each([
    [{ funs: ['f'.repeat(1_048_576)] }, 'bad_request'],
    [{ funs: ['test.ping\nx'] }, 'bad_request'],
    [{ funs: Array.from({ length: 1000 }, () => 'test.ping') }, 'bad_request'],
    [{ principal: { kind: 'minion', name: 'x'.repeat(1_048_576) } as const }, 'not_permitted'],
    [{ funs: ['cmd.run'], args: [['x'.repeat(1_048_576)]], tgt: 'db1' }, 'not_permitted'],
  ])('are refused quickly and shortly: %#', (ask, expected) => {
    const peer = { 'web.*': ['test.*', { '*': [{ 'cmd.run': { args: ['(a|b)+$'] } }] }] };
    const ms = quickest(() => answer({ peer }, ask));
    expect(ms).toBeLessThan(500);
    const decision = answer({ peer }, ask);
    expect(decision.allow ? '' : decision.refusal.code).toBe(expected);
    expect(decision.allow ? '' : decision.refusal.sentence.length).toBeLessThan(600);
  });

  it('with a target of a megabyte mean nobody', () => {
    expect(answer({ peer: { '.*': ['.*'] } }, { tgt: 'x'.repeat(1_048_576), tgtType: 'compound' })).toMatchObject({
      allow: true,
      minions: [],
    });
  });
});

describe('what runners and reactions publish', () => {
  const grants = { runner_grants: { '.*': ['.*'] }, reactor_grants: { '.*': ['.*'] } };
  const runner = { principal: { kind: 'runner', name: 'survey.hash' } } as const;
  const reactor = { principal: { kind: 'reactor', name: 'r1' } } as const;
  const minion = { kind: 'minion', name: 'web1' } as const;

  it('passes the blacklist of modules as what everybody publishes', () => {
    const publisher_acl_blacklist = { modules: ['cmd.*'] };
    for (const who of [runner, reactor]) {
      expect(code(grants, { ...who, funs: ['cmd.run'] })).toMatch(/^allowed/);
      expect(code({ ...grants, publisher_acl_blacklist }, { ...who, funs: ['cmd.run'] })).toBe('blacklisted');
      expect(code({ ...grants, publisher_acl_blacklist }, who)).toMatch(/^allowed/);
    }
  });

  it.each([
    ['role:w*', 'pillar'],
    ['not J@role:web', 'compound'],
  ])('matches no pillar by pattern when a minion has set it off: %s (%s)', (tgt, tgtType) => {
    expect(code(grants, { ...runner, tgt, tgtType })).toMatch(/^allowed/);
    expect(code(grants, { ...runner, tgt, tgtType, onBehalfOf: [minion] })).toBe('invalid_target');
    expect(code(grants, { ...runner, tgt: 'role:web', tgtType: 'pillar', onBehalfOf: [minion] })).toMatch(/^allowed/);
  });
});

describe('a permitted target that is malformed in part', () => {
  /** On one minion, by the configuration's list and by a token's. */
  const permits = (target: string, tgt: string): readonly string[] => {
    const kept = { backend: 'pam', groups: [], ownList: [{ [target]: ['test.ping'] }] };
    const asks = { principal: { kind: 'token', name: 'joe' }, login: kept, tgt } as const;
    return [
      code({ peer: { '.*': [{ [target]: ['test.ping'] }] } }, { tgt }),
      code({ external_auth: { pam: {} } }, asks),
    ];
  };

  it.each([
    'db1 or S@10.0.0.5/24',
    'db1 or G@os',
    'db1 or J@role:(',
    'db1 and not web* or not P@os:(',
    'db1 N@gone',
    'not ( web* ) and not new1 N@gone',
    '( db1 N@gone )',
  ])('grants what the rest says, and no more: %s', (target) => {
    expect(permits(target, 'db1')).toEqual(['allowed on db1', 'allowed on db1']);
    expect(permits(target, 'web1')).toEqual(['not_permitted', 'not_permitted']);
  });

  it.each([
    'S@10.0.0.0/33',
    'not S@10.0.0.0/33',
    'web1 and not S@10.0.0.0/33',
    'not ( db1 or S@10.0.0.0/33 )',
    'not P@os:(',
    'not G@os',
    'not N@gone',
    'web* or not N@gone',
    'not N@gone db1',
    'not ( N@gone db1 )',
    'not ( db1 or ( new1 N@gone ) )',
    'web1 or E@(',
    'web1 or R@%x',
  ])('grants nothing by its negation, nor where it cannot be read: %s', (target) => {
    expect(permits(target, 'web1')).toEqual(['not_permitted', 'not_permitted']);
  });
});

describe('the memo', () => {
  it('keeps type, delimiter and target apart: who is refused changes nothing for the others', () => {
    const memo = new TargetMemo(10);
    const { policy } = compilePolicy({});
    const base = { what: 'job', funs: ['test.ping'], args: [] } as const;
    const target = { tgt: 'web*', tgtType: 'compound', delimiter: ': not' };
    const refused: Ask = { ...base, principal: { kind: 'minion', name: 'db1' }, target };
    expect(decide(policy, refused, FLEET, memo).allow).toBe(false);
    const asked: Ask = {
      ...base,
      principal: { kind: 'account', name: 'root' },
      account: root,
      target: { tgt: 'not web*', tgtType: 'compound' },
    };
    expect(decide(policy, asked, FLEET, memo)).toMatchObject({ allow: true, minions: ['db1', 'new1'] });
  });

  it('holds targets, never verdicts, and forgets with the inventory and the policy', () => {
    const memo = new TargetMemo(2);
    const { policy } = compilePolicy({ peer: { '.*': [{ 'web*': ['test.*'] }] } });
    const ask = (fun: string): Ask => {
      return {
        principal: { kind: 'minion', name: 'web1' },
        what: 'job',
        funs: [fun],
        args: [],
        target: { tgt: 'w*', tgtType: 'glob' },
      };
    };
    expect(decide(policy, ask('test.ping'), FLEET, memo).allow).toBe(true);
    expect(decide(policy, ask('cmd.run'), FLEET, memo).allow).toBe(false);
    const grown: Inventory = { ...FLEET, accepted: new Set(['web1', 'wild']), revision: 2 };
    expect(decide(policy, ask('test.ping'), grown, memo).allow).toBe(false);
    const other = compilePolicy({ peer: { '.*': ['.*'] } }).policy;
    expect(decide(other, ask('test.ping'), grown, memo).allow).toBe(true);
  });

  it('holds no more ids and characters than it may, and finds out anew whom a target means that it forgot', () => {
    const memo = new TargetMemo(10, 100);
    const tests = (tgt: string) => triedOf(ALL, { tgt, tgtType: 'compound' }, FLEET, memo);
    expect([tests('w* or d*'), tests('w* or d*')]).toEqual([8, 0]);
    expect(tests(`w* or ${'x'.repeat(100)}*`)).toBe(8);
    expect(tests('w* or d*')).toBe(8);
  });

  it('holds no more patterns than it may: what one takes counts as the ids do', () => {
    const tests = (held: number) => {
      const memo = new TargetMemo(10, held);
      const ask = () => triedOf(ALL, { tgt: '\\w'.repeat(400), tgtType: 'pcre' }, FLEET, memo);
      return [ask(), ask()];
    };
    expect(tests(100_000)[1]).toBe(0);
    expect(tests(40_000)[1]).toBe(tests(40_000)[0]);
  });
});

const ALL: PolicyConfig = { publisher_acl: { fred: ['test.*'] } };

/** What finding out whom fred's request means took. */
function triedOf(config: PolicyConfig, target: Target, inventory: Inventory, memo?: TargetMemo): number | undefined {
  const { policy } = known.get(config) ?? compilePolicy(config);
  known.set(config, { policy });
  return decide(policy, { what: 'job', funs: ['test.ping'], args: [], ...account('fred'), target }, inventory, memo)
    .tests;
}

const known = new Map<PolicyConfig, Pick<ReturnType<typeof compilePolicy>, 'policy'>>();

it('an argument is put into Python’s text once, however many conditions look at it', () => {
  const looksFor = (rules: number) => {
    let looks = 0;
    const list = new Proxy(['a', 'b'], { get: (of, key) => ((looks += 1), Reflect.get(of, key) as unknown) });
    const never = Array.from({ length: rules }, (_, n) => ({ 'test.*': { args: [`x${String(n)}`] } }));
    expect(code({ peer: { web1: [{ '*': never }] } }, { args: [[list]] })).toBe('not_permitted');
    expect(
      code({ peer: { web1: [{ '*': [...never, { 'test.*': { args: ["\\['a', 'b'\\]"] } }] }] } }, { args: [[list]] }),
    ).not.toBe('not_permitted');
    return looks;
  };
  expect(looksFor(100)).toBe(looksFor(1));
});

describe('whom a target means', () => {
  const target = { tgt: 'G@os:Debian or w* or db1', tgtType: 'compound' };
  const asked = () => {
    const ids: string[] = [];
    const dataOf = (id: string) => {
      ids.push(id);
      return DATA.get(id);
    };
    return { ids, fleet: { ...FLEET, dataOf } };
  };

  it('is found out for a function that a rule covers, and tells what that took: a term about data counts as four', () => {
    const { ids, fleet } = asked();
    expect(triedOf(ALL, target, fleet)).toBe(6 * 4);
    expect(ids).toEqual(['web1', 'web2', 'db1', 'new1']);
    expect(triedOf({ publisher_acl: { fred: [{ 'w* or db1 or new1': ['test.*'] }] } }, target, FLEET)).toBe(
      6 * 4 + 4 * 3,
    );
  });

  it.each([
    ['pcre', '\\w'.repeat(400)],
    ['compound', `db1 or E@${'\\w'.repeat(400)}`],
    ['grain_pcre', `os:${'\\w'.repeat(400)}`],
  ])(
    'costs, as %s, what making its patterns takes: those of 400 sets of letters as much as forty requests',
    (tgtType, tgt) => {
      const tests = triedOf(ALL, { tgt, tgtType }, FLEET) ?? 0;
      expect([tests > 40 * 20_000, tests < 60 * 20_000]).toEqual([true, true]);
      expect(triedOf(ALL, { tgt: 'E@web\\d+ or E@(db|new)1', tgtType: 'compound' }, FLEET)).toBeLessThan(20_000);
    },
  );

  it('is not found out where no rule covers the function, nor tried where names are only looked up', () => {
    const { ids, fleet } = asked();
    expect(triedOf({ publisher_acl: { fred: ['pkg.*'] } }, target, fleet)).toBe(0);
    expect(ids).toEqual([]);
    expect(triedOf(ALL, { tgt: 'web1,web2', tgtType: 'list' }, FLEET)).toBe(0);
    expect(triedOf(ALL, { tgt: 'web1', tgtType: 'glob' }, FLEET)).toBe(0);
  });

  it('is not counted for an account that may do everything', () => {
    const { policy } = compilePolicy(ALL);
    const ask = {
      principal: { kind: 'account', name: 'root' },
      account: root,
      what: 'job',
      funs: ['test.ping'],
    } as const;
    expect(decide(policy, { ...ask, args: [], target }, FLEET)).toMatchObject({ allow: true });
    expect(decide(policy, { ...ask, args: [], target }, FLEET).tests).toBeUndefined();
  });
});
