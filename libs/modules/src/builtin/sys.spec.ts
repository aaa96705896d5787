import { isMap } from '@natrium/model';
import type { Library, Param } from '../loader/declaration.js';
import { call } from '../testing/call-context.js';
import { builtinModules } from './index.js';

describe('sys.*', () => {
  it('documents every function of every module, with its usage', async () => {
    const { ret } = await call('sys.doc');
    const all = builtinModules.flatMap(({ name, functions }) => Object.keys(functions).map((fun) => `${name}.${fun}`));
    expect(Object.keys(isMap(ret) ? ret : {})).toEqual(all.sort());
    for (const [fun, text] of Object.entries(isMap(ret) ? ret : {})) expect(text).toContain(`\n\nUsage: ${fun}`);
  });

  it('documents what was asked for: a module, a function, a glob', async () => {
    expect(Object.keys((await call('sys.doc', ['test.ping'])).ret ?? {})).toEqual(['test.ping']);
    expect((await call('sys.list_functions', ['config'])).ret).toEqual([
      'config.dot_vals',
      'config.get',
      'config.items',
      'config.merge',
      'config.option',
      'config.valid_fileproto',
    ]);
    expect((await call('sys.list_functions', ['test.arg_*'])).ret).toEqual([
      'test.arg_clean',
      'test.arg_repr',
      'test.arg_type',
    ]);
    expect((await call('sys.list_modules', ['p*'])).ret).toEqual(['pillar', 'pkg', 'ps', 'publish']);
    expect((await call('sys.doc', ['nothing'])).ret).toEqual({});
    const docs = async (word: string) => Object.keys((await call('sys.doc', [word])).ret ?? {});
    expect(await docs('*est.pin*')).toEqual(['test.ping']);
    expect(await docs('test.')).toEqual(await docs('test'));
    expect(await docs('test.p')).toEqual([]);
  });

  it('tells the parameters as Salt does', async () => {
    expect((await call('sys.argspec', ['test.arg'])).ret).toEqual({
      'test.arg': { args: null, defaults: null, varargs: true, kwargs: true },
    });
    expect((await call('sys.argspec', ['publish.runner'])).ret).toEqual({
      'publish.runner': { args: ['fun', 'arg', 'timeout'], defaults: [null, 5], varargs: null, kwargs: null },
    });
  });
});

describe('of runners', () => {
  const params: readonly Param[] = [{ name: 'tgt', type: 'any', default: '*' }];
  const library: Library = {
    list: () => ['jobs.active', 'manage.down', 'manage.up'],
    doc: (fun) => `about ${fun}`,
    params: () => params,
    isOwn: () => false,
  };
  const told = async (fun: string, ...words: readonly string[]) =>
    (await call(`sys.${fun}`, words, { runners: () => Promise.resolve(library) })).ret;

  it('it tells those that are known here, as Salt does: lists of names, and maps by name', async () => {
    expect(await told('list_runners')).toEqual(['jobs', 'manage']);
    expect(await told('list_runners', 'j*')).toEqual(['jobs']);
    expect(await told('list_runner_functions')).toEqual(['jobs.active', 'manage.down', 'manage.up']);
    expect(await told('list_runner_functions', 'manage')).toEqual(['manage.down', 'manage.up']);
    expect(await told('runner_doc', 'manage.up', 'jobs')).toEqual({
      'jobs.active': 'about jobs.active',
      'manage.up': 'about manage.up',
    });
    const up = { args: ['tgt'], defaults: ['*'], varargs: null, kwargs: null };
    expect(await told('runner_argspec', 'manage.up')).toEqual({ 'manage.up': up });
  });

  it.each(['list_runners', 'list_runner_functions', 'runner_doc', 'runner_argspec'])(
    'it says where they are, where none are known: %s',
    async (fun) => {
      const { ret, success } = await call(`sys.${fun}`);
      expect({ ret, success }).toEqual({
        ret: 'ERROR: runners are on the master: natrium-run -d lists them',
        success: false,
      });
    },
  );
});

it('tells which returners there are', async () => {
  expect((await call('sys.list_returners', [], { returners: () => ['local_file'] })).ret).toEqual(['local_file']);
  expect((await call('sys.reload_modules')).ret).toBe(true);
});
