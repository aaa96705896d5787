/** Rules of `salt.execute`: it asks like other runners, and fails where a return is missing. */
import { refusal, type Value, type ValueMap } from '@natrium/model';
import type { PublishAnswer } from '@natrium/modules';
import { builtinRunners } from './index.js';
import { runnerRegistry } from '../runner-registry.js';
import { aMaster, run } from '../testing/runner-call.js';

const named = (map: ValueMap): ValueMap => ({ __kwarg__: true, ...map });
const told = (ret: string, retcode = 0) => ({ ret, retcode });
const answering = (answer: Partial<Extract<PublishAnswer, { type: 'answered' }>>) =>
  aMaster({ answer: { type: 'answered', returns: {}, absent: [], ...answer } });

it('publishes nothing without a rule of the operator’s', () => {
  expect(runnerRegistry(builtinRunners).grants()).not.toHaveProperty(['salt.execute']);
});

it('tells by minion what each has returned', async () => {
  const master = answering({ returns: { web1: told('a'), web2: told('b') } });
  const outcome = await run('salt.execute', ['web*', 'pkg.version', ['bash']], master);
  expect(outcome).toMatchObject({ ret: { web1: 'a', web2: 'b' }, retcode: 0, success: true });
  expect(master.published).toMatchObject([
    { tgt: 'web*', tgtType: 'glob', fun: 'pkg.version', arg: ['bash'], returner: '', timeout: 5 },
  ]);
});

it('tells what the others have returned beside one whose return no answer carries', async () => {
  const nested = (levels: number): Value => (levels === 0 ? 1 : [nested(levels - 1)]);
  const returns = { web1: told('a'), web2: { ret: nested(23), retcode: 0 }, web3: { ret: nested(22), retcode: 0 } };
  const { ret, retcode } = await run('salt.execute', ['web*', 'test.echo'], answering({ returns }));
  expect([ret, retcode]).toEqual([{ web1: 'a', web2: '[cut: nested too deeply to be shown]', web3: nested(22) }, 0]);
});

it('takes Salt’s arguments in Salt’s order', async () => {
  const master = answering({ returns: { web1: told('a') } });
  await run('salt.execute', [['web1'], 'test.arg', '1', 9, 'list', 'local_file', '', { a: 1 }], master);
  await run('salt.execute', ['web1', 'test.arg', named({ kwarg: { a: 1 }, timeout: 0 })], master);
  expect(master.published).toMatchObject([
    { tgt: ['web1'], tgtType: 'list', arg: ['1', named({ a: 1 })], returner: 'local_file', timeout: 9 },
    { tgt: 'web1', tgtType: 'glob', arg: [named({ a: 1 })], returner: '', timeout: 5 },
  ]);
});

it.each([
  ['is silent', { returns: { web1: told('a') }, absent: [{ id: 'web2', why: 'no_answer' }] }],
  ['does not exist', { returns: { web1: told('a') }, missing: ['web2'] }],
  ['has failed', { returns: { web1: told('a', 1) } }],
] as const)('has failed where a minion %s, and tells the others’ returns', async (_, answer) => {
  expect(await run('salt.execute', ['*', 'test.ping'], answering(answer))).toMatchObject({
    ret: { web1: 'a' },
    retcode: 1,
  });
});

it('says why nothing was run', async () => {
  expect(await run('salt.execute', ['gone', 'test.ping'], answering({}))).toMatchObject({
    ret: 'No minion matched gone: nothing was run.',
    retcode: 1,
  });
  const denied = refusal('not_permitted', 'runner salt.execute may not run it: no rule permits it');
  const refusing = aMaster({ answer: { type: 'refused', refusal: denied } });
  expect(await run('salt.execute', ['*', 'cmd.run', 'id'], refusing)).toMatchObject({
    ret: denied.sentence,
    retcode: 1,
    refusal: denied,
  });
  expect(await run('salt.execute', ['*', 'test.ping'])).toMatchObject({
    ret: "'test.ping' publish timed out",
    retcode: 1,
  });
});

it.each([
  ['jid', '20261120112404639750', 'nobody chooses under which id a job is kept'],
  ['kwarg', 'a=1', "kwarg is a map, not 'a=1'"],
])('refuses a %s that it cannot take, and publishes nothing', async (name, value, why) => {
  const master = answering({});
  const outcome = await run('salt.execute', ['*', 'test.ping', named({ [name]: value })], master);
  expect(outcome.success).toBe(false);
  expect(outcome.ret).toContain(why);
  expect(master.published).toEqual([]);
});
