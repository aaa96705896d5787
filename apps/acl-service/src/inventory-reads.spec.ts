/** Rules of what a running runner hears: who may guess at pillar with its targets, whoever may hear all of it, and how much at once. */
import type { Opened } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { encode, encodeRequest, SigningKey, sodiumReady, type Wire } from '@natrium/envelope';
import { Budget, PILLAR_RUNNER } from '@natrium/flow';
import { err, ok, type Principal, refusal, type Target, type ValueMap } from '@natrium/model';
import { builtinRunners, runnerRegistry } from '@natrium/runners';
import { aGrant, aRequest } from '@natrium/testing';
import type { contracts } from '@natrium/wire';
import type { AuditLog } from './audit/audit-log.js';
import type { Inventory } from './data/inventory.js';
import { InventoryReads } from './inventory-reads.js';
import type { Policies } from './policy/policies.js';
import type { Roster } from './roster/roster.js';

const NOW = 1_795_000_000_000;
const ROOT: Principal = { kind: 'account', name: 'root' };
const LIMITED: Principal = { kind: 'account', name: 'limited' };
const MINION: Principal = { kind: 'minion', name: 'web1' };

/** For one target of a hundred thousand tests. */
const LIMITS = { rate: 1, burst: 5 };

let recorded: Parameters<AuditLog['refuse']>[0][];

beforeAll(sodiumReady);
beforeEach(() => {
  recorded = [];
});

interface World {
  readonly targets: Budget;
  /** Whom patterns mean. */
  readonly ids: readonly string[];
  /** Of each of them, also as its pillar. */
  readonly grains: ValueMap;
  readonly fun: string;
}

/** The answer to a runner that runs for `caller`, where patterns mean web1 and nothing is meant exactly. */
function answerTo(
  what: string,
  caller: Principal,
  onBehalfOf: readonly Principal[] = [],
  {
    targets = new Budget(LIMITS),
    ids = ['web1'],
    grains = { os: 'Debian' },
    fun = 'cache.grains',
  }: Partial<World> = {},
) {
  const cluster = new Uint8Array(32);
  const acl = SigningKey.generate();
  const link = {
    roles: { cluster, keysOf: () => [acl.publicKey] },
    clock: { now: () => NOW, own: () => 0, skewMs: 30_000 },
  } as unknown as RoleLink;
  const current = {
    callerHasFullAccess: (name: string) => name === 'root',
    idsOf: () => ok(ids),
    idsExactly: (_: Target, onTests: (tests: number) => void) => {
      onTests(100_000);
      return err(refusal('not_permitted', 'exactly only'));
    },
  };
  const roster = { keyOfMinion: () => new Uint8Array(32) } as unknown as Roster;
  const inventory = { grainsOf: () => grains, pillarOf: () => ({ pillar: grains }) } as unknown as Inventory;
  const policies = { current } as unknown as Policies;
  const audit = { refuse: (refusal: (typeof recorded)[number]) => recorded.push(refusal) } as unknown as AuditLog;
  const reads = new InventoryReads(link, { roster, inventory, policies, audit, targets });
  const request = encodeRequest(aRequest(NOW, { what: 'run', funs: [fun], tgt: '' }));
  const members = [{ id: 'x', key: new Uint8Array(32) }];
  const grant = aGrant({ key: acl, cluster }, { request, members, issued: NOW }, { kind: 'run', root: new Uint8Array(32), count: 0, caller, onBehalfOf }); // prettier-ignore
  const body = { what, args: { tgt: 'role:w*', tgtType: 'pillar' }, grantRun: { request, grant } };
  const { refusal: why, result } = reads.handle({ body } as unknown as Opened<typeof contracts.read>);
  return why === null ? result : why.code;
}

it('an account with full access guesses', () => {
  expect(answerTo('match', ROOT)).toEqual(['web1']);
  expect(answerTo('grains', ROOT)).toEqual({ web1: { os: 'Debian' } });
});

it.each([
  ['an account with a list', LIMITED, []],
  ['a minion', MINION, []],
  ['an external user', { kind: 'external', name: 'root' }, []],
  ['whom it acts on behalf of', ROOT, [LIMITED]],
] as const)('%s does not', (_, caller, onBehalfOf) => {
  for (const what of ['match', 'grains']) expect(answerTo(what, caller, onBehalfOf)).toBe('not_permitted');
});

it('who is refused pillar is in the audit by name', () => {
  expect(answerTo('pillar', ROOT)).toBe('not_permitted');
  expect(recorded).toEqual([{ caller: ROOT, digest: null, code: 'not_permitted', detail: { read: 'pillar' } }]);
});

it('who has no full access pays for what his target takes, also by a runner of somebody else; who has does not', () => {
  const targets = new Budget(LIMITS);
  expect(answerTo('match', ROOT, [LIMITED], { targets })).toBe('not_permitted');
  expect(answerTo('match', LIMITED, [], { targets })).toBe('slow_down');
  expect(answerTo('match', MINION, [], { targets })).toBe('not_permitted');
  for (let n = 0; n < 3; n += 1) expect(answerTo('match', ROOT, [], { targets })).toEqual(['web1']);
});

describe('what one message does not carry', () => {
  const ids = Array.from({ length: 100 }, (_, n) => `web${String(n)}`);
  const ofEach = (characters: number) => ({ ids, grains: { motd: 'x'.repeat(characters) }, fun: PILLAR_RUNNER });

  it.each(['grains', 'pillar'])('is refused in words, and what it carries is told: %s', (what) => {
    expect(answerTo(what, ROOT, [], ofEach(70_000))).toBe('bad_request');
    const carried = answerTo(what, ROOT, [], ofEach(60_000));
    expect(Object.keys(carried as ValueMap)).toEqual(ids);
    expect(encode(carried as Wire).length).toBeLessThan(8 << 20);
  });

  it('is no list of names either', () => {
    const long = (count: number) => ({ ids: Array.from({ length: count }, (_, n) => String(n).padStart(250, 'x')) });
    expect(answerTo('match', ROOT, [], long(30_000))).toBe('bad_request');
    expect(answerTo('match', ROOT, [], long(20_000))).toHaveLength(20_000);
  });
});

it('the runner that tells pillar is there under the name by which it is known here and on the bus', () => {
  expect(runnerRegistry(builtinRunners).has(PILLAR_RUNNER)).toBe(true);
});
