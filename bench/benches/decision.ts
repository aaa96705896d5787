/**
 * The decision itself, in process: a function and arguments that differ at each call, new targets over a large fleet, loading,
 * and hostile patterns and ids.
 */
import { type Ask, compilePolicy, decide, type Policy, TargetMemo } from '@natrium/acl';
import type { Inventory } from '@natrium/matchers';
import type { Value, ValueMap } from '@natrium/model';
import type { Bench } from '../bench.js';
import { type Measured, median, percentile } from '../figures.js';

const RULES = 200;
const LOADED = 1_000;
const FLEET = 10_000;
const CALLS = 2_000;
const ROUNDS = 9;
const TARGETS = 101;
const MICRO = 1000;
const MEBI = 1 << 20;

export const decision: Bench = {
  name: 'decision',
  about: 'decide with a warm memo, new targets over 10,000 minions, loading 1,000 rules, hostile patterns and ids',
  measure: () => Promise.resolve([warm('usual'), warm('engine'), ...newTargets(), ...loading(), ...hostile()]),
};

const MODULES = [
  'apache', 'boto', 'cmd', 'disk', 'environ', 'file', 'git', 'hosts', 'iptables', 'jboss', 'kmod', 'locate', 'mysql',
  'network', 'openssl', 'pkg', 'quota', 'rabbitmq', 'service', 'test', 'user', 'virt', 'win', 'xfs', 'yum', 'zfs',
] as const; // prettier-ignore

/** `usual`: as people write them, one in ten with alternatives. `engine`: none can be told apart but by the engine. */
type Kind = 'usual' | 'engine';

function moduleAt(n: number, kind: Kind): string {
  return kind === 'engine' ? `mod${n}` : `${MODULES[n % MODULES.length] ?? ''}${n}`;
}

function patternAt(n: number, kind: Kind): string {
  const module = moduleAt(n, kind);
  if (kind === 'engine' || n % 10 === 0) return `${module}\\.(?:get|set)_\\w+$`;
  return [`${module}.*`, `${module}\\.`, `${module}\\.get_.*`, `${module}.get_`][n % 4] ?? '';
}

/** Lists for one account: every third rule has a target, every fifth a condition. */
function listOf(count: number, kind: Kind): readonly Value[] {
  return Array.from({ length: count }, (_, n): Value => {
    const pattern = patternAt(n, kind);
    const rule: Value = n % 5 === 0 ? { [pattern]: { args: ['a.*', '\\d+$'] } } : pattern;
    return n % 3 === 0 || n % 5 === 0 ? { [`web${n % 7}* or G@rack:r${n % 11}`]: [rule] } : rule;
  });
}

function policyWith(list: readonly Value[]): Policy {
  const { policy, problems } = compilePolicy({ publisher_acl: { fred: list } });
  if (problems.length > 0) throw new Error(`a bench with a malformed policy: ${problems[0]?.reason ?? ''}`);
  return policy;
}

function fleet(size: number): Inventory {
  const data = new Map<string, ValueMap>(
    Array.from({ length: size }, (_, n) => [`web${n % 7}-${n}.example.com`, grainsOf(n)] as const),
  );
  const accepted = new Set(data.keys());
  return {
    accepted,
    revision: 1,
    dataOf: (id) => {
      const grains = data.get(id);
      return grains === undefined ? undefined : { grains, pillar: {} };
    },
  };
}

function grainsOf(n: number): ValueMap {
  return {
    os: n % 2 === 0 ? 'Debian' : 'RedHat',
    rack: `r${n % 11}`,
    roles: ['web', `tier${n % 3}`],
    ipv4: ['127.0.0.1', `10.0.${n % 256}.${(n >> 8) % 256}`],
    cpu: { cores: n % 64, flags: ['sse', 'avx'] },
    osrelease: String(n % 20),
    serial: n,
  };
}

function askOf(fun: string, args: readonly Value[], tgt: string, tgtType = 'glob'): Ask {
  const account = { name: 'fred', listsOf: 'fred', byMasterKey: false };
  return {
    principal: { kind: 'account', name: 'fred' },
    what: 'job',
    funs: [fun],
    args: [args],
    target: { tgt, tgtType },
    account,
  };
}

/** Function and arguments differ at each call; the memo holds the targets, never a verdict. */
function warm(kind: Kind): Measured {
  const policy = policyWith(listOf(RULES, kind));
  const inventory = fleet(100);
  const memo = new TargetMemo(100);
  let serial = 0;
  const next = (): Ask => {
    serial += 1;
    const fun = `${moduleAt(serial % RULES, kind)}.get_${serial}`;
    return askOf(fun, [`a${serial}`, String(serial)], `web${serial % 7}*`);
  };
  for (let n = 0; n < CALLS; n += 1) decide(policy, next(), inventory, memo);
  const rounds = Array.from({ length: ROUNDS }, () => {
    const asks = Array.from({ length: CALLS }, next);
    const began = performance.now();
    let allowed = 0;
    for (const ask of asks) if (decide(policy, ask, inventory, memo).allow) allowed += 1;
    const each = ((performance.now() - began) * MICRO) / CALLS;
    if (allowed === 0 || allowed === CALLS) throw new Error('all verdicts are alike: nothing was decided');
    return each;
  });
  const about = kind === 'usual' ? `${RULES} rules (target 10)` : `${RULES} rules that all need the engine`;
  return { metric: `warm memo, ${about}`, unit: 'µs', value: median(rounds) };
}

/** A target that was never asked before, resolved over the fleet and held against every permitted target that matters. */
function newTargets(): readonly Measured[] {
  const inventory = fleet(FLEET);
  const ids = [...inventory.accepted];
  const policy = policyWith([{ 'web*': ['test\\.ping$'] }]);
  const kinds: readonly (readonly [string, number, (n: number) => Ask])[] = [
    ['glob', 1, (n) => askOf('test.ping', [], `web${n % 7}-${n}*`)],
    ['list', 1, (n) => askOf('test.ping', [], ids.slice(n * 10, n * 10 + 10).join(','), 'list')],
    ['grain', 10, (n) => askOf('test.ping', [], `serial:${n}*`, 'grain')],
  ];
  return kinds.flatMap(([kind, target, make]) => {
    const times = Array.from({ length: TARGETS }, (_, n) => elapsed(() => decide(policy, make(n), inventory)));
    const about = `new ${kind} target, ${FLEET} minions`;
    return [
      { metric: `${about} (target ${target})`, unit: 'ms', value: median(times) },
      { metric: `${about}, p99`, unit: 'ms', value: percentile(times, 0.99) },
    ];
  });
}

/** Patterns that were never compiled before. An engine's program is made at the first test, so that has its own figure. */
function loading(): readonly Measured[] {
  let policy: Policy | undefined;
  const loaded = elapsed(() => {
    policy = policyWith(listOf(LOADED, 'usual'));
  });
  const asks = MODULES.map((module) => askOf(`${module}0.none`, [], 'web1*'));
  const inventory = fleet(100);
  const tested = elapsed(() => {
    for (const ask of asks) if (policy !== undefined) decide(policy, ask, inventory);
  });
  return [
    { metric: `load ${LOADED} rules (target 500)`, unit: 'ms', value: loaded },
    { metric: `first test of all ${LOADED} rules`, unit: 'ms', value: tested },
  ];
}

interface Hostile {
  readonly about: string;
  readonly once: () => boolean;
}

/** Each must be refused, and soon. */
function hostile(): readonly Measured[] {
  const inventory = fleet(FLEET);
  const open = policyWith([{ 'web*': ['(?:a+)+$', '(?:\\w+\\.)*x$', '(a|a)*b$'] }]);
  const refusedBy = (policy: Policy, ask: Ask): boolean => {
    const verdict = decide(policy, ask, inventory);
    return !verdict.allow || verdict.defect !== undefined || verdict.minions.length === 0;
  };
  const malformed = (pattern: string) => (): boolean =>
    compilePolicy({ publisher_acl: { fred: [pattern] } }).problems.length > 0;
  const target = (tgt: string, tgtType: string) => (): boolean => refusedBy(open, askOf('x.y', [], tgt, tgtType));
  const all: readonly Hostile[] = [
    { about: 'function against (a+)+$', once: () => refusedBy(open, askOf(`${'a'.repeat(250)}!`, [], 'web1*')) },
    { about: 'function of 1 MiB', once: () => refusedBy(open, askOf('a'.repeat(MEBI), [], 'web1*')) },
    { about: 'id of 1 MiB', once: target('w'.repeat(MEBI), 'glob') },
    { about: 'glob of stars', once: target(`${'*a'.repeat(4000)}b`, 'glob') },
    { about: 'pcre (a*)*b', once: target('(?:(?:[a-z0-9.-]*)*)*!', 'pcre') },
    { about: 'pcre of 1 MiB', once: target('(a|'.repeat(MEBI / 3), 'pcre') },
    { about: 'nested counts', once: target('(?:(?:(?:a{1,99}){1,99}){1,99}){1,99}', 'pcre') },
    { about: 'compound of 10,000 terms', once: target('( '.repeat(4000), 'compound') },
    { about: 'rule with a back-reference', once: malformed('(a+)\\1$') },
    { about: 'rule of 1 MiB', once: malformed('a'.repeat(MEBI)) },
  ];
  return all.map(({ about, once }) => {
    const began = performance.now();
    const refused = once();
    const value = performance.now() - began;
    if (!refused) throw new Error(`hostile ${about}: it was not refused`);
    return { metric: `hostile: ${about} (target 50)`, unit: 'ms', value };
  });
}

function elapsed(once: () => unknown): number {
  const began = performance.now();
  once();
  return performance.now() - began;
}
