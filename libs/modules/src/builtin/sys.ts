/** `sys.*`: what this minion can do, read from the declarations of its functions. */
import { pyStr, type ValueMap } from '@natrium/model';
import { defineModule, type Param } from '../loader/declaration.js';
import { ExecutionError } from '../loader/errors.js';
import { isKwargs, isNamed, isRest } from '../loader/param-kinds.js';
import { matchesGlob } from '../loader/glob.js';
import { docsOf, selectFunctions } from '../loader/select-functions.js';
import { fn } from '../minion-registry.js';

const NAMES = [{ rest: 'module', doc: 'Modules or functions, as globs; all of them when none is given.' }] as const;

export const sysModule = defineModule('sys', {
  doc: fn(
    {
      doc: 'The documentation of functions.',
      params: NAMES,
      examples: ['sys.doc', 'sys.doc test', "sys.doc test.ping 'cmd.*'"],
    },
    ({ module }, _, library) => docsOf(library, module),
  ),
  list_functions: fn(
    { doc: 'The names of functions.', params: NAMES, examples: ['sys.list_functions test'] },
    (args, _, library) => selectFunctions(library, args.module),
  ),
  list_modules: fn(
    { doc: 'The names of modules.', params: NAMES, examples: ["sys.list_modules 'p*'"] },
    (args, _, library) => {
      const modules = [...new Set(library.list().map(moduleOf))];
      return modules.filter(
        (name) => args.module.length === 0 || args.module.some((glob) => matchesGlob(pyStr(glob), name)),
      );
    },
  ),
  list_runner_functions: elsewhere('natrium-run -d'),
  list_runners: elsewhere('natrium-run -d'),
  list_returners: fn(
    { doc: 'The names of returners that this minion has.', returns: 'a list', examples: ['sys.list_returners'] },
    (_, { returners }) => [...(returners?.() ?? [])],
  ),
  list_state_modules: none('There are no states here, so the list is empty.'),
  list_renderers: none('There are no renderers here, so the list is empty.'),
  reload_modules: fn(
    {
      doc: 'Answers true: your own modules are loaded anew by themselves, whenever a file of module_dirs changes.',
      returns: 'true',
      examples: ['sys.reload_modules'],
    },
    () => true,
  ),
  argspec: fn(
    {
      doc: 'The parameters of functions.',
      params: NAMES,
      returns: 'a map by function: names, defaults, and whether further arguments are taken',
      examples: ['sys.argspec test.echo'],
    },
    ({ module }, _, library) =>
      Object.fromEntries(selectFunctions(library, module).map((fun) => [fun, argspec(library.params(fun) ?? [])])),
  ),
});

function none(doc: string) {
  return fn({ doc, params: [{ rest: 'args' }], returns: 'an empty list' }, () => []);
}

function elsewhere(command: string) {
  return fn({ doc: `Runners are on the master: ${command} lists them.` }, () => {
    throw new ExecutionError(`runners are on the master: ${command} lists them`);
  });
}

function moduleOf(fun: string): string {
  return fun.slice(0, fun.indexOf('.'));
}

function argspec(params: readonly Param[]): ValueMap {
  const named = params.filter(isNamed);
  const defaults = named.flatMap((param) => (param.default === undefined ? [] : [param.default]));
  return {
    args: named.length === 0 ? null : named.map((param) => param.name),
    defaults: defaults.length === 0 ? null : defaults,
    varargs: params.some(isRest) ? true : null,
    kwargs: params.some(isKwargs) ? true : null,
  };
}
