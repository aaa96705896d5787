/** The functions of `test` that show what a function gets. */
import { pyRepr, type Value, type ValueMap } from '@natrium/model';
import { ANYTHING } from '../loader/declaration.js';
import { fn } from '../minion-registry.js';
import { pythonType } from './python-type.js';

export const argumentFunctions = {
  echo: fn(
    { doc: 'Returns what it was given.', params: [{ name: 'text', type: 'any' }], examples: ["test.echo 'foo bar'"] },
    ({ text }) => text,
  ),
  arg: fn(
    {
      doc: 'Shows the arguments that the function got.',
      params: ANYTHING,
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
  arg_clean: fn({ doc: 'As test.arg, without what the minion adds.', params: ANYTHING }, ({ args, kwargs }) => ({
    args,
    kwargs: Object.fromEntries(Object.entries(kwargs).filter(([name]) => !name.startsWith('__'))),
  })),
  arg_type: fn({ doc: 'Shows the type of each argument.', params: ANYTHING }, ({ args, kwargs }) => ({
    args: args.map(typeText),
    kwargs: mapValues(kwargs, typeText),
  })),
  arg_repr: fn({ doc: "Shows the arguments in Python's notation.", params: ANYTHING }, ({ args, kwargs }) => ({
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
  return `<class '${pythonType(value)}'>`;
}
