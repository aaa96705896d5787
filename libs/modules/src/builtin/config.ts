/** `config.*`: this minion's configuration. What is named like a secret is not shown, whoever asks. */
import { isList, isMap, isTrue, type Value, type ValueMap } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import { defineModule } from '../loader/declaration.js';
import { InvocationError } from '../loader/errors.js';
import { matchesGlob } from '../loader/glob.js';
import { fn } from '../minion-registry.js';
import { isSecretName } from './secret-names.js';
import { DELIMITER, traverse } from './traverse.js';

const KEY = { name: 'key', type: 'str', doc: 'Name, nested with the delimiter.' } as const;
const DEFAULT = { name: 'default', type: 'any', default: '', doc: 'What to return when it is not there.' } as const;
const OMIT_OPTS = { name: 'omit_opts', type: 'bool', default: false, doc: 'Pass over the configuration.' } as const;
const OMIT_GRAINS = { name: 'omit_grains', type: 'bool', default: false, doc: 'Pass over the grains.' } as const;
const OMIT_PILLAR = { name: 'omit_pillar', type: 'bool', default: false, doc: 'Pass over the pillar.' } as const;
const OMIT_MASTER = {
  name: 'omit_master',
  type: 'bool',
  default: false,
  doc: 'Changes nothing: no minion has the configuration of its master.',
} as const;

export const configModule = defineModule('config', {
  get: fn(
    {
      doc: 'One value: from the configuration, else from the grains, else from the pillar.',
      params: [
        KEY,
        DEFAULT,
        DELIMITER,
        { name: 'merge', type: 'any', default: null, doc: 'Refused: the places are not merged here.' },
        OMIT_OPTS,
        OMIT_PILLAR,
        OMIT_MASTER,
        OMIT_GRAINS,
      ],
      examples: ['config.get master', 'config.get pkg:apache omit_grains=True'],
    },
    ({ key, default: otherwise, delimiter, merge, ...omitted }, context) => {
      if (merge !== null) throw new InvocationError('merge is not built: ask for each place alone, with omit_*');
      for (const place of places(omitted, context)) {
        const found = traverse(place(), key, delimiter);
        if (found !== undefined) return found;
      }
      return otherwise;
    },
  ),
  dot_vals: fn(
    {
      doc: 'All values of the configuration whose names begin with a word and a dot.',
      params: [{ name: 'value', type: 'str' }],
      returns: 'a map',
      examples: ['config.dot_vals host'],
    },
    ({ value }, { config }) =>
      Object.fromEntries(Object.entries(withoutSecrets(config)).filter(([name]) => name.startsWith(`${value}.`))),
  ),
  valid_fileproto: fn(
    {
      doc: 'Tells whether a file may be named by a URI of this kind.',
      params: [{ name: 'uri', type: 'str' }],
      returns: 'False: files travel inside of requests only',
    },
    () => false,
  ),
  option: fn(
    {
      doc: 'One value by its whole name: from the configuration, else from the grains, else from the pillar.',
      params: [
        { name: 'value', type: 'str', doc: 'Name, never nested; with wildcard a glob.' },
        { name: 'default', type: 'any', default: null, doc: 'What to return when it is not there.' },
        OMIT_OPTS,
        OMIT_GRAINS,
        OMIT_PILLAR,
        OMIT_MASTER,
        { name: 'omit_all', type: 'bool', default: false, doc: 'Pass over all of them.' },
        { name: 'wildcard', type: 'bool', default: false, doc: 'All values whose names match, as a map.' },
      ],
      returns: 'the value; unless default says otherwise an empty text, or map, when there is none',
      examples: ['config.option cachedir', "config.option 'log_*' wildcard=True omit_pillar=True"],
    },
    ({ value: name, default: given, wildcard, omit_all: omitsAll, ...omitted }, context) => {
      const maps = omitsAll ? [] : places(omitted, context).map((place) => place());
      if (wildcard) return matching(name, maps) ?? given ?? {};
      const first = maps.find((map) => Object.hasOwn(map, name));
      return first === undefined ? (given ?? '') : (first[name] ?? null);
    },
  ),
  merge: fn(
    {
      doc: 'One value by its whole name, from the configuration and the pillar: maps and lists of both as one.',
      params: [
        { name: 'value', type: 'str', doc: 'Name, never nested.' },
        DEFAULT,
        OMIT_OPTS,
        OMIT_MASTER,
        OMIT_PILLAR,
      ],
      returns:
        'of one name in two maps the value in the configuration; else what is found first; default when that is empty',
      examples: ['config.merge mine_functions'],
    },
    ({ value: name, default: otherwise, ...omitted }, context) => {
      const maps = places({ ...omitted, omit_grains: true }, context).map((place) => place());
      const found = maps.flatMap((map) => (Object.hasOwn(map, name) ? [map[name] ?? null] : []));
      const value = found.reduce((first, next) => together(first, next), null);
      return isTrue(value) ? value : otherwise;
    },
  ),
  items: fn(
    { doc: 'The whole configuration, without secrets.', returns: 'a map', examples: ['config.items'] },
    (_, { config }) => withoutSecrets(config),
  ),
});

interface Omitted {
  readonly omit_opts: boolean;
  readonly omit_grains: boolean;
  readonly omit_pillar: boolean;
}

/** Where a value is looked for, the first that has it wins; nowhere is a secret. */
function places(omitted: Omitted, { config, grains, pillar }: CallContext): readonly (() => ValueMap)[] {
  return [
    ...(omitted.omit_opts ? [] : [() => withoutSecrets(config)]),
    ...(omitted.omit_grains ? [] : [() => withoutSecrets(grains())]),
    ...(omitted.omit_pillar ? [] : [() => withoutSecrets(pillar?.() ?? {})]),
  ];
}

function together(first: Value, next: Value): Value {
  if (first === null) return next;
  if (isMap(first) && isMap(next)) return { ...next, ...first };
  return isList(first) && isList(next) ? [...first, ...next] : first;
}

/** All of the maps whose names match, of one name the first; undefined when there is none. */
function matching(glob: string, maps: readonly ValueMap[]): ValueMap | undefined {
  const found = maps.toReversed().flatMap((map) => Object.entries(map).filter(([name]) => matchesGlob(glob, name)));
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function withoutSecrets(map: ValueMap): ValueMap {
  return Object.fromEntries(
    Object.entries(map)
      .filter(([name]) => !isSecretName(name))
      .map(([name, value]) => [name, cleaned(value)]),
  );
}

function cleaned(value: Value): Value {
  if (isMap(value)) return withoutSecrets(value);
  return isList(value) ? value.map(cleaned) : value;
}
