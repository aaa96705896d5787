/** `sys.*`: what this minion can do, read from the declarations of its functions. */
import { pyStr, type Value, type ValueMap } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import { defineModule, type Library, type Param } from '../loader/declaration.js';
import { ExecutionError } from '../loader/errors.js';
import { isKwargs, isNamed, isRest } from '../loader/param-kinds.js';
import { matchesGlob } from '../loader/glob.js';
import { docsOf, selectFunctions } from '../loader/select-functions.js';
import { fn } from '../minion-registry.js';

const NAMES = [{ rest: 'module', doc: 'Modules or functions, as globs; all of them when none is given.' }] as const;
const BROUGHT = 'those that this version brings, where natrium-run -d lists all that the master has';

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
    ({ module }, _, library) => modulesOf(library, module),
  ),
  list_runners: fn(
    { doc: `The names of runner modules: ${BROUGHT}.`, params: NAMES, examples: ["sys.list_runners 'm*'"] },
    async ({ module }, context) => modulesOf(await runnersOf(context), module),
  ),
  list_runner_functions: fn(
    { doc: `The names of runners: ${BROUGHT}.`, params: NAMES, examples: ['sys.list_runner_functions manage'] },
    async ({ module }, context) => selectFunctions(await runnersOf(context), module),
  ),
  runner_doc: fn(
    {
      doc: `The documentation of runners: ${BROUGHT}.`,
      params: NAMES,
      examples: ['sys.runner_doc', 'sys.runner_doc manage.up'],
    },
    async ({ module }, context) => docsOf(await runnersOf(context), module),
  ),
  runner_argspec: fn(
    {
      doc: `The parameters of runners: ${BROUGHT}.`,
      params: NAMES,
      returns: 'a map as of sys.argspec',
      examples: ['sys.runner_argspec manage'],
    },
    async ({ module }, context) => argspecs(await runnersOf(context), module),
  ),
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
    ({ module }, _, library) => argspecs(library, module),
  ),
});

function none(doc: string) {
  return fn({ doc, params: [{ rest: 'args' }], returns: 'an empty list' }, () => []);
}

/** As in Salt: those of the minion's own installation. */
async function runnersOf({ runners }: CallContext): Promise<Library> {
  if (runners === undefined) throw new ExecutionError('runners are on the master: natrium-run -d lists them');
  return await runners();
}

function modulesOf(library: Library, globs: readonly Value[]): readonly string[] {
  const modules = [...new Set(library.list().map((fun) => fun.slice(0, fun.indexOf('.'))))];
  return modules.filter((name) => globs.length === 0 || globs.some((glob) => matchesGlob(pyStr(glob), name)));
}

function argspecs(library: Library, words: readonly Value[]): ValueMap {
  return Object.fromEntries(selectFunctions(library, words).map((fun) => [fun, argspec(library.params(fun) ?? [])]));
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
