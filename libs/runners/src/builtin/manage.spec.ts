import { Float, refusal } from '@natrium/model';
import { aMaster, run } from '../testing/runner-call.js';

const cluster = { accepted: ['web2', 'db1', 'web1'], connected: ['web2', 'web1', 'stranger'] };

describe('manage.*', () => {
  it.each([
    ['status', { up: ['web1', 'web2'], down: ['db1'] }],
    ['up', ['web1', 'web2']],
    ['down', ['db1']],
    ['present', ['web1', 'web2']],
    ['not_present', ['db1']],
    ['joined', ['web1', 'web2']],
    ['not_allowed', ['db1']],
    ['not_alived', ['db1']],
  ])('manage.%s tells it sorted, of accepted minions only, and publishes nothing', async (name, ret) => {
    const master = aMaster(cluster);
    expect(await run(`manage.${name}`, [], master)).toEqual({ ret, retcode: 0, success: true, notes: [] });
    expect(master.published).toEqual([]);
  });

  it('asks for the minions of a target', async () => {
    const master = aMaster(cluster);
    await run('manage.up', ['web*', { __kwarg__: true, tgt_type: 'compound' }], master);
    await run('manage.up', [['web1', 'web2'], 'list'], master);
    await run('manage.status', [{ __kwarg__: true, tgt: null }], master);
    expect(master.targets).toEqual([
      { tgt: 'web*', tgtType: 'compound' },
      { tgt: ['web1', 'web2'], tgtType: 'list' },
      { tgt: '*', tgtType: 'glob' },
    ]);
    expect((await run('manage.present', [['web1', 'db1']], aMaster(cluster))).ret).toEqual(['web1']);
  });

  it.each([
    ['as long as Salt does by default', [], 15],
    ['as long as is said', [{ __kwarg__: true, timeout: '2', gather_job_timeout: 0.5 }], 2.5],
    ['as long as is said and set', [{ __kwarg__: true, gather_job_timeout: 60 }], 65],
    ['by default where 0 is said, as in Salt', [{ __kwarg__: true, timeout: 0, gather_job_timeout: 0 }], 15],
    ['by default where nothing is in it', [{ __kwarg__: true, timeout: '', gather_job_timeout: new Float(0) }], 15],
  ])('waits for a minion that is connected and says nothing %s', async (_about, args, seconds) => {
    const master = aMaster(cluster);
    for (const name of ['status', 'up', 'down']) await run(`manage.${name}`, args, master);
    expect(master.waits).toEqual([seconds, seconds, seconds]);
  });

  it.each([
    [60, [], 15],
    [10, [], 9],
    [4, [], 3],
    [2, [], 1],
    [4, [{ __kwarg__: true, timeout: 7 }], 17],
  ])(
    'of %i seconds that it may take waits for the silent ones so long that it still answers, unless it is told to wait: %j',
    async (seconds, args, silent) => {
      const master = aMaster({ accepted: ['web1'], connected: [] });
      for (const name of ['up', 'down', 'status']) await run(`manage.${name}`, args, master, {}, seconds);
      expect(master.waits).toEqual([silent, silent, silent]);
    },
  );

  it('manage.down takes removekeys first, as in Salt, and removes none', async () => {
    const master = aMaster(cluster);
    expect((await run('manage.down', [false, 'web*', 'compound'], master)).ret).toEqual(['db1']);
    expect(master.targets).toEqual([{ tgt: 'web*', tgtType: 'compound' }]);
  });

  it.each([true, { __kwarg__: true, removekeys: true }])('manage.down refuses removekeys: %j', async (arg) => {
    const master = aMaster(cluster);
    const outcome = await run('manage.down', [arg], master);
    expect(outcome).toMatchObject({ success: false, fault: 'failed' });
    expect(outcome.ret).toContain('manage.down removes no keys');
    expect(master.targets).toEqual([]);
  });

  it.each(['bootstrap', 'bootstrap_psexec', 'safe_accept', 'key_regen'])(
    'says that manage.%s is not here',
    async (name) => {
      const outcome = await run(`manage.${name}`, ['web9'], aMaster(cluster));
      expect(outcome).toMatchObject({ success: false, retcode: 1 });
      expect(outcome.ret).toContain(`manage.${name} is not here`);
    },
  );

  it('sorts who is not there as Salt does: as keys are, whatever their case', async () => {
    const mixed = aMaster({ accepted: ['Web2', 'db1', 'Alpha', 'DB1'], connected: [] });
    expect((await run('manage.not_present', [], mixed)).ret).toEqual(['Alpha', 'DB1', 'db1', 'Web2']);
    expect((await run('manage.down', [], mixed)).ret).toEqual(['Alpha', 'DB1', 'Web2', 'db1']);
    const there = aMaster({ accepted: ['Web2', 'db1'], connected: ['Web2', 'db1'] });
    expect((await run('manage.present', [], there)).ret).toEqual(['Web2', 'db1']);
  });

  it('knows no addresses, and says so', async () => {
    const outcome = await run('manage.present', [{ __kwarg__: true, show_ip: true }], aMaster(cluster));
    expect(outcome).toMatchObject({ success: false });
    expect(outcome.ret).toContain('no show_ip');
  });
});

describe('manage.versions', () => {
  const told = (ret: string) => ({ ret, retcode: 0 });

  it('groups the minions under Salt’s headings', async () => {
    const returns = { web1: told('Natrium-0.1.0'), web2: told('Natrium-0.0.9'), web3: told('Natrium-0.10.0') };
    const accepted = ['web1', 'web2', 'web3', 'db1'];
    const master = aMaster({
      accepted,
      answer: { type: 'answered', returns, absent: [{ id: 'db1', why: 'not_connected' }] },
    });
    expect((await run('manage.versions', [], master)).ret).toEqual({
      Master: 'Natrium-0.1.0',
      'Up to date': { web1: 'Natrium-0.1.0' },
      'Minion requires update': { web2: 'Natrium-0.0.9' },
      'Minion newer than master': { web3: 'Natrium-0.10.0' },
      'Minion offline': { db1: false },
    });
    expect(master.published).toMatchObject([{ tgt: '*', fun: 'test.version', timeout: 5 }]);
  });

  it('counts as offline who failed to tell its version, and nobody where all have told it', async () => {
    const ask = async (retcode: number) => {
      const returns = { web1: { ret: 'Natrium-0.1.0', retcode } };
      const answer = { type: 'answered', returns, absent: [] } as const;
      return (await run('manage.versions', [], aMaster({ accepted: ['web1'], answer }))).ret;
    };
    expect(await ask(1)).toEqual({ Master: 'Natrium-0.1.0', 'Minion offline': { web1: false } });
    expect(await ask(0)).toEqual({ Master: 'Natrium-0.1.0', 'Up to date': { web1: 'Natrium-0.1.0' } });
  });

  it('counts as offline who tells what is no version for its length: the others’ are told', async () => {
    const [longest, tooLong] = [`Natrium-0.1.0${'+'.repeat(243)}`, 'x'.repeat(257)];
    const returns = { web1: told(longest), web2: told(tooLong) };
    const answer = { type: 'answered', returns, absent: [] } as const;
    const { ret } = await run('manage.versions', [], aMaster({ accepted: ['web1', 'web2'], answer }));
    expect(ret).toMatchObject({ 'Up to date': { web1: longest }, 'Minion offline': { web2: false } });
    expect(JSON.stringify(ret)).not.toContain(tooLong);
  });

  it('shows a refusal as its sentence, and fails', async () => {
    const denied = refusal('not_permitted', 'runner manage.versions may not run test.version on *');
    const outcome = await run('manage.versions', [], aMaster({ answer: { type: 'refused', refusal: denied } }));
    expect(outcome).toMatchObject({ ret: denied.sentence, retcode: 1, refusal: denied });
  });
});
