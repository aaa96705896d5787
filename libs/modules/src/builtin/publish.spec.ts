import { refusal, type Value } from '@natrium/model';
import type { MasterPort, PublishAnswer, PublishAsk, RunnerAnswer, RunnerAsk } from '../master-port.js';
import { call, named } from '../testing/call-context.js';

class FakeMaster implements MasterPort {
  readonly asked: (PublishAsk | RunnerAsk)[] = [];
  constructor(
    private readonly answer: PublishAnswer,
    private readonly run: RunnerAnswer = { type: 'answered', ret: ['web1'], retcode: 0 },
    readonly masters: readonly string[] = ['nats://10.0.0.1:4222', 'nats://10.0.0.2:4222'],
  ) {}

  publish(ask: PublishAsk): Promise<PublishAnswer> {
    this.asked.push(ask);
    return Promise.resolve(this.answer);
  }

  runner(ask: RunnerAsk): Promise<RunnerAnswer> {
    this.asked.push(ask);
    return Promise.resolve(this.run);
  }
}

const ANSWERED: PublishAnswer = {
  type: 'answered',
  jid: '20260101000000000009',
  returns: { web1: { ret: true, retcode: 0 }, web2: { ret: 'x', retcode: 0, out: 'nested' } },
  absent: [],
};
const DENIED = refusal('not_permitted', 'minion web1 may not run cmd.run on *');

describe('publish.publish', () => {
  it('sends what was asked and returns what came, by minion', async () => {
    const master = new FakeMaster(ANSWERED);
    expect(await call('publish.publish', ['*', 'test.ping'], { master })).toEqual({
      ret: { web1: true, web2: 'x' },
      retcode: 0,
      success: true,
      notes: [],
    });
    expect(master.asked).toEqual([
      { tgt: '*', fun: 'test.ping', arg: [], tgtType: 'glob', returner: '', timeout: 5, form: 'clean', noParse: [] },
    ]);
  });

  it('reads one text argument as YAML, and a comma makes no second one', async () => {
    const cases: readonly [Value, readonly Value[]][] = [
      ['a,b', ['a,b']],
      ['[1, b]', [1, 'b']],
      ['', ['']],
      [null, []],
      [20, [20]],
    ];
    for (const [arg, sent] of cases) {
      const master = new FakeMaster(ANSWERED);
      await call('publish.publish', ['*', 'test.arg', arg], { master });
      expect(master.asked[0]?.arg).toEqual(sent);
    }
  });

  it.each(['tgt_type', 'expr_form'])('takes the kind of target as %s', async (name) => {
    const master = new FakeMaster(ANSWERED);
    await call('publish.publish', ['web* and not G@os:Ubuntu', 'test.version', named({ [name]: 'compound' })], {
      master,
    });
    expect(master.asked[0]).toMatchObject({ tgtType: 'compound' });
  });

  it('refuses to publish what publishes, and sends nothing', async () => {
    const master = new FakeMaster(ANSWERED);
    const outcome = await call('publish.publish', ['*', 'publish.publish'], { master });
    expect(outcome).toMatchObject({ retcode: 1, success: false, refusal: { code: 'recursive_publish' } });
    expect(master.asked).toEqual([]);
  });

  it('shows a refusal as its sentence, and fails', async () => {
    const outcome = await call('publish.publish', ['*', 'cmd.run', 'id'], {
      master: new FakeMaster({ type: 'refused', refusal: DENIED }),
    });
    expect(outcome).toMatchObject({ ret: DENIED.sentence, retcode: 1, success: false, refusal: DENIED });
  });

  it('names who is missing and why, and is not successful without them', async () => {
    const absent = [
      { id: 'db1', why: 'not_connected' },
      { id: 'db2', why: 'running' },
      { id: 'db3', why: 'refused', sentence: 'already ran' },
      { id: 'db4', why: 'no_answer', sentence: 'it was there and is gone' },
    ] as const;
    const outcome = await call('publish.publish', ['*', 'test.ping'], {
      master: new FakeMaster({ ...ANSWERED, absent, missing: ['db9'] }),
    });
    expect(outcome).toMatchObject({ ret: { web1: true, web2: 'x' }, retcode: 1, success: false });
    expect(outcome.notes).toEqual([
      'there is no minion db9',
      'minion db1 is not connected',
      'minion db2 is still running, jid 20260101000000000009',
      'minion db3 refused: already ran',
      'minion db4 did not answer: it was there and is gone, jid 20260101000000000009',
    ]);
  });

  it('is not successful when the function failed somewhere', async () => {
    const returns = { web1: { ret: "'x.y' is not available.", retcode: 1 } };
    const outcome = await call('publish.publish', ['*', 'x.y'], {
      master: new FakeMaster({ type: 'answered', returns, absent: [] }),
    });
    expect(outcome).toMatchObject({ retcode: 1, notes: ['minion web1 failed with retcode 1'] });
  });

  it('says that nobody was meant', async () => {
    const outcome = await call('publish.publish', ['x*', 'test.ping'], {
      master: new FakeMaster({ type: 'answered', returns: {}, absent: [] }),
    });
    expect(outcome).toMatchObject({ ret: {}, retcode: 1, notes: ['No minion matched x*: nothing was run.'] });
  });

  it('says that the gateway did not answer', async () => {
    const outcome = await call('publish.publish', ['*', 'test.ping'], { master: new FakeMaster({ type: 'timeout' }) });
    expect(outcome).toMatchObject({ ret: "'test.ping' publish timed out", retcode: 1 });
  });

  it('sends nothing and says so when there is no master', async () => {
    expect(await call('publish.publish', ['*', 'test.ping'])).toMatchObject({ ret: {}, retcode: 1, success: false });
  });

  it('takes any configured master for the one that was chosen, and sends nothing when there is no such one', async () => {
    const master = new FakeMaster(ANSWERED, undefined, ['nats://a:1', 'nats://b:1']);
    await call('publish.publish', ['*', 'test.ping', named({ via_master: 'b' })], { master });
    expect(master.asked).toMatchObject([{ fun: 'test.ping' }]);
    const none = await call('publish.publish', ['*', 'test.ping', named({ via_master: 'c' })], { master });
    expect(none.ret).toContain("ERROR executing 'publish.publish': Could not find match for c");
    expect(master.asked).toHaveLength(1);
  });

  it('answers a timeout that is text only when somebody is missing, as the original', async () => {
    const sent = ['*', 'test.ping', named({ timeout: '5' })];
    expect((await call('publish.publish', sent, { master: new FakeMaster(ANSWERED) })).success).toBe(true);
    const absent = [{ id: 'db1', why: 'no_answer' }] as const;
    const outcome = await call('publish.publish', sent, { master: new FakeMaster({ ...ANSWERED, absent }) });
    expect(outcome).toMatchObject({ fault: 'exception', success: false });
  });
});

describe('publish.full_data', () => {
  it('returns each minion’s return with its outputter', async () => {
    const outcome = await call('publish.full_data', ['*', 'test.ping'], { master: new FakeMaster(ANSWERED) });
    expect(outcome.ret).toEqual({ web1: { ret: true }, web2: { ret: 'x', out: 'nested' } });
  });
});

describe('publish.runner', () => {
  it('returns the runner’s answer unchanged, with its retcode', async () => {
    const master = new FakeMaster(ANSWERED, { type: 'answered', ret: 'bad', retcode: 1 });
    expect(await call('publish.runner', ['manage.up', '[1]'], { master })).toMatchObject({ ret: 'bad', retcode: 1 });
    expect(master.asked).toEqual([{ fun: 'manage.up', arg: [1], timeout: 5, noParse: [] }]);
  });

  it('shows a refusal as its sentence, and a silent gateway as Salt does', async () => {
    const denied = new FakeMaster(ANSWERED, { type: 'refused', refusal: DENIED });
    expect(await call('publish.runner', ['manage.up'], { master: denied })).toMatchObject({
      retcode: 1,
      refusal: DENIED,
    });
    const silent = new FakeMaster(ANSWERED, { type: 'timeout' });
    expect(await call('publish.runner', ['manage.up'], { master: silent })).toMatchObject({
      ret: "'manage.up' runner publish timed out",
      retcode: 1,
    });
  });

  it('says that there is no master', async () => {
    const outcome = await call('publish.runner', ['manage.up']);
    expect(outcome).toMatchObject({ retcode: 1, success: false });
    expect(outcome.ret).toContain('No access to master.');
  });
});
