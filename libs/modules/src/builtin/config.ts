/** `config.*`: this minion's configuration. What is named like a secret is not shown, whoever asks. */
import { isList, isMap, type Value, type ValueMap } from '@natrium/model';
import { defineModule } from '../loader/declaration.js';
import { fn } from '../minion-registry.js';
import { traverse, traverseOr } from './traverse.js';

const KEY = { name: 'key', type: 'str', doc: 'Name, nested with `:`.' } as const;
const DEFAULT = { name: 'default', type: 'any', default: '', doc: 'What to return when it is not there.' } as const;
const SECRET = /passw|secret|token|private|credential|_pass$|key_pass/i;

export const configModule = defineModule('config', {
  get: fn(
    {
      doc: 'One value: from the configuration, else from the grains, else from the pillar.',
      params: [KEY, DEFAULT],
      examples: ['config.get master'],
    },
    ({ key, default: otherwise }, { config, grains, pillar }) => {
      const places = [() => config, grains, pillar ?? (() => ({}))];
      for (const place of places) {
        const found = traverse(withoutSecrets(place()), key, ':');
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
    { doc: 'One value of the configuration alone.', params: [KEY, DEFAULT], examples: ['config.option cachedir'] },
    ({ key, default: otherwise }, { config }) => traverseOr(withoutSecrets(config), key, ':', otherwise),
  ),
  items: fn(
    { doc: 'The whole configuration, without secrets.', returns: 'a map', examples: ['config.items'] },
    (_, { config }) => withoutSecrets(config),
  ),
});

function withoutSecrets(map: ValueMap): ValueMap {
  return Object.fromEntries(
    Object.entries(map)
      .filter(([name]) => !SECRET.test(name))
      .map(([name, value]) => [name, cleaned(value)]),
  );
}

function cleaned(value: Value): Value {
  if (isMap(value)) return withoutSecrets(value);
  return isList(value) ? value.map(cleaned) : value;
}
