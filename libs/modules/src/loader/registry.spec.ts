import { knownArguments } from './bind-arguments.js';
import { type Value } from '@natrium/model';
import { aCall } from '../testing/call-context.js';
import { fn, minionRegistry } from '../minion-registry.js';
import { defineModule } from './declaration.js';
import { ExecutionError, InvocationError } from './errors.js';
import { executeSeveral } from './execute-several.js';
import { reply } from './reply.js';

const tryModule = defineModule('try', {
  ping: fn({ doc: 'Answers.' }, () => true),
  two: fn(
    {
      doc: 'Takes two.',
      params: [
        { name: 'a', type: 'int' },
        { name: 'b', type: 'str', default: 'x' },
      ],
    },
    ({ a, b }) => [a, b],
  ),
  any: fn({ doc: 'Takes any.', params: [{ rest: 'args' }, { kwargs: 'kwargs' }] }, ({ args, kwargs }) => ({
    args,
    kwargs,
  })),
  only: fn(
    { doc: 'By name.', params: [{ name: 'flag', type: 'bool', default: false, keyword: true }] },
    ({ flag }) => flag,
  ),
  fails: fn({ doc: 'Fails.', params: [{ name: 'how', type: 'str' }] }, ({ how }): Value => {
    if (how === 'invocation') throw new InvocationError('makes no sense');
    if (how === 'execution') throw new ExecutionError('did not work');
    throw new RangeError('a defect');
  }),
  rejects: fn({ doc: 'Fails later.' }, async () => Promise.reject(new Error('later'))),
  hangs: fn({ doc: 'Never ends.' }, async () => new Promise<Value>(() => undefined)),
  code: fn({ doc: 'Has a retcode.' }, () => reply('seven', { retcode: 7, notes: ['it was seven'] })),
  state: fn({ doc: 'Says that it failed.' }, () => ({ result: false })),
});
const registry = minionRegistry([tryModule]);
const run = (fun: string, ...sent: Value[]) => registry.execute(fun, sent, aCall());

describe('the registry', () => {
  it('runs a function and says that all is well', async () => {
    expect(await run('try.ping')).toEqual({ ret: true, retcode: 0, success: true, notes: [] });
  });

  it('answers for a function that is not there, and for names of JavaScript’s own', async () => {
    for (const fun of ['x.y', 'try.nope', 'try', 'try.constructor', '__proto__.x', '']) {
      expect(await run(fun)).toMatchObject({
        ret: `'${fun}' is not available.`,
        retcode: 1,
        success: false,
        fault: 'unavailable',
      });
    }
  });

  it.each([
    ['try.ping', [1], 'ping() takes 0 positional arguments but 1 was given'],
    ['try.two', [], "two() missing 1 required positional argument: 'a'"],
    ['try.two', [1, 2, 3], 'two() takes from 1 to 2 positional arguments but 3 were given'],
    ['try.two', [1, { __kwarg__: true, a: 2 }], "two() got multiple values for argument 'a'"],
    ['try.two', ['abc'], "two() argument 'a' must be a whole number"],
    ['try.two', [1, ['no text']], "two() argument 'b' must be text"],
    ['try.only', [true], 'only() takes 0 positional arguments but 1 was given'],
  ])('answers wrong arguments of %s %j in Python’s words, with the usage', async (fun, sent, words) => {
    const outcome = await registry.execute(fun, sent, aCall());
    expect(outcome).toMatchObject({ retcode: 1, success: false, fault: 'arguments' });
    expect(outcome.ret).toContain(`Passed invalid arguments to ${fun}: ${words}\n`);
    expect(outcome.ret).toContain(`Usage: ${fun}`);
  });

  it('answers names that the function does not have as Salt does', async () => {
    expect((await run('try.two', 1, { __kwarg__: true, c: 'd' })).ret).toBe(
      "ERROR executing 'try.two': The following keyword arguments are not valid: c=d",
    );
  });

  it.each([
    ['try.two', [1, { __kwarg__: true, b: 2, c: 'd' }], [1, { __kwarg__: true, b: 2 }]],
    ['try.two', [1, { __kwarg__: true, c: 'd' }], [1]],
    ['try.any', [1, { __kwarg__: true, c: 'd' }], [1, { __kwarg__: true, c: 'd' }]],
  ])('leaves out what %s does not know, where that is asked for: %j', (fun, sent, known) => {
    expect(knownArguments(registry.params(fun) ?? [], sent)).toEqual(known);
  });

  it('binds by position and by name, fills defaults, and reads numbers as the text that was meant', async () => {
    expect((await run('try.two', '5')).ret).toEqual([5, 'x']);
    expect((await run('try.two', { __kwarg__: true, b: 7, a: 1 })).ret).toEqual([1, '7']);
    expect((await run('try.only', { __kwarg__: true, flag: true })).ret).toBe(true);
  });

  it('does not parse what it was given again: what was approved is what runs', async () => {
    expect((await run('try.any', 'a=1', '[1, 2]')).ret).toMatchObject({ args: ['a=1', '[1, 2]'] });
  });

  it.each([
    ['invocation', "ERROR executing 'try.fails': makes no sense", 'failed'],
    ['execution', 'ERROR: did not work', 'failed'],
    ['defect', 'The minion function caused an exception: RangeError: a defect', 'exception'],
  ])('turns a thrown error (%s) into an answer', async (how, ret, fault) => {
    expect(await run('try.fails', how)).toEqual({
      ...{ ret, retcode: 1, success: false, notes: [], out: 'nested', fault },
      problem: { sentence: ret.replace(/^(ERROR|The minion)[^:]*: /, '') },
    });
  });

  it('answers for a function that rejects later', async () => {
    expect((await run('try.rejects')).ret).toBe('The minion function caused an exception: Error: later');
  });

  it('ends a function that hangs when its signal aborts, and starts none when it has', async () => {
    const controller = new AbortController();
    const running = registry.execute('try.hangs', [], aCall({ signal: controller.signal }));
    controller.abort('terminated by web9');
    expect(await running).toMatchObject({
      ret: "'try.hangs' was ended: terminated by web9",
      retcode: 1,
      fault: 'aborted',
    });
    expect(await registry.execute('try.ping', [], aCall({ signal: controller.signal }))).toMatchObject({
      fault: 'aborted',
    });
  });

  it('makes no signal for a function that answers at once, where the call says by itself whether it was ended', async () => {
    let isEnded = false;
    let signals = 0;
    const controller = new AbortController();
    const asked = Object.defineProperties(aCall(), {
      isEnded: { get: () => isEnded },
      signal: { get: () => ((signals += 1), controller.signal) },
    });
    expect(await registry.execute('try.ping', [], asked)).toMatchObject({ ret: true });
    expect(signals).toBe(0);
    isEnded = true;
    controller.abort('terminated by web9');
    expect(await registry.execute('try.ping', [], asked)).toMatchObject({
      ret: "'try.ping' was ended: terminated by web9",
      fault: 'aborted',
    });
  });

  it('carries a function’s own retcode and notes', async () => {
    expect(await run('try.code')).toEqual({ ret: 'seven', retcode: 7, success: false, notes: ['it was seven'] });
  });

  it('counts a map that says result: False as failed', async () => {
    expect(await run('try.state')).toMatchObject({ ret: { result: false }, retcode: 1, success: false });
  });

  it('tells functions with **kwargs of their job, and lets nobody else claim to be one', async () => {
    const job = { tgt: '*', tgtType: 'glob', ret: '' };
    const asked = aCall({ job, caller: { kind: 'minion', name: 'web2' } });
    const outcome = await registry.execute('try.any', [1, { __kwarg__: true, __pub_user: 'root', a: 'b' }], asked);
    const kwargs = {
      a: 'b',
      __pub_id: 'web2',
      __pub_fun: 'try.any',
      __pub_jid: '20260101000000000001',
      __pub_tgt: '*',
    };
    expect(outcome.ret).toMatchObject({ args: [1], kwargs });
    expect(outcome.ret).not.toHaveProperty('kwargs.__pub_user');
    expect(outcome.ret).toHaveProperty('kwargs.__pub_arg', [1, { a: 'b', __pub_user: 'root' }]);
  });

  it('names the account that asked as the user, and no minion', async () => {
    const job = { tgt: '*', tgtType: 'glob', ret: '' };
    const outcome = await registry.execute('try.any', [], aCall({ job, caller: { kind: 'account', name: 'root' } }));
    expect(outcome.ret).toMatchObject({ kwargs: { __pub_user: 'root' } });
    expect(outcome.ret).not.toHaveProperty('kwargs.__pub_id');
  });

  it('refuses two modules that declare one function, and replaces a module whole when asked to', async () => {
    const other = defineModule('try', { ping: fn({ doc: 'Other.' }, () => 'other') });
    expect(() => minionRegistry([tryModule, other])).toThrow('two modules declare try.ping');
    const replaced = registry.with([other]);
    expect(replaced.list()).toEqual(['try.ping']);
    expect((await replaced.execute('try.ping', [], aCall())).ret).toBe('other');
  });

  it('runs several functions each with its own arguments; the worst retcode counts', async () => {
    const outcome = await executeSeveral(
      registry,
      [
        ['try.two', [1]],
        ['try.code', []],
        ['no.such', []],
        ['try.ping', []],
      ],
      aCall(),
    );
    expect(outcome.ret).toEqual({
      'try.two': [1, 'x'],
      'try.code': 'seven',
      'no.such': "'no.such' is not available.",
      'try.ping': true,
    });
    expect(outcome).toMatchObject({ retcode: 7, success: false, notes: ['it was seven'] });
  });
});
