import type { PolicyConfig } from '@natrium/acl';
import type { Value } from '@natrium/model';
import { diffRecorded, readRecorded } from './audit-diff.js';
import { type Asked, judge, readCaller, showCaller } from './caller.js';
import { diffPolicies } from './diff.js';
import { fleetOf, fleetOfRules } from './fleet.js';
import { nearestMisses } from './nearest.js';
import { readPolicyTests, runPolicyTest } from './policy-tests.js';
import { showPath, viewPolicy } from './policy-view.js';
import { whoCan } from './who-can.js';

const FLEET = fleetOf(['web1', 'web2', 'web3', 'db1'], new Map([['web1', { grains: { os: 'Debian' }, pillar: {} }]]));

const CONFIG: PolicyConfig = {
  publisher_acl: {
    fred: [{ 'web1 or web2': ['test\\.'] }, { 'web*': [{ 'a\\.go$': { args: ['x.*', 'b.*'], kwargs: { n: 'v$' } } }] }],
    'user_.*': ['@manage', 'pkg\\.'],
  },
  external_auth: { pam: { joe: ['test\\.'], 'ops%': ['pkg\\.'], '*': ['sys\\.doc$'] } },
  peer: { 'web\\d$': ['test\\.ping$'] },
  publisher_acl_blacklist: { modules: ['cmd.*'] },
};

const scene = (config: PolicyConfig = CONFIG) => ({ view: viewPolicy(config), fleet: FLEET });

function job(fun: string, tgt: string, args: readonly Value[] = [], tgtType = 'glob'): Asked {
  const funs = fun.split(',');
  return { what: 'job', funs, args: funs.map(() => args), target: { tgt, tgtType } };
}

function explain(who: string, asked: Asked, config?: PolicyConfig): readonly string[] {
  const at = scene(config);
  const caller = readCaller(who, at.view, at.fleet);
  if (!caller.ok) return [caller.error];
  const verdict = judge(at, caller.value, asked);
  if (verdict.allow) return ['allowed', ...verdict.minions];
  return nearestMisses(at, caller.value, asked, verdict).map(
    ({ path, sentence }) => `${showPath(path ?? [])}: ${sentence}`,
  );
}

it('root has the key of the master’s own account, whatever that is called: as at the gate it may do everything', () => {
  for (const user of ['root', 'salt'])
    expect(explain('root', job('test.ping', 'web1'), { ...CONFIG, user })).toEqual(['allowed', 'web1']);
});

describe('callers', () => {
  it.each([
    ['fred', 'account fred'],
    ['user_7', 'account user_7'],
    ['web1', 'minion web1'],
    ['minion:fred', 'minion fred'],
  ])('%s is %s', (word, name) => {
    const { view, fleet } = scene();
    const caller = readCaller(word, view, fleet);
    expect(caller.ok && `${caller.value.principal.kind} ${caller.value.principal.name}`).toBe(name);
  });

  it('that nobody knows, or that are two, are errors', () => {
    const { view } = scene();
    expect(readCaller('nobody', view, FLEET)).toMatchObject({
      ok: false,
      error: expect.stringContaining("nobody known is called 'nobody'") as string,
    });
    expect(readCaller('fred', view, fleetOf(['fred']))).toMatchObject({
      ok: false,
      error: expect.stringContaining('an account and a minion') as string,
    });
    expect(readCaller('external:joe', view, FLEET)).toMatchObject({ ok: false });
    expect(readCaller('minion:a/b', view, FLEET)).toMatchObject({ ok: false });
    expect(readCaller('web7', view, fleetOfRules(view))).toMatchObject({
      ok: true,
      value: { principal: { kind: 'minion' } },
    });
  });
});

describe('the nearest misses', () => {
  it.each<[string, Asked, readonly string[]]>([
    ['fred', job('test.ping', 'web1'), ['allowed', 'web1']],
    [
      'fred',
      job('test.ping', 'web*'),
      ["publisher_acl.fred[0].web1 or web2[0]: the function matches, but web3 is not in 'web1 or web2'"],
    ],
    [
      'fred',
      job('a.go', 'web1', ['x1', 'x']),
      ["publisher_acl.fred[1].web*[0]: the function matches, but the argument 2 'x' does not match 'b.*'"],
    ],
    [
      'fred',
      job('a.go', 'web1', ['x1']),
      ['publisher_acl.fred[1].web*[0]: the function matches, but the argument 2 is missing'],
    ],
    [
      'fred',
      job('a.go', 'web1', ['x', 'b']),
      ['publisher_acl.fred[1].web*[0]: the function matches, but the argument n is missing'],
    ],
    [
      'fred',
      job('a.go', 'db1', ['x']),
      ["publisher_acl.fred[1].web*[0]: the function matches, but the argument 2 is missing, and db1 is not in 'web*'"],
    ],
    [
      'fred',
      job('cmd.run', 'web1'),
      ['publisher_acl_blacklist.modules[0]: this rule of the blacklist refuses it, whatever else is permitted'],
    ],
    [
      'account:eve',
      job('test.ping', '*'),
      ["publisher_acl: the account's name matches no key of publisher_acl (there are 'fred', 'user_.*')"],
    ],
    ['db1', job('test.ping', '*'), ["peer: the caller's id matches no key of peer (there are 'web\\d$')"]],
    [
      'user_1',
      { what: 'run', funs: ['jobs.active'], args: [[]] },
      [
        "publisher_acl.user_.*: jobs.active needs an entry '@runner' or '@jobs' in the list of 'user_.*'; it has @manage",
      ],
    ],
    ['user_1', { what: 'run', funs: ['manage.up'], args: [[]] }, ['allowed']],
  ])('of %s', (who, asked, expected) => {
    expect(explain(who, asked)).toEqual(expected);
  });

  describe('of a runner or a wheel function', () => {
    const config: PolicyConfig = {
      publisher_acl: {
        fred: [{ '@runner': ['jobs\\.list_jobs$'] }, { '@jobs': { lookup_jid: { args: ['2026.*'] } } }, 'test\\.'],
      },
      peer_run: { 'web.*': ['.*'] },
    };
    const run = (fun: string, ...args: readonly Value[]) =>
      explain('fred', { what: 'run', funs: [fun], args: [args] }, config);

    it('are the patterns that do not match, or the argument that misses, where there is an entry for it', () => {
      expect(run('jobs.active')).toEqual([
        "publisher_acl.fred[0]: jobs.active is not among 'jobs\\.list_jobs$' of '@runner'",
        "publisher_acl.fred[1]: active is not among 'lookup_jid' of '@jobs'",
      ]);
      expect(run('jobs.lookup_jid', '2025')).toContain(
        "publisher_acl.fred[1].@jobs: the function matches, but the argument 1 '2025' does not match '2026.*'",
      );
      expect(run('jobs.lookup_jid', '20261129')).toEqual(['allowed']);
    });

    it('are the missing entry where there is none', () => {
      expect(explain('fred', { what: 'wheel', funs: ['key.list_all'], args: [[]] }, config)).toEqual([
        "publisher_acl.fred: key.list_all needs an entry '@wheel' or '@key' in the list of 'fred'; it has @runner, @jobs",
      ]);
    });

    it('are no pattern for a minion that asks for the wheel, which none may', () => {
      const asked = (what: 'run' | 'wheel'): Asked => ({ what, funs: ['key.list_all'], args: [[]] });
      expect(explain('web1', asked('wheel'), config)).toEqual([': no minion may run a function of the wheel']);
      expect(explain('web1', asked('run'), config)).toEqual(['allowed']);
    });

    it('are no entries for runners where a job is asked for', () => {
      expect(explain('fred', job('jobs.active', 'web1'), config)).toEqual([
        "publisher_acl.fred[2]: jobs.active is not among 'test\\.'",
      ]);
      expect(explain('fred', job('lookup_jid.x', 'web1'), config)).toEqual([
        "publisher_acl.fred[2]: lookup_jid.x is not among 'test\\.'",
      ]);
    });
  });

  it('are none for a back end that does not exist: nobody can log in there', () => {
    const users = { joe: ['test\\.'] };
    const config: PolicyConfig = { external_auth: { nosuch: users, pam: users } };
    expect(explain('external:pam/joe', job('test.ping', 'web1'), config)).toEqual(['allowed', 'web1']);
    for (const kind of ['external', 'token'])
      expect(explain(`${kind}:nosuch/joe`, job('test.ping', 'web1'), config)).toEqual([]);
    expect(whoCan(scene(config), job('test.ping', 'web1')).holders.map(({ holder }) => showPath(holder.path))).toEqual([
      'user',
      'external_auth.pam.joe',
    ]);
  });

  it('are the back ends that there are, for one that the file does not name', () => {
    for (const kind of ['external', 'token'])
      expect(explain(`${kind}:ldap/joe`, job('test.ping', 'web1'))).toEqual([
        "external_auth: it has no back end 'ldap' (there are 'pam')",
      ]);
    const none = { ...CONFIG, external_auth: {} };
    expect(explain('external:ldap/joe', job('test.ping', 'web1'), none)).toEqual([
      ': there is no key in external_auth',
    ]);
  });

  it('are none for a target that cannot be read', () => {
    expect(explain('root', job('test.ping', 'web1 and', [], 'compound'))).toEqual([]);
  });
});

describe('who can', () => {
  it('names every key that may and every minion of the inventory', () => {
    const { holders, minions } = whoCan(scene(), job('test.ping', 'web1'));
    expect(holders.map(({ holder }) => showPath(holder.path))).toEqual([
      'user',
      'peer.web\\d$',
      'publisher_acl.fred',
      'external_auth.pam.joe',
    ]);
    expect(minions.map(({ ids }) => ids)).toEqual([['web1', 'web2', 'web3']]);
  });

  it('finds arguments that a condition lets through', () => {
    const { holders } = whoCan(scene(), job('a.go', 'web1'));
    expect(holders.find(({ holder }) => holder.key === 'fred')?.args).toEqual([
      'xx',
      'bx',
      { __kwarg__: true, n: 'v' },
    ]);
  });

  it('asks as a member of a group, and as somebody without a rule', () => {
    const keys = (fun: string) => whoCan(scene(), job(fun, 'db1')).holders.map(({ holder }) => holder.key);
    expect(keys('pkg.install')).toEqual(['root', 'user_.*', 'ops%']);
    expect(keys('sys.doc')).toEqual(['root', '*']);
  });

  it('names whoever has a list for what every list permits, and for nothing beside it', () => {
    const keys = (fun: string) => whoCan(scene(), job(fun, 'web1')).holders.map(({ holder }) => holder.key);
    expect(keys('saltutil.find_job')).toEqual(['root', 'fred', 'user_.*', 'joe', 'ops%', '*']);
    expect(keys('saltutil.find_job,pkg.install')).toEqual(['root', 'user_.*', 'ops%']);
    expect(keys('saltutil.find_jobs')).toEqual(['root']);
  });
});

describe('policy tests', () => {
  it('are every combination of who, what and whom', () => {
    const file = readPolicyTests({
      tests: [{ who: ['fred', 'web1'], what: 'test.ping', whom: ['web1', 'db1'], expect: 'allow' }],
    });
    expect(file.problems).toEqual([]);
    const outcomes = file.tests.map((test) => runPolicyTest(scene(), test));
    expect(outcomes.map(({ title, failure }) => [title, failure?.slice(0, 13)])).toEqual([
      ['account fred may run test.ping on web1', undefined],
      ['account fred may run test.ping on db1', 'it is refused'],
      ['minion web1 may run test.ping on web1', undefined],
      ['minion web1 may run test.ping on db1', undefined],
    ]);
  });

  it('fail when an allowed request means others, or is denied and should not be', () => {
    const run = (test: Value) =>
      readPolicyTests({ tests: [test] }).tests.map((one) => runPolicyTest(scene(), one).failure);
    expect(run({ who: 'fred', what: 'test.ping', whom: 'web1', expect: 'allow', minions: ['web2'] })).toEqual([
      'it means web1, not web2',
    ]);
    expect(run({ who: 'fred', what: 'test.ping', whom: 'web1', expect: 'deny' })).toEqual(['it is allowed']);
    expect(run({ who: 'nobody', what: 'test.ping', whom: 'web1', expect: 'deny' })[0]).toContain('nobody known');
    expect(run({ who: 'external:pam/x', groups: 'ops', what: 'pkg.install', whom: 'db1', expect: 'allow' })).toEqual([
      undefined,
    ]);
  });

  it('read a target with a delimiter for whoever may choose one, which no minion may', () => {
    const run = (who: string, minions: readonly string[]) => {
      const target = { whom: 'os|Debian', type: 'grain', delimiter: '|' };
      const test = { who, what: 'test.ping', ...target, expect: 'allow', minions };
      return readPolicyTests({ tests: [test] }).tests.map((one) => runPolicyTest(scene(), one).failure);
    };
    const unknown = ['web2', 'web3', 'db1'];
    expect(run('root', ['web1', ...unknown])).toEqual([undefined]);
    expect(run('web1', unknown)).toEqual([undefined]);
  });

  it('say what is wrong with a file', () => {
    const { problems } = readPolicyTests({
      test: [],
      tests: [
        { who: 3, what: 'a.b', run: 'c.d', expect: 'maybe' },
        { who: 'x', what: 'a.b', expect: 'deny' },
        { who: 'x', what: 'a.b', whom: 'a', delimiter: 1, expect: 'deny' },
      ],
    });
    expect(problems.map(({ path, reason }) => `${showPath(path)}: ${reason}`)).toEqual([
      "test: there is no key 'test' here (there are policy, inventory, tests)",
      'tests[0].expect: expect is allow or deny',
      'tests[0].who: who is text, or a list of texts',
      'tests[0]: a test has one of what (a function on minions), run (a runner) and wheel',
      'tests[1].whom: whom is missing',
      'tests[2].delimiter: delimiter is text, as |',
    ]);
  });
});

describe('diff', () => {
  const diff = (old: PolicyConfig, next: PolicyConfig) =>
    diffPolicies({ old: viewPolicy(old), next: viewPolicy(next), fleet: FLEET }).map(
      ({ caller, asked, becomes, on, isTarget }) =>
        `${becomes} ${caller.principal.name} ${asked.funs.join(',')} ${isTarget ? 'all of ' : ''}${on.join(',')}`,
    );

  it('is empty for the same policy, and for one that says the same otherwise', () => {
    expect(diff(CONFIG, CONFIG)).toEqual([]);
    expect(diff({ publisher_acl: { fred: ['a\\.b$'] } }, { publisher_acl: { fred: [{ '*': ['a\\.b$'] }] } })).toEqual(
      [],
    );
  });

  it('tells who gains and loses what where, also what only a witness shows', () => {
    const old: PolicyConfig = { publisher_acl: { fred: ['test\\.ping'] } };
    const next: PolicyConfig = { publisher_acl: { fred: [{ 'web*': ['test\\.ping$'] }], joe: ['@runner'] } };
    expect(diff(old, next)).toEqual([
      'refused fred test.ping db1',
      'refused fred test.ping_evil web1,web2,web3,db1',
      'allowed joe manage.up ',
      'allowed joe jobs.list_jobs ',
      'allowed joe any.any ',
    ]);
  });

  it('sees that a rule for a module becomes one for a function of it', () => {
    const next: PolicyConfig = { publisher_acl: { fred: ['m\\.x$'] } };
    expect(diff({ publisher_acl: { fred: ['m\\.'] } }, next)).toEqual(['refused fred m.any web1,web2,web3,db1']);
  });

  it('finds what changes only for several minions at once', () => {
    const old: PolicyConfig = { publisher_acl: { fred: [{ 'web1 or db1': ['a\\.b$'] }] } };
    const next: PolicyConfig = { publisher_acl: { fred: [{ web1: ['a\\.b$'] }, { db1: ['a\\.b$'] }] } };
    expect(diff(old, next)).toEqual(['refused fred a.b all of web1 or db1']);
  });

  it('asks about one minion of each class, and tells of all', () => {
    expect(diff({}, { peer: { 'web.*': ['a\\.b$'] } })).toEqual(['allowed web1 a.b web1,web2,web3,db1']);
  });

  it('asks recorded requests again', () => {
    const record = (caller: string, fun: string, target: string): Value => ({
      time: 1,
      what: 'grant',
      caller: { kind: 'account', name: caller },
      detail: { funs: [fun], target, minions: 1 },
    });
    const records = [
      record('fred', 'test.ping', 'web1'),
      record('fred', 'test.ping', 'web1'),
      record('fred', 'test.ping', 'web1,db1'),
      record('root', 'x.y', '*'),
      { what: 'policy' },
    ];
    const read = records.flatMap((raw) => readRecorded(raw) ?? []);
    expect(read.map(({ asked }) => asked.target?.tgtType)).toEqual(['glob', 'glob', 'list', 'glob']);
    const changed = diffRecorded({ old: viewPolicy(CONFIG), next: viewPolicy({}), fleet: FLEET }, read);
    expect(changed.map(({ caller, count, becomes }) => [caller.principal.name, count, becomes])).toEqual([
      ['fred', 2, 'refused'],
    ]);
  });

  it('asks again of each back end what an external user or a token asked: no record names theirs', () => {
    const of = (external_auth: Value): PolicyConfig => ({ external_auth });
    const old = of({ file: { bob: ['test\\.ping$'], joe: ['test\\.ping$'] }, pam: { ann: ['test\\.ping$'] } });
    const next = of({ file: { joe: ['test\\.ping$'] }, pam: { ann: ['test\\.ping$'] }, ldap: { ann: ['cmd\\.run$'] } });
    const asks: readonly (readonly [kind: string, name: string, fun: string])[] = [
      ['token', 'bob', 'test.ping'],
      ['token', 'joe', 'test.ping'],
      ['token', 'ann', 'test.ping'],
      ['external', 'ann', 'cmd.run'],
    ];
    const records = asks.map(([kind, name, fun]) => ({
      caller: { kind, name },
      detail: { funs: [fun], target: 'web1' },
    }));
    const read = records.flatMap((raw) => readRecorded(raw) ?? []);
    const changed = diffRecorded({ old: viewPolicy(old), next: viewPolicy(next), fleet: FLEET }, read);
    expect(changed.map(({ caller, becomes }) => `${showCaller(caller)} ${becomes}`)).toEqual([
      'token file/bob refused',
      'external ldap/ann allowed',
    ]);
  });
});
