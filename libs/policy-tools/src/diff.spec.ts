import type { PolicyConfig } from '@natrium/acl';
import type { Inventory } from '@natrium/matchers';
import type { ValueMap } from '@natrium/model';
import fc from 'fast-check';
import { type Caller, judge } from './caller.js';
import { diffPolicies } from './diff.js';
import { fleetOf } from './fleet.js';
import { viewPolicy } from './policy-view.js';

const IDS = ['web1', 'web2', 'db1', 'new1'];
const FLEET = fleetOf(IDS, new Map([['web1', { grains: { os: 'X' }, pillar: {} }]]));
const FUNS = ['test.ping', 'pkg.list', 'cmd.run', 'saltutil.find_job'];
const USERS = ['fred', 'joe', 'ann'];
const TARGETS = ['web*', 'web1', 'web1 or db1', 'G@os:X', 'N@g', 'not web1', 'gone*'];

const pattern = fc.constantFrom(...FUNS.map((fun) => `${fun.replace('.', '\\.')}$`));
const entry = fc.oneof(
  pattern,
  fc
    .tuple(fc.constantFrom(...TARGETS), fc.array(pattern, { maxLength: 2 }))
    .map(([target, list]) => ({ [target]: list })),
);
const policy = fc.record({
  publisher_acl: fc.dictionary(fc.constantFrom(...USERS), fc.array(entry, { maxLength: 3 }), { maxKeys: 3 }),
  nodegroups: fc.constantFrom({ g: 'web1' }, { g: 'db1' }),
  publisher_acl_blacklist: fc.constantFrom<ValueMap>({}, {}, { modules: ['cmd.*'] }, { users: ['joe'] }),
});

/** Every caller by every function by every minion and by every target that a rule of either names, each asked of both. */
function wholeProduct(old: PolicyConfig, next: PolicyConfig): readonly string[] {
  const scenes = [old, next].map((config) => ({ view: viewPolicy(config), fleet: FLEET }));
  const text = JSON.stringify([old.publisher_acl, next.publisher_acl]);
  const funs = FUNS.filter((fun) => text.includes(`${fun.replace('.', '\\\\.')}$`));
  const named = TARGETS.filter((target) => text.includes(`"${target}":`));
  const changes = (caller: Caller, fun: string, tgt: string, tgtType: string): readonly string[] => {
    const asked = { what: 'job', funs: [fun], args: [[]], target: { tgt, tgtType } } as const;
    const [before, after] = scenes.map((scene) => judge(scene, caller, asked).allow);
    return before === after ? [] : [`${caller.principal.name} ${fun} ${after === true ? 'allowed' : 'refused'}`];
  };
  return [...USERS, 'root'].flatMap((name) => {
    const caller: Caller = { principal: { kind: 'account', name } };
    if (name !== 'root' && !text.includes(`"${name}":`)) return [];
    return funs.flatMap((fun) => {
      const single = IDS.flatMap((id) => changes(caller, fun, id, 'list').map((change) => `${change} ${id}`));
      if (single.length > 0) return single;
      const all = ['*', ...named].flatMap((target) => changes(caller, fun, target, 'compound'));
      return all.slice(0, 1).map((change) => `${change} as a whole`);
    });
  });
}

function told(old: PolicyConfig, next: PolicyConfig): readonly string[] {
  const changes = diffPolicies({ old: viewPolicy(old), next: viewPolicy(next), fleet: FLEET });
  return changes.flatMap(({ caller, asked, becomes, on, isTarget }) => {
    const change = `${caller.principal.name} ${asked.funs.join()} ${becomes}`;
    return isTarget ? [`${change} as a whole`] : on.map((id) => `${change} ${id}`);
  });
}

it('a comparison tells exactly what asking for everything would tell', () => {
  let found = 0;
  let wholes = 0;
  fc.assert(
    fc.property(policy, policy, fc.boolean(), (old, other, isAll) => {
      const next = isAll ? other : { ...old, publisher_acl: { ...old.publisher_acl, ...other.publisher_acl } };
      const product = wholeProduct(old, next);
      found += product.length;
      wholes += product.filter((change) => change.endsWith('whole')).length;
      expect([...told(old, next)].sort()).toEqual([...product].sort());
    }),
    { numRuns: 150 },
  );
  expect(found).toBeGreaterThan(200);
  expect(wholes).toBeGreaterThan(0);
});

const RUNS: readonly (readonly [string, PolicyConfig, PolicyConfig, readonly string[]])[] = [
  [
    'a rule for every runner of minions',
    { peer_run: { web: ['manage\\.up$'] } },
    { peer_run: { web: ['.*'] } },
    ['web1 cmd.run', 'web1 any.any', 'web1 jobs.list_jobs'],
  ],
  [
    'an open end of a minion’s runner',
    { peer_run: { web: ['jobs\\.active$'] } },
    { peer_run: { web: ['jobs\\.active'] } },
    ['web1 jobs.active_evil'],
  ],
  [
    'a word for every runner',
    { publisher_acl: { fred: [{ '@runner': ['manage\\.', 'jobs\\.'] }] } },
    { publisher_acl: { fred: ['@runner'] } },
    ['fred any.any'],
  ],
  [
    'an open end below a module',
    { publisher_acl: { fred: [{ '@jobs': ['active$'] }] } },
    { publisher_acl: { fred: [{ '@jobs': ['active'] }] } },
    ['fred jobs.active_evil', 'fred jobs.active_evil'],
  ],
  [
    'an open end of a runner’s argument',
    { publisher_acl: { fred: [{ '@runner': [{ 'jobs\\.x$': { args: ['a$'] } }] }] } },
    { publisher_acl: { fred: [{ '@runner': [{ 'jobs\\.x$': { args: ['a'] } }] }] } },
    ['fred jobs.x a-more'],
  ],
  [
    'a dot in place of a letter',
    { publisher_acl: { fred: ['pkg\\.list$'] } },
    { publisher_acl: { fred: ['pkg\\.list$', 'test\\.p.ng$'] } },
    ['fred test.pxng'],
  ],
  [
    'any characters in place of the dot',
    { publisher_acl: { fred: ['pkg\\.list$'] } },
    { publisher_acl: { fred: ['pkg\\.list$', 'test.{5}$'] } },
    ['fred test.xxxx'],
  ],
  [
    'a rule for every function',
    { publisher_acl: { fred: [{ '*': ['cmd.*'] }] } },
    { publisher_acl: { fred: ['.*'] } },
    ['fred any.any'],
  ],
];

it.each(RUNS)('a comparison tells what %s lets in, and nothing of what stays', (_, old, next, expected) => {
  const changes = (before: PolicyConfig, after: PolicyConfig) =>
    diffPolicies({ old: viewPolicy(before), next: viewPolicy(after), fleet: FLEET }).map(
      ({ caller, asked, becomes }) =>
        `${becomes} ${[caller.principal.name, ...asked.funs, ...asked.args.flat().map(String)].join(' ')}`,
    );
  expect(changes(old, next)).toEqual(expected.map((change) => `allowed ${change}`));
  expect(changes(next, old)).toEqual(expect.arrayContaining(expected.map((change) => `refused ${change}`)));
  expect(changes(next, next)).toEqual([]);
});

/** How often the fleet is looked at, without a memory of targets. */
function looksOf(old: PolicyConfig, next: PolicyConfig, ids: readonly string[]): number {
  const { dataOf } = fleetOf([]);
  const accepted = new Set(ids);
  let looks = 0;
  const fleet: Inventory = {
    dataOf,
    get accepted() {
      looks += 1;
      return accepted;
    },
  };
  diffPolicies({ old: viewPolicy(old), next: viewPolicy(next), fleet });
  return looks;
}

it('a comparison of many accounts asks only what can change: no caller whose lists stay, no target of others', () => {
  const ids = Array.from({ length: 60 }, (_, at) => `web${at}`);
  const lists = (tail: string) =>
    Object.fromEntries(
      Array.from({ length: 12 }, (_, user) => [
        `user${user}`,
        Array.from({ length: 4 }, (_, at) => ({ [`web${user * 4 + at}${tail}`]: [`m${user}\\.f${at}$`] })),
      ]),
    );
  const of = (publisher_acl: PolicyConfig['publisher_acl']): PolicyConfig => ({ publisher_acl: publisher_acl ?? {} });
  const unchanged = looksOf(of(lists('')), of(lists('')), ids);
  const oneMore = looksOf(of(lists('')), of({ ...lists(''), user12: [{ web1: ['m\\.f$'] }] }), ids);
  const renamed = looksOf(of(lists('')), of(lists(' or gone')), ids);
  // Asking for everything looks 38,000 to 56,000 times.
  expect([unchanged < 500, oneMore < 600, renamed < 3000]).toEqual([true, true, true]);
});
