/** `pillar.*`: what the master keeps for this minion alone, as it came with the last exchange. Nothing here asks for it anew. */
import { isList, isMap, pyStr, type Value, type ValueMap } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import { defineModule } from '../loader/declaration.js';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import { fn } from '../minion-registry.js';
import { pythonType } from './python-type.js';
import { DELIMITER, traverse, traverseOr } from './traverse.js';

const ENVIRONMENT = { type: 'str', default: null, doc: 'None or base: a minion has one pillar.' } as const;
const REST = { rest: 'args', doc: 'Only these, named as for pillar.item.' } as const;
const KWARGS = { kwargs: 'kwargs', doc: 'Salt’s other options; they change nothing here.' } as const;
const ALL = { params: [REST, KWARGS] } as const;

const get = fn(
  {
    doc: 'One value of the pillar of this minion.',
    params: [
      { name: 'key', type: 'str', doc: 'Name, nested with the delimiter; empty for all.' },
      { name: 'default', type: 'any', default: '', doc: 'What to return when it is not there.' },
      { name: 'merge', type: 'bool', default: false, doc: 'Refused: the default is not merged into what is there.' },
      { name: 'merge_nested_lists', type: 'any', default: null, doc: 'Means something with merge only.' },
      DELIMITER,
      { ...ENVIRONMENT, name: 'pillarenv' },
      { ...ENVIRONMENT, name: 'saltenv' },
    ],
    examples: ['pillar.get role', 'pillar.get db:user nobody'],
  },
  ({ key, default: otherwise, merge, delimiter, pillarenv, saltenv }, context) => {
    if (merge) throw new InvocationError('merge is not built: pillar.get returns what is there or the default');
    const other = [pillarenv, saltenv].find((name) => name !== null && name !== 'base');
    if (other !== undefined)
      throw new InvocationError(`there is no pillar of ${String(other)} alone: a minion has one, of all environments`);
    return key === '' ? all(context) : traverseOr(all(context), key, delimiter, otherwise);
  },
);

export const pillarModule = defineModule('pillar', {
  items: fn(
    { doc: 'The whole pillar of this minion, or some of it.', ...ALL, examples: ['pillar.items', 'pillar.items role'] },
    ({ args }, context) => allOr(args, context),
  ),
  data: fn({ doc: 'The same as pillar.items.', ...ALL }, ({ args }, context) => allOr(args, context)),
  ls: fn({ doc: 'The names at the top of the pillar.', ...ALL, examples: ['pillar.ls'] }, ({ args }, context) =>
    Object.keys(allOr(args, context)),
  ),
  obfuscate: fn(
    {
      doc: 'The whole pillar with the kind of each value in its place.',
      ...ALL,
      returns: 'maps and lists as they are, `<str>`, `<int>` and so on in them',
      examples: ['pillar.obfuscate'],
    },
    ({ args }, context) => obfuscated(allOr(args, context)),
  ),
  item: fn(
    {
      doc: 'Some of the pillar of this minion.',
      params: [{ rest: 'args', doc: 'Names, nested with the delimiter.' }, { ...DELIMITER, keyword: true }, KWARGS],
      examples: ['pillar.item role', 'pillar.item role db:user'],
    },
    ({ args, delimiter, kwargs: { default: otherwise = '' } }, context) => some(args, delimiter, otherwise, context),
  ),
  get,
  fetch: get,
  keys: fn(
    {
      doc: 'The names in one map of the pillar.',
      params: [{ name: 'key', type: 'str', doc: 'Name of the map, nested with the delimiter.' }, DELIMITER],
      examples: ['pillar.keys db'],
    },
    ({ key, delimiter }, context) => {
      const found = traverse(all(context), key, delimiter);
      if (found === undefined) throw new ExecutionError(`Pillar key not found: ${key}`);
      if (!isMap(found)) throw new ExecutionError(`Pillar value in key ${key} is not a dict`);
      return Object.keys(found);
    },
  ),
  raw: fn(
    {
      doc: 'The pillar as this minion holds it, or one of its values.',
      params: [{ name: 'key', type: 'str', default: '', doc: 'A name at the top, never nested.' }],
      returns: 'an empty map when it is not there',
      examples: ['pillar.raw', 'pillar.raw role'],
    },
    ({ key }, context) => {
      const pillar = all(context);
      if (key === '') return pillar;
      return Object.hasOwn(pillar, key) ? (pillar[key] ?? null) : {};
    },
  ),
});

function all({ pillar }: CallContext): ValueMap {
  return pillar?.() ?? {};
}

function some(names: readonly Value[], delimiter: string, otherwise: Value, context: CallContext): ValueMap {
  const pillar = all(context);
  return Object.fromEntries(names.map(pyStr).map((key) => [key, traverseOr(pillar, key, delimiter, otherwise)]));
}

function allOr(names: readonly Value[], context: CallContext): ValueMap {
  return names.length === 0 ? all(context) : some(names, ':', '', context);
}

function obfuscated(value: Value): Value {
  if (isList(value)) return value.map(obfuscated);
  if (isMap(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, obfuscated(item)]));
  return `<${pythonType(value)}>`;
}
