/**
 * `survey.*`: one function on many minions, and who returned the same.
 *
 * By default the authority lets these runners publish only functions that read (`grants`); an operator who wants more writes
 * it into `runner_grants`. Otherwise whoever may run a survey could run everything everywhere.
 */
import { createHash } from 'node:crypto';
import { pyStr, type Value, type ValueMap } from '@natrium/model';
import { defineModule, reply, type Reply } from '@natrium/modules';
import { diffLines } from './line-diff.js';
import type { RunnerContext } from './runner-context.js';
import { runner } from './runner-registry.js';

const READING = [
  'test\\..*',
  'sys\\..*',
  'grains\\.(get|item|items|ls|keys|has_value|equals)$',
  'pkg\\.(version|list_pkgs)$',
];

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

interface Pool {
  readonly pool: readonly string[];
  readonly result: string;
}

export const surveyModule = defineModule('survey', {
  hash: runner(
    {
      doc: 'Runs a function and groups the minions by what they returned.',
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
    (asked, context) => survey(asked, context, withDifferences),
  ),
});

async function survey(
  asked: Asked,
  { master }: RunnerContext,
  show: (pools: readonly Pool[]) => readonly ValueMap[],
): Promise<Reply | Value> {
  const { tgt, fun, args, tgt_type: tgtType, kwargs } = asked;
  const named = Object.keys(kwargs).length === 0 ? [] : [{ __kwarg__: true, ...kwargs }];
  const arg = [...args, ...named];
  const answer = await master.publish({
    tgt,
    fun,
    arg,
    tgtType,
    returner: '',
    timeout: 5,
    form: 'clean',
    // What the runner got is already read; a minion shall get the very same.
    noParse: arg.map((_, place) => place),
  });
  if (answer.type === 'refused') return reply(answer.refusal.sentence, { retcode: 1, refusal: answer.refusal });
  if (answer.type === 'timeout') return reply(`'${fun}' publish timed out`, { retcode: 1 });
  const results = Object.entries(answer.returns).map(([id, { ret }]) => [id, pyStr(ret)] as const);
  const pools = show(poolsOf(results, asked.survey_sort === 'up'));
  const absent = answer.absent.map(({ id }) => id).sort();
  const nobody = [
    ...(results.length === 0 && absent.length === 0 ? [`No minion matched ${tgt}: nothing was run.`] : []),
    ...(answer.missing ?? []).map((id) => `there is no minion ${id}`),
  ];
  const notes = [...nobody, ...(absent.length === 0 ? [] : [`no answer from ${absent.join(', ')}`])];
  return notes.length === 0 ? pools : reply(pools, { notes, retcode: nobody.length === 0 ? 0 : 1 });
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

function withDifferences(pools: readonly Pool[]): readonly ValueMap[] {
  const [first] = pools;
  return pools.map((pool) =>
    first === undefined || pool === first ? { ...pool } : { ...pool, diff: differences(first, pool) },
  );
}

function differences(first: Pool, other: Pool): string {
  const [from = '', to = ''] = [first.pool[0], other.pool[0]];
  return [`--- ${from}`, `+++ ${to}`, ...diffLines(first.result.split('\n'), other.result.split('\n'))].join('\n');
}
