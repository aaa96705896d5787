/** `grains.*`: what this host is, read from the grains that the agent gathered; what changes them is grains-set.ts. */
import { pyStr, type ValueMap } from '@natrium/model';
import { defineModule } from '../loader/declaration.js';
import { fn } from '../minion-registry.js';
import { grainsFilterBy } from './grains-filter.js';
import { grainsSetters } from './grains-set.js';
import { DELIMITER, traverse, traverseOr } from './traverse.js';

const SANITIZE = {
  name: 'sanitize',
  type: 'bool',
  default: false,
  doc: 'Hide serial numbers, host name and domain.',
} as const;

const get = fn(
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
);

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
  get,
  fetch: get,
  filter_by: grainsFilterBy,
  has_value: fn(
    {
      doc: 'Tells whether a grain is there, whatever it holds.',
      params: [{ name: 'key', type: 'str' }],
      examples: ['grains.has_value pkg:apache'],
    },
    ({ key }, { grains }) => traverse(grains(), key, ':') !== undefined,
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
    ({ key, value }, { grains }) => pyStr(value) === pyStr(traverseOr(grains(), key, ':', '')),
  ),
});

/** As Salt hides them. Diverges: also what else tells one host from another (compat/divergences.md). */
const HIDDEN: Readonly<Record<string, string>> = {
  domain: 'DOMAINNAME',
  fqdn: 'MINION.DOMAINNAME',
  id: 'MINION.DOMAINNAME',
  host: 'MINION',
  localhost: 'MINION',
  nodename: 'MINION',
  master: 'MINION',
  uuid: 'MINION',
  machine_id: 'MINION',
};

function sanitized(grains: ValueMap): ValueMap {
  const hidden = Object.entries(HIDDEN).filter(([key]) => Object.hasOwn(grains, key));
  const { serialnumber: serial } = grains;
  const number = typeof serial === 'string' ? { serialnumber: withoutEnd(serial) } : {};
  return { ...grains, ...number, ...Object.fromEntries(hidden) };
}

/** The last quarter of its characters as `X`. */
function withoutEnd(text: string): string {
  const shown = Math.floor(text.length * 0.75);
  return text.slice(0, shown) + 'X'.repeat(text.length - shown);
}
