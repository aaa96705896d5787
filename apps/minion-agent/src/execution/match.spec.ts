/** Rules of `match.*`, which an operator tries targets with on a minion. */
import { aRequest } from '@natrium/testing';
import type { CheckedGrant } from '@natrium/flow';
import type { Plain, Principal, Request, Value, ValueMap } from '@natrium/model';
import { Execution } from './execution.js';

const GRAINS = { id: 'web1', os: 'Debian', ipv4: ['127.0.0.1', '10.0.0.5'], pkg: { apache: ['httpd', '2.4'] } };

function minion(pillar: ValueMap = { role: 'web', token: 'abc' }) {
  const data = {
    currentGrains: () => GRAINS,
    currentPillar: () => pillar,
    grains: () => Promise.resolve(true),
    pillar: () => Promise.resolve(true),
  };
  return new Execution({ id: 'web1', data, config: {}, master: undefined });
}

const ret = async (fun: string, ...args: readonly Value[]) => (await minion().call(`match.${fun}`, args, '1')).ret;
const named = (map: ValueMap): Value => ({ __kwarg__: true, ...map });

/** By a job of that caller. */
const asked = async (caller: Principal, fun: string, ...args: readonly Plain[]) => {
  const grant = { jid: '20260101000000000000', caller } as unknown as CheckedGrant;
  const request = { ...(aRequest(0) as Request), funs: [`match.${fun}`], args: [args] };
  return (await minion().run(request, grant)).ret;
};

it.each<[string, string, string]>([
  ['compound', 'web* and G@os:Debian not L@db1,db2', 'web* and not G@os:Debian'],
  ['compound', 'S@10.0.0.0/8 and I@role:web', 'I@role:db or J@role:d.*'],
  ['glob', 'web?', 'eb1'],
  ['list', 'db1,web1', 'web,db1'],
  ['pcre', String.raw`we\w\d`, 'eb1'],
  ['grain', 'pkg:apache:http*', 'pkg:apache:nginx'],
  ['grain_pcre', 'os:(Debian|Ubuntu)', 'os:Ubuntu'],
  ['pillar', 'role:w*', 'role:db'],
  ['pillar_pcre', 'role:(web|db)$', 'role:(mail|db)$'],
  ['ipcidr', '10.0.0.0/24', '10.0.1.0/24'],
])('match.%s answers as the target would: %s means this minion, and %s does not', async (fun, hit, miss) => {
  expect([await ret(fun, hit), await ret(fun, miss)]).toEqual([true, false]);
});

it('another id may be tried, against the grains of this minion; an empty one is its own', async () => {
  expect(await ret('compound', 'db1 and G@os:Debian', 'db1')).toBe(true);
  expect(await ret('glob', 'web*', named({ minion_id: 'db1' }))).toBe(false);
  expect(await ret('list', ['web1', 'db1'], '')).toBe(true);
  expect(await ret('pcre', 'a*', 'a'.repeat(256))).toMatch(/no minion has an id of more than 255 characters/);
});

it('a target on data may have another delimiter', async () => {
  expect(await ret('grain', 'pkg|apache|httpd', named({ delimiter: '|' }))).toBe(true);
  expect(await ret('grain', 'pkg|apache|httpd')).toBe(false);
});

it.each<[string, string, string]>([
  ['compound', 'web1 and', 'the expression ends where a term is expected'],
  ['compound', '( web1', 'a ( is never closed'],
  ['compound', 'N@web db1', "node groups are the master's, and no minion knows them: 'N@web'"],
  ['pcre', 'web(', "the pattern 'web(' cannot be used"],
  ['grain_pcre', 'os:(', "the pattern '(' cannot be used"],
  ['ipcidr', '10.0.0.5/24', "'10.0.0.5/24' is neither an address nor a network without host bits"],
])('match.%s of %s, which cannot be used, says why', async (fun, tgt, reason) => {
  expect(await ret(fun, tgt)).toContain(`ERROR executing 'match.${fun}': ${reason}`);
});

it('filter_by takes the entry whose target means the minion first, with what is merged over it', async () => {
  const table = { 'db*': 1, 'G@os:Debian': { a: [1], b: { c: 1 } }, 'web*': 3, default: 4 };
  expect(await ret('filter_by', table)).toEqual({ a: [1], b: { c: 1 } });
  const merge = { a: [1, 2], b: { d: 2 } };
  expect(await ret('filter_by', table, named({ merge }))).toEqual({ a: [1, 2], b: { c: 1, d: 2 } });
  expect(await ret('filter_by', { 'web*': { a: [3, 1] } }, named({ merge, merge_lists: true }))).toEqual({
    a: [3, 1, 2],
    b: { d: 2 },
  });
  expect(await ret('filter_by', { 'Deb*': 1, 'os:Deb*': 2 }, 'grain')).toBe(2);
  expect(await ret('filter_by', { 'web*': 1, 'db*': 2 }, named({ minion_id: 'db7' }))).toBe(2);
});

it('filter_by takes the default, unmerged, where no target means the minion', async () => {
  const none = { 'db*': 1, default: 4, other: 5 };
  expect(await ret('filter_by', none, named({ merge: { a: 1 } }))).toBe(4);
  expect(await ret('filter_by', none, named({ default: 'other' }))).toBe(5);
  expect(await ret('filter_by', { 'db*': 1 })).toBeNull();
  expect(await ret('filter_by', { 'web*': 1 }, 'role')).toMatch(/there is no target type 'role'/);
});

it('search_by names each key whose list means the minion, as often as it does', async () => {
  expect(await ret('search_by', { web: ['web1', 'db1'], all: ['*', 'G@os:Debian'], db: ['db*'] })).toEqual([
    'web',
    'all',
    'all',
  ]);
  expect(await ret('search_by', { db: ['db*'] })).toBeNull();
  expect(await ret('search_by', { web: 'web*' })).toMatch(/a list of targets behind each key, and 'web' has none/);
});

it('a call with so many costly targets that the agent would be busy for long is given up', async () => {
  const table = Object.fromEntries(Array.from({ length: 4000 }, (_, n) => [`(?:\\w{1,25}\\dx${String(n)}){1,30}`, n]));
  expect(await ret('filter_by', table, 'pcre', 'a1'.repeat(120))).toMatch(/^ERROR: finding out took more than 2 s/);
});

describe('pillar', () => {
  const GUESSES: readonly (readonly [string, string])[] = [
    ['pillar', 'token:a*'],
    ['pillar_pcre', 'token:a.*'],
    ['compound', 'I@token:a*'],
    ['compound', 'web1 and not J@token:a.*'],
  ];

  it.each(GUESSES)('is no matter to guess at by match.%s %s for a peer, also through a runner', async (fun, tgt) => {
    for (const kind of ['minion', 'runner', 'reactor'] as const)
      expect(await asked({ kind, name: 'db1' }, fun, tgt)).toMatch(/pillar is not matched by pattern for who asks/);
    const table = { [tgt]: 1 };
    expect(await asked({ kind: 'minion', name: 'db1' }, 'filter_by', table, fun)).toMatch(/is not matched by pattern/);
  });

  it.each(GUESSES)(
    'is matched by match.%s %s for people, and a value that is named for peers too',
    async (fun, tgt) => {
      expect(await asked({ kind: 'account', name: 'root' }, fun, tgt)).toBe(!tgt.includes('not'));
      expect(await asked({ kind: 'minion', name: 'db1' }, 'pillar', 'role:web')).toBe(true);
      expect(await asked({ kind: 'minion', name: 'db1' }, 'compound', 'web1 and I@role:db')).toBe(false);
    },
  );
});
