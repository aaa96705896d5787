import { Float } from '@natrium/model';
import { call, named } from '../testing/call-context.js';

describe('test.*', () => {
  it.each([
    ['ping', true],
    ['true', true],
    ['false', false],
    ['none', null],
    ['version', 'Natrium-0.1.0'],
    ['not_loaded', []],
  ])('test.%s answers %j', async (name, ret) => {
    expect(await call(`test.${name}`)).toEqual({ ret, retcode: 0, success: true, notes: [] });
  });

  it('shows the arguments that it got', async () => {
    const sent = [1, 'two', named({ txt: 'hello' })];
    expect((await call('test.arg', sent)).ret).toMatchObject({ args: [1, 'two'], kwargs: { txt: 'hello' } });
    expect((await call('test.arg_clean', sent)).ret).toEqual({ args: [1, 'two'], kwargs: { txt: 'hello' } });
    expect((await call('test.kwarg', [named({ a: 1 })])).ret).toMatchObject({ a: 1, __pub_fun: 'test.kwarg' });
    expect((await call('test.arg_repr', ['one'])).ret).toMatchObject({ args: "('one',)" });
    const typed = await call('test.arg_type', [1, 1.5, new Float(1), 'a', null, true, [], {}]);
    const types = ['int', 'float', 'float', 'str', 'NoneType', 'bool', 'list', 'dict'].map(
      (name) => `<class '${name}'>`,
    );
    expect(typed.ret).toMatchObject({ args: types });
    expect((await call('test.echo', ['foo bar'])).ret).toBe('foo bar');
    expect((await call('test.outputter', [{ a: [] }])).ret).toEqual({ a: [] });
  });

  it('fails when asked to, in each way', async () => {
    expect(await call('test.retcode', [3])).toMatchObject({ ret: true, retcode: 3, success: false });
    expect(await call('test.retcode', [0])).toMatchObject({ ret: true, retcode: 0, success: true });
    expect((await call('test.exception', ['Oh no'])).ret).toBe(
      'The minion function caused an exception: Exception: Oh no',
    );
    for (const nothing of [null, 0, '', [], {}]) expect((await call('test.assertion', [nothing])).retcode).toBe(1);
    expect((await call('test.assertion', [false])).ret).toBe(
      "ERROR executing 'test.assertion': the assertion does not hold",
    );
    expect((await call('test.stack')).ret).toContain('at ');
  });

  it('counts', async () => {
    expect((await call('test.collatz', [3])).ret).toMatchObject([[3, 10, 5, 16, 8, 4, 2], expect.anything()]);
    expect((await call('test.fib', [7])).ret).toMatchObject([13, expect.anything()]);
    expect((await call('test.fib', [100])).ret).toMatchObject([354224848179261915075n, expect.anything()]);
    expect((await call('test.random_hash', [10, 'md5'])).ret).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each([
    ['collatz', 0],
    ['fib', -1],
    ['fib', 1_000_000],
    ['sleep', -1],
    ['sleep', 1e12],
  ])('refuses test.%s of %d instead of working for ever', async (name, number) => {
    expect(await call(`test.${name}`, [number])).toMatchObject({ fault: 'failed', success: false });
  });

  it('sleeps, and wakes when the job is ended', async () => {
    expect((await call('test.sleep', [0.001])).ret).toBe(true);
    const controller = new AbortController();
    const sleeping = call('test.sleep', [60], { signal: controller.signal });
    controller.abort();
    expect(await sleeping).toMatchObject({ fault: 'aborted', success: false });
  });

  it('shows the configuration without its secrets', async () => {
    const outcome = await call('test.get_opts');
    expect(outcome.ret).toMatchObject({ id: 'web1', join_password: '******' });
    expect(JSON.stringify((await call('test.opts_pkg')).ret)).not.toContain('canary');
    const config = { mail: { user: 'natrium', smtp_password: 'canary' }, hooks: [{ token: 'canary' }] };
    const { ret } = await call('test.get_opts', [], { config });
    expect(ret).toEqual({ mail: { user: 'natrium', smtp_password: '******' }, hooks: [{ token: '******' }] });
  });

  it.each(['try_', 'try', 'cross_test', 'provider'])(
    'has no test.%s: it would run other functions under this permission',
    async (name) => {
      expect(await call(`test.${name}`, ['cmd.run'])).toMatchObject({ fault: 'unavailable' });
    },
  );

  it('names its modules and versions', async () => {
    expect((await call('test.providers')).ret).toMatchObject({ test: 'test', cmd: 'cmd' });
    expect((await call('test.versions_information')).ret).toMatchObject({ 'Natrium Version': { Natrium: '0.1.0' } });
    expect((await call('test.versions_report')).ret).toContain('Natrium Version:\n         Natrium: 0.1.0');
  });
});
