import type { Value } from '@natrium/model';
import { builtinRunners, runnerRegistry } from './index.js';
import { run } from './testing/runner-call.js';

describe('runners', () => {
  it('get their arguments, and their caller from nowhere but the run', async () => {
    expect((await run('test.arg', [1, { __kwarg__: true, a: 'b', __pub_user: 'root' }])).ret).toEqual({
      args: [1],
      kwargs: { a: 'b' },
    });
    const hidden = [{ __kwarg__: true, a: 'b', __c: 1 }];
    expect((await run('test.arg', hidden)).ret).toEqual({ args: [], kwargs: { a: 'b' } });
    expect((await run('test.raw_arg', hidden)).ret).toEqual({ args: [], kwargs: { a: 'b', __c: 1 } });
    expect((await run('test.caller')).ret).toEqual({ kind: 'minion', name: 'web1' });
    expect((await run('test.echo', ['x'])).ret).toBe('x');
    expect((await run('test.sleep', [0])).ret).toBe(true);
  });

  it('have Salt’s own defaults', async () => {
    const words = async (...args: readonly Value[]) => (await run('test.metasyntactic', args)).ret;
    expect(await words()).toEqual(expect.arrayContaining(['foo', 'waldo', 'thud']));
    expect(await words({ __kwarg__: true, locality: 'uk' })).toEqual(['wibble', 'wobble', 'wubble', 'flob']);
    expect(await words('fr')).toBeNull();
    expect(runnerRegistry(builtinRunners).params('test.sleep')).toMatchObject([{ name: 's_time', default: 10 }]);
  });

  it('answer wrong arguments in Salt’s words for runners', async () => {
    const outcome = await run('jobs.lookup_jid');
    expect(outcome).toMatchObject({ retcode: 1, success: false });
    expect(outcome.ret).toMatch(
      /^\nPassed invalid arguments: lookup_jid\(\) missing 1 required positional argument: 'jid'\n\nUsage:\n/,
    );
    expect((await run('manage.up', [{ __kwarg__: true, x: 1 }])).ret).toMatch(
      /^\nPassed invalid arguments: The following keyword/,
    );
  });

  it('that fail say which, and one that is not there says so', async () => {
    expect((await run('test.exception', ['Oh'])).ret).toBe(
      'Exception occurred in runner test.exception: CommandExecutionError: Oh',
    );
    expect((await run('no.such')).ret).toBe("'no.such' is not available.");
  });

  it('are documented', async () => {
    expect(Object.keys((await run('doc.runner', ['doc.runner'])).ret ?? {})).toEqual(['doc.runner']);
    expect(Object.values((await run('doc.runner', ['manage.up'])).ret ?? {})).toEqual([
      expect.stringContaining('natrium-run manage.up'),
    ]);
    expect(Object.keys((await run('doc.wheel', ['minions'])).ret ?? {})).toEqual(['minions.connected']);
    expect(Object.keys((await run('doc.execution', ['test.ping'])).ret ?? {})).toEqual(['test.ping']);
  });

  it('publish nothing by default but what reads', () => {
    const { 'survey.hash': hash = [], 'survey.diff': diff, ...others } = runnerRegistry(builtinRunners).grants();
    expect(others).toEqual({ 'manage.versions': ['test.version'] });
    expect(diff).toEqual(hash);
    const patterns = hash.filter((pattern) => typeof pattern === 'string');
    const permits = (fun: string) => patterns.some((pattern) => new RegExp(`^(?:${pattern})`).test(fun));
    expect(['test.ping', 'grains.get', 'pkg.version'].filter((fun) => !permits(fun))).toEqual([]);
    expect(['cmd.run', 'grains.set', 'grains.getx', 'pkg.install', 'state.apply'].filter(permits)).toEqual([]);
  });
});
