/** Targets by themselves: `target`, `compound`, `nodegroup`, `data_match`. */
import {
  compileDataExpression,
  type Inventory,
  matchesSelf,
  nodeGroupWords,
  parseTarget,
  readNodeGroups,
  resolve,
} from '@natrium/matchers';
import { isList, type Target, toPlain } from '@natrium/model';
import { listOf, type PlainMap, textOf, valueOf } from '../corpus.js';
import { type Family, strayIds, targetOf } from './family.js';

const DATA_TYPES: ReadonlySet<string> = new Set([
  'grain',
  'grain_pcre',
  'pillar',
  'pillar_pcre',
  'pillar_exact',
  'ipcidr',
]);

export const target: Family = ({ config, request }, inventory) => {
  const asked = targetOf(request);
  // Natrium's master always has its data. These cases ask what is meant when it has none.
  const hasNoData = config['minion_data_cache'] === false && DATA_TYPES.has(asked.tgtType);
  const onlyCached = request['greedy'] === false;
  if (!hasNoData) {
    const { missing, ...others } = resolved(asked, config, inventory, onlyCached);
    return { ...others, missing: [...listOf(missing), ...strayIds(request).map((id) => toPlain(id))] };
  }
  // Without its cache the original does not even read the expression.
  const minions = onlyCached ? [] : [...inventory.accepted];
  return { ...resolved(asked, config, { ...inventory, dataOf: () => undefined }, onlyCached), minions };
};

function resolved(asked: Target, config: PlainMap, inventory: Inventory, onlyCached: boolean): PlainMap {
  const parsed = parseTarget(asked, { nodegroups: readNodeGroups(valueOf(config['nodegroups'])) });
  if (!parsed.ok) return { minions: [], missing: [], minion_side: [], invalid: parsed.error.reason };
  const { minions, missing } = resolve(parsed.value, inventory, onlyCached ? 'cached' : 'greedy');
  const side = [...inventory.accepted].filter((id) => {
    const data = inventory.dataOf(id);
    return data !== null && data !== undefined && matchesSelf(parsed.value, id, data);
  });
  const invalid = parsed.value.problems[0]?.reason;
  return {
    minions: [...minions],
    missing: [...missing],
    minion_side: side,
    ...(invalid === undefined ? {} : { invalid }),
  };
}

export const nodegroup: Family = ({ config, request }, inventory) => {
  const name = textOf(request['name']);
  const groups = readNodeGroups(valueOf(config['nodegroups']));
  const definition = groups.get(name);
  // The original answers an empty text for a name that means neither text nor a list, and fails on what it cannot read.
  const words = typeof definition === 'string' || isList(definition) ? nodeGroupWords(name, groups) : '';
  return {
    ...resolved({ tgt: name, tgtType: 'nodegroup' }, config, inventory, false),
    expanded: words === undefined ? null : typeof words === 'string' ? words : words.map((word) => toPlain(word)),
  };
};

export const dataMatch: Family = ({ request }) => {
  const { mode = 'glob', delimiter = ':' } = request;
  const kind = mode === 'pcre' || mode === 'exact' ? mode : 'glob';
  return {
    match: compileDataExpression(textOf(request['expr']), kind, textOf(delimiter)).test(valueOf(request['data'])),
  };
};
