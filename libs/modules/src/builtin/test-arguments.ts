/** The functions of `test` that show what a function gets. */
import { Float, isList, pyRepr, type Value, type ValueMap } from '@natrium/model';
import { fn } from '../minion-registry.js';

const ANY = [{ rest: 'args' }, { kwargs: 'kwargs' }] as const;

export const argumentFunctions = {
  echo: fn(
    { doc: 'Returns what it was given.', params: [{ name: 'text', type: 'any' }], examples: ["test.echo 'foo bar'"] },
    ({ text }) => text,
  ),
  arg: fn(
    {
      doc: 'Shows the arguments that the function got.',
      params: ANY,
      examples: ["test.arg 1 'two' 3.1 txt=hello wow='{a: 1}'"],
    },
    ({ args, kwargs }) => ({ args, kwargs }),
  ),
  kwarg: fn(
    {
      doc: 'Shows the named arguments that the function got.',
      params: [{ kwargs: 'kwargs' }],
      examples: ['test.kwarg num=1 txt=two'],
    },
    ({ kwargs }) => kwargs,
  ),
  arg_clean: fn({ doc: 'As test.arg, without what the minion adds.', params: ANY }, ({ args, kwargs }) => ({
    args,
    kwargs: Object.fromEntries(Object.entries(kwargs).filter(([name]) => !name.startsWith('__'))),
  })),
  arg_type: fn({ doc: 'Shows the type of each argument.', params: ANY }, ({ args, kwargs }) => ({
    args: args.map(typeText),
    kwargs: mapValues(kwargs, typeText),
  })),
  arg_repr: fn({ doc: "Shows the arguments in Python's notation.", params: ANY }, ({ args, kwargs }) => ({
    args: tupleText(args),
    kwargs: pyRepr(kwargs),
  })),
};

function mapValues(map: ValueMap, read: (value: Value) => Value): ValueMap {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, read(value)]));
}

function tupleText(args: readonly Value[]): string {
  return `(${args.map(pyRepr).join(', ')}${args.length === 1 ? ',' : ''})`;
}

function typeText(value: Value): string {
  return `<class '${typeName(value)}'>`;
}

function typeName(value: Value): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  if (value instanceof Float) return 'float';
  return isList(value) ? 'list' : 'dict';
}
