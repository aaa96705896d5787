/** `grains.*`: what this host is, read from the grains that the agent gathered; what changes them is grains-set.ts. */
import { isList, isMap, pyStr, type Value, type ValueMap } from '@natrium/model';
import { defineModule } from '../loader/declaration.js';
import { fn } from '../minion-registry.js';
import { grainsSetters } from './grains-set.js';
import { traverse, traverseOr } from './traverse.js';

const DELIMITER = { name: 'delimiter', type: 'str', default: ':', doc: 'Between the keys of nested maps.' } as const;
const SANITIZE = {
  name: 'sanitize',
  type: 'bool',
  default: false,
  doc: 'Hide serial numbers, host name and domain.',
} as const;

export const grainsModule = defineModule('grains', {
  ...grainsSetters,
  items: fn(
    {
      doc: 'All grains of this minion.',
      params: [SANITIZE],
      examples: ['grains.items'],
    },
    ({ sanitize }, { grains }) => (sanitize ? sanitized(grains()) : grains()),
  ),
  item: fn(
    {
      doc: 'Some grains of this minion.',
      params: [
        { rest: 'args', doc: 'Names of grains, nested with the delimiter.' },
        { ...DELIMITER, keyword: true },
        { ...SANITIZE, keyword: true },
        { kwargs: 'kwargs', doc: '`default`: what to return for those that are not there.' },
      ],
      examples: ['grains.item os', 'grains.item os osrelease'],
    },
    ({ args, delimiter, sanitize, kwargs: { default: otherwise = '' } }, { grains }) => {
      const names = args.map(pyStr);
      const found = Object.fromEntries(names.map((key) => [key, traverseOr(grains(), key, delimiter, otherwise)]));
      return sanitize ? sanitized(found) : found;
    },
  ),
  get: fn(
    {
      doc: 'One grain of this minion.',
      params: [
        { name: 'key', type: 'str', doc: 'Name of the grain, nested with the delimiter.' },
        { name: 'default', type: 'any', default: '', doc: 'What to return when it is not there.' },
        DELIMITER,
        { name: 'ordered', type: 'bool', default: true, doc: 'Maps keep their order either way.' },
      ],
      examples: ['grains.get os', 'grains.get pkg:apache none'],
    },
    ({ key, default: otherwise, delimiter }, { grains }) => traverseOr(grains(), key, delimiter, otherwise),
  ),
  has_value: fn(
    {
      doc: 'Tells whether a grain is there and holds something.',
      params: [{ name: 'key', type: 'str' }],
      examples: ['grains.has_value pkg:apache'],
    },
    ({ key }, { grains }) => holdsSomething(traverse(grains(), key, ':')),
  ),
  ls: fn({ doc: 'The names of all grains.', examples: ['grains.ls'] }, (_, { grains }) => Object.keys(grains()).sort()),
  keys: fn({ doc: 'The same as grains.ls.' }, (_, { grains }) => Object.keys(grains()).sort()),
  equals: fn(
    {
      doc: 'Tells whether a grain has that value.',
      params: [
        { name: 'key', type: 'str' },
        { name: 'value', type: 'any' },
      ],
    },
    ({ key, value }, { grains }) => pyStr(value) === pyStr(traverse(grains(), key, ':') ?? ''),
  ),
});

const PRIVATE: ReadonlySet<string> = new Set([
  'serialnumber',
  'id',
  'master',
  'host',
  'domain',
  'fqdn',
  'nodename',
  'localhost',
  'uuid',
  'machine_id',
]);

function sanitized(grains: ValueMap): ValueMap {
  return Object.fromEntries(
    Object.entries(grains).map(([key, value]) => [
      key,
      PRIVATE.has(key) && typeof value === 'string' ? 'MINION' : value,
    ]),
  );
}

function holdsSomething(value: Value | undefined): boolean {
  if (isMap(value) || isList(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}
