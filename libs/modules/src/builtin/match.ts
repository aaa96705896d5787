/**
 * `match.*`: whether a target means this minion, as the master reads it. Diverges: what Salt logs and takes for a target that means
 * nobody is an error here; a peer may not guess at pillar by patterns (compat/divergences.md).
 */
import { isList, pyStr, type Target, type Value, type ValueMap } from '@natrium/model';
import { performance } from 'node:perf_hooks';
import type { CallContext } from '../call-context.js';
import { defineModule } from '../loader/declaration.js';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import { fn, isPerson } from '../minion-registry.js';
import { mergedOver } from './grains-filter.js';
import { DELIMITER } from './traverse.js';

/** Milliseconds for all targets of one call: the agent does nothing else meanwhile, and one pattern may take milliseconds. */
const MAX_MS = 2_000;
const MAX_ID = 255;

const TEXT = { name: 'tgt', type: 'str', doc: 'The target.' } as const;
const WORDS = { name: 'tgt', type: 'any', doc: 'The target: text, or a list.' } as const;
const ID = {
  name: 'minion_id',
  type: 'str',
  default: null,
  doc: 'An id to be tried in place of this minion’s.',
} as const;
const OF_TABLE = [
  { name: 'tgt_type', type: 'str', default: 'compound', doc: 'How the targets are read.' },
  { ...ID, doc: `${ID.doc} Grains and pillar are this minion’s.` },
] as const;

export const matchModule = defineModule('match', {
  compound: ofId('compound', 'match.compound', ["'web* and G@os:Debian'", "'L@db1,db2' minion_id=db1"], WORDS),
  glob: ofId('glob', 'match.glob', ["'web*'"], TEXT),
  list: ofId('list', 'match.list', ['web1,web2'], WORDS),
  pcre: ofId('pcre', 'match.pcre', [String.raw`'web\d+$'`], TEXT),
  grain: ofData('grain', "match.grain 'os:Deb*'"),
  grain_pcre: ofData('grain_pcre', "match.grain_pcre 'os:(Debian|Ubuntu)'"),
  pillar: ofData('pillar', "match.pillar 'role:web'"),
  pillar_pcre: ofData('pillar_pcre', "match.pillar_pcre 'role:(web|db)'"),
  ipcidr: fn(
    {
      doc: 'Tells whether this minion has that address, or one in that network.',
      params: [TEXT],
      examples: ['match.ipcidr 10.0.0.0/8'],
    },
    async ({ tgt }, context) => (await asked(context, null))({ tgt, tgtType: 'ipcidr' }),
  ),
  filter_by: fn(
    {
      doc: 'The entry of a map that is for this minion: its keys are targets, and the first that means it counts.',
      params: [
        { name: 'lookup', type: 'map' },
        ...OF_TABLE,
        { name: 'merge', type: 'any', default: null, doc: 'A map that is merged over what was found.' },
        { name: 'merge_lists', type: 'bool', default: false, doc: 'Merging joins lists rather than replacing them.' },
        { name: 'default', type: 'str', default: 'default', doc: 'The key that counts when none means it.' },
      ],
      returns: 'None when there is nothing for it',
      examples: [
        "match.filter_by '{web*: apache2, G@os:Debian: nginx}'",
        "match.filter_by '{db*: 5432}' minion_id=db3",
      ],
    },
    async ({ lookup, tgt_type: tgtType, minion_id: id, merge, merge_lists: joins, default: otherwise }, context) => {
      const means = await asked(context, id);
      const key = Object.keys(lookup).find((tgt) => means({ tgt, tgtType }));
      // As Salt: what nobody's target led to is not merged.
      return key === undefined ? entry(lookup, otherwise) : mergedOver(entry(lookup, key), merge, joins);
    },
  ),
  search_by: fn(
    {
      doc: 'The keys of a map that are for this minion: each stands before a list of targets.',
      params: [{ name: 'lookup', type: 'map' }, ...OF_TABLE],
      returns: 'a list, with a key as often as targets of it mean the minion; None when there are none',
      examples: ["match.search_by '{web: [web1, web2], db: [G@role:db]}'"],
    },
    async ({ lookup, tgt_type: tgtType, minion_id: id }, context) => {
      const means = await asked(context, id);
      const keys = Object.entries(lookup).flatMap(([key, targets]) =>
        targetsOf(key, targets).flatMap((tgt) => (means({ tgt: pyStr(tgt), tgtType }) ? [key] : [])),
      );
      return keys.length === 0 ? null : keys;
    },
  ),
});

function ofId(tgtType: string, fun: string, examples: readonly string[], param: typeof TEXT | typeof WORDS) {
  return fn(
    {
      doc: `Tells whether a target of the type ${tgtType} means this minion.`,
      params: [param, ID],
      examples: examples.map((words) => `${fun} ${words}`),
    },
    async ({ tgt, minion_id: id }, context) =>
      (await asked(context, id))({ tgt: isList(tgt) ? tgt.map(pyStr) : pyStr(tgt), tgtType }),
  );
}

function ofData(tgtType: string, example: string) {
  return fn(
    {
      doc: `Tells whether a target of the type ${tgtType} means this minion.`,
      params: [TEXT, DELIMITER],
      examples: [example],
    },
    async ({ tgt, delimiter }, context) => (await asked(context, null))({ tgt, tgtType, delimiter }),
  );
}

/** What is asked, once for each target of a call. @throws {InvocationError} When a target cannot be used. */
async function asked(context: CallContext, minionId: string | null): Promise<(target: Target) => boolean> {
  const { targets, caller, grains, pillar } = context;
  if (targets === undefined) throw new ExecutionError('targets cannot be read here');
  if ((minionId?.length ?? 0) > MAX_ID)
    throw new InvocationError(`no minion has an id of more than ${String(MAX_ID)} characters`);
  const meansSelf = await targets();
  const self = {
    // As Salt: an empty one is none.
    id: minionId === null || minionId === '' ? context.id : minionId,
    data: { grains: grains(), pillar: pillar?.() ?? {} },
    mayGuess: caller === undefined || isPerson(caller.kind),
  };
  const end = performance.now() + MAX_MS;
  return (target) => {
    if (performance.now() > end)
      throw new ExecutionError(`finding out took more than ${String(MAX_MS / 1000)} s; ask for fewer targets`);
    const means = meansSelf(target, self);
    if (!means.ok) throw new InvocationError(means.error);
    return means.value;
  };
}

function entry(lookup: ValueMap, key: string): Value {
  return Object.hasOwn(lookup, key) ? (lookup[key] ?? null) : null;
}

function targetsOf(key: string, targets: Value): readonly Value[] {
  if (isList(targets)) return targets;
  throw new InvocationError(`search_by has a list of targets behind each key, and '${key}' has none`);
}
