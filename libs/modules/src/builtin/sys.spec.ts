import { isMap } from '@natrium/model';
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

it('tells which returners there are, and where runners are', async () => {
  expect((await call('sys.list_returners', [], { returners: () => ['local_file'] })).ret).toEqual(['local_file']);
  expect((await call('sys.list_runners')).ret).toBe('ERROR: runners are on the master: natrium-run -d lists them');
  expect((await call('sys.reload_modules')).ret).toBe(true);
});
