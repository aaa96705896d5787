/**
 * Inventories from data: the format of the corpus (`accepted`, `cache`), or plainly each id with its grains.
 *
 * Without any, the ids that the rules themselves name stand in; nothing is known of their data.
 */
import { expandNodeGroup, type Inventory, type MinionData, parseCompoundWord, splitWords } from '@natrium/matchers';
import {
  err,
  isList,
  isMap,
  ok,
  parseMinionId,
  type Result,
  type Target,
  type Value,
  type ValueMap,
} from '@natrium/model';
import { keyedLists, type PolicyView } from './policy-view.js';

export interface Fleet extends Inventory {
  /** `given`: a file or a cluster said so. `rules`: only ids that rules name. */
  readonly from: 'given' | 'rules';
}

/** Reads an inventory, or says why the value is none. */
export function readFleet(raw: Value): Result<Fleet, string> {
  if (!isMap(raw)) return err('an inventory is a mapping: each id with its grains, or accepted and cache');
  const { accepted, cache } = raw;
  if (isList(accepted)) return readEntry(accepted, isMap(cache) ? cache : {});
  const wrong = Object.keys(raw).find((id) => parseMinionId(id) === undefined);
  if (wrong !== undefined) return err(`'${wrong}' is no valid minion id`);
  const shape = Object.entries(raw).find(([, grains]) => grains !== null && !isMap(grains));
  if (shape !== undefined) return err(`the grains of ${shape[0]} are not a mapping`);
  const data = new Map(
    Object.entries(raw).flatMap(([id, grains]) => (isMap(grains) ? [[id, { grains, pillar: {} }] as const] : [])),
  );
  return ok(fleetOf(Object.keys(raw), data));
}

function readEntry(accepted: readonly Value[], cache: ValueMap): Result<Fleet, string> {
  const ids = accepted.filter((id) => typeof id === 'string');
  if (ids.length !== accepted.length) return err('accepted is a list of ids');
  const data = new Map(Object.entries(cache).map(([id, entry]) => [id, isMap(entry) ? dataIn(entry) : null] as const));
  return ok(fleetOf(ids, data));
}

function dataIn({ grains, pillar }: ValueMap): MinionData {
  return { grains: isMap(grains) ? grains : {}, pillar: isMap(pillar) ? pillar : {} };
}

export function fleetOf(
  ids: Iterable<string>,
  data: ReadonlyMap<string, MinionData | null> = new Map(),
  from: Fleet['from'] = 'given',
): Fleet {
  return { from, accepted: new Set(ids), dataOf: (id) => data.get(id), revision: 1 };
}

/** Ids that the rules name letter by letter: single words of targets, lists, node groups, and keys of `peer`. */
export function fleetOfRules(...views: readonly PolicyView[]): Fleet {
  const ids = views.flatMap((view) => [
    ...keyedLists(view).flatMap(({ list, section, key }) => [
      ...list.entries.flatMap(({ target, spec }) =>
        target === undefined || spec !== undefined ? [] : idsIn(target.text, view),
      ),
      ...(section === 'peer' || section === 'peer_run' ? [key.replaceAll('\\.', '.').replace(/\$$/, '')] : []),
    ]),
  ]);
  return fleetOf(new Set(ids.filter(isPlainId)), new Map(), 'rules');
}

/**
 * With what a target names letter by letter, as minions of which nothing else is known, where no inventory was given. Not where a rule
 * goes by data of minions: it would seem to leave out one that it may well mean.
 */
export function knowingIdsOf({ tgt, tgtType }: Target, fleet: Fleet, views: readonly PolicyView[]): Fleet {
  if (fleet.from === 'given' || !['glob', 'list'].includes(tgtType) || views.some(goesByData)) return fleet;
  const words = typeof tgt === 'string' ? tgt.split(tgtType === 'list' ? ',' : ' ') : tgt;
  return fleetOf(new Set([...fleet.accepted, ...words.filter(isPlainId)]), new Map(), fleet.from);
}

function goesByData(view: PolicyView): boolean {
  return keyedLists(view).some(({ list }) =>
    list.entries.some(({ target, spec }) => target !== undefined && spec === undefined && isOfData(target.text, view)),
  );
}

function isOfData(text: string, view: PolicyView): boolean {
  return splitWords(text).some((word) => {
    const { engine, pattern } = parseCompoundWord(word);
    if (engine !== 'N') return engine !== undefined && engine !== 'L' && engine !== 'E';
    return (expandNodeGroup(pattern, view.policy.nodegroups) ?? []).some(
      (inner) => !inner.startsWith('N@') && isOfData(inner, view),
    );
  });
}

function idsIn(text: string, view: PolicyView): readonly string[] {
  return splitWords(text).flatMap((word) => {
    const { engine, pattern } = parseCompoundWord(word);
    if (engine === undefined) return [word];
    if (engine === 'L') return pattern.split(',');
    const group = engine === 'N' ? expandNodeGroup(pattern, view.policy.nodegroups) : undefined;
    return (group ?? []).flatMap((inner) => (inner.startsWith('N@') ? [] : idsIn(inner, view)));
  });
}

function isPlainId(word: string): boolean {
  return /^[\w][\w.-]*$/u.test(word) && !['and', 'or', 'not'].includes(word) && parseMinionId(word) !== undefined;
}
