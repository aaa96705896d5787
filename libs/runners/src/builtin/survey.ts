/**
 * `survey.*`: one function on many minions, and who returned the same.
 *
 * By default the authority lets these runners publish only functions that read (`grants`); an operator who wants more writes
 * it into `runner_grants`. Otherwise whoever may run a survey could run everything everywhere.
 */
import { createHash } from 'node:crypto';
import { type Absent, joinArguments, pyStr, type Value, type ValueMap } from '@natrium/model';
import { defineModule, reply, type Reply, unanswered } from '@natrium/modules';
import { publishAsk } from '../publish-ask.js';
import type { RunnerContext } from '../runner-context.js';
import { runner } from '../runner-registry.js';
import { type Pool, withDifferences } from '../survey-differences.js';

const READING = [
  'test\\..*',
  'sys\\..*',
  'grains\\.(get|item|items|ls|keys|has_value|equals)$',
  'pkg\\.(version|list_pkgs)$',
];

/** What a minion that has not returned is said to have returned. */
const NOTHING = pyStr(false);

const PARAMS = [
  { name: 'tgt', type: 'str', doc: 'Which minions.' },
  { name: 'fun', type: 'str', doc: 'The execution function.' },
  { rest: 'args', doc: 'Its arguments.' },
  {
    name: 'survey_sort',
    type: 'str',
    default: 'down',
    keyword: true,
    doc: '`down`: the largest pool first; `up`: the smallest.',
  },
  { name: 'tgt_type', type: 'str', default: 'compound', keyword: true, doc: 'How to read the target.' },
  { kwargs: 'kwargs', doc: 'Its named arguments.' },
] as const;

interface Asked {
  readonly tgt: string;
  readonly fun: string;
  readonly args: readonly Value[];
  readonly survey_sort: string;
  readonly tgt_type: string;
  readonly kwargs: ValueMap;
}

export const surveyModule = defineModule('survey', {
  hash: runner(
    {
      doc: 'Runs a function and groups the minions by what they returned; those that have not returned are with the result `False`.',
      params: PARAMS,
      returns: 'a list of maps with `pool` and `result`',
      examples: ["survey.hash '*' grains.get os", "survey.hash 'web*' pkg.version bash survey_sort=up"],
      grants: READING,
    },
    (asked, context) => survey(asked, context, (pools) => pools.map((pool) => ({ ...pool }))),
  ),
  diff: runner(
    {
      doc: 'As survey.hash; every pool but the first also tells how its result differs from that of the first.',
      params: PARAMS,
      returns: 'a list of maps with `pool`, `result` and `diff`, a unified diff',
      examples: ["survey.diff '*' grains.items"],
      grants: READING,
    },
    (asked, context) => survey(asked, context, (pools) => withDifferences(pools, context.signal)),
  ),
});

async function survey(
  asked: Asked,
  { master, host }: RunnerContext,
  show: (pools: readonly Pool[]) => readonly ValueMap[] | Promise<readonly ValueMap[]>,
): Promise<Reply | Value> {
  const { tgt, fun, args, tgt_type: tgtType, kwargs } = asked;
  const arg = joinArguments({ positional: args, named: kwargs });
  const answer = await master.publish(publishAsk({ tgt, fun, arg, tgtType }, host));
  if (answer.type !== 'answered') return unanswered(fun, answer);
  const { returns, absent, missing = [] } = answer;
  const told = Object.entries(returns).map(([id, { ret }]) => [id, pyStr(ret)] as const);
  const results = new Map([...silent(absent, missing), ...told]);
  if (results.size === 0) return reply(`No minion matched ${tgt}: nothing was run.`, { retcode: 1 });
  const pools = await show(poolsOf([...results], asked.survey_sort === 'up'));
  return missing.length === 0 ? pools : reply(pools, { retcode: 1 });
}

/** Who has not returned is in a pool as well, as in Salt, which has `False` for it; who refused says why. */
function silent(absent: readonly Absent[], missing: readonly string[]): readonly (readonly [string, string])[] {
  return [
    ...missing.map((id) => [id, NOTHING] as const),
    ...absent.map(({ id, why, sentence = NOTHING }) => [id, why === 'refused' ? sentence : NOTHING] as const),
  ];
}

/** Pools of the same size stand in the order of their first minion. */
function poolsOf(results: readonly (readonly [string, string])[], smallestFirst: boolean): readonly Pool[] {
  const byDigest = new Map<string, { readonly pool: string[]; readonly result: string }>();
  for (const [id, result] of [...results].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const digest = createHash('sha256').update(result).digest('hex');
    const known = byDigest.get(digest);
    if (known === undefined) byDigest.set(digest, { pool: [id], result });
    else known.pool.push(id);
  }
  const way = smallestFirst ? 1 : -1;
  return [...byDigest.values()].sort((a, b) => way * (a.pool.length - b.pool.length));
}
