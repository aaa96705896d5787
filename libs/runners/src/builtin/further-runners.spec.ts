/** Rules of the runners that read: caches, settings, surveys, and functions on the master's own host. */
import { refusal } from '@natrium/model';
import { withDifferences } from '../survey-differences.js';
import { aMaster, run } from '../testing/runner-call.js';

const named = (map: Readonly<Record<string, string>>) => ({ __kwarg__: true, ...map });

describe('cache.*', () => {
  it.each(['grains', 'pillar'] as const)('asks the authority for the %s of a target', async (what) => {
    const master = aMaster({ cached: { web1: { os: 'Debian' } } });
    expect((await run(`cache.${what}`, ['web*'], master)).ret).toEqual({ web1: { os: 'Debian' } });
    await run(`cache.${what}`, [['web1'], named({ tgt_type: 'list' })], master);
    await run(`cache.${what}`, [null], master);
    expect(master.asked).toEqual([
      [what, { tgt: 'web*', tgtType: 'glob' }],
      [what, { tgt: ['web1'], tgtType: 'list' }],
      [what, { tgt: '*', tgtType: 'glob' }],
    ]);
    expect(master.published).toEqual([]);
  });

  it('says that the mine is for minions, and reads none', async () => {
    const master = aMaster();
    const { ret, success } = await run('cache.mine', ['*', named({ tgt_type: 'glob' })], master);
    expect(success).toBe(false);
    expect(ret).toContain('cache.mine is not here');
    expect(master.asked).toEqual([]);
  });
});

describe('error.error', () => {
  it('fails as it is told to, and without a name does not', async () => {
    expect(await run('error.error')).toMatchObject({ ret: {}, success: true });
    const failed = await run('error.error', [named({ name: 'Exception', message: 'This is an error.' })]);
    expect(failed).toMatchObject({
      ret: 'Exception occurred in runner error.error: Exception: This is an error.',
      success: false,
    });
  });
});

describe('of Salt’s runners that have no meaning here', () => {
  it.each([
    ['cache.clear_grains', 'saltutil.refresh_grains'],
    ['cache.clear_pillar', 'saltutil.refresh_pillar'],
    ['cache.clear_all', 'gives way to what they tell next'],
    ['cache.clear_mine', 'mine.flush'],
    ['cache.clear_mine_func', 'mine.delete'],
    ['cache.clear_git_lock', 'nothing is fetched with git'],
    ['cache.fetch', 'no banks of data'],
    ['jobs.master', 'jobs.lookup_jid'],
    ['mine.get', 'they keep for minions'],
    ['mine.update', "natrium '*' mine.update"],
    ['reactor.add', 'the section reactor of the master file'],
    ['reactor.delete', 'the section reactor of the master file'],
    ['reactor.is_leader', 'one of them claims each reaction'],
    ['reactor.set_leader', 'one of them claims each reaction'],
    ['auth.mk_token', 'natrium -T'],
    ['auth.del_token', 'natriumctl token revoke'],
  ])('%s says why, and does nothing', async (fun, why) => {
    const master = aMaster({ cached: { web1: { os: 'Debian' } } });
    const { ret, success } = await run(fun, ['*', named({ tgt_type: 'glob' })], master);
    expect(success).toBe(false);
    expect(ret).toContain(`${fun} is not here: `);
    expect(ret).toContain(why);
    expect([master.asked, master.published, master.filters]).toEqual([[], [], []]);
  });
});

describe('pillar.*', () => {
  it.each(['show_pillar', 'show_top'])('%s says where pillar is told, and tells none', async (name) => {
    const master = aMaster({ cached: { web1: { password: 's3cret' } } });
    const { ret, success } = await run(`pillar.${name}`, ['web1'], master);
    expect(success).toBe(false);
    expect(ret).toContain(`pillar.${name} is not here: cache.pillar tells`);
    expect(master.asked).toEqual([]);
  });
});

describe('survey.*', () => {
  const told = (ret: string) => ({ ret, retcode: 0 });
  const answer = {
    type: 'answered',
    returns: { web2: told('a\nb\nc'), web1: told('a\nb\nc'), db1: told('a\nx\nc\nd') },
    absent: [{ id: 'db2', why: 'not_connected' }],
  } as const;

  it('says so when nobody is meant', async () => {
    const nobody = { type: 'answered', returns: {}, absent: [] } as const;
    expect(await run('survey.hash', ['gone', 'test.ping'], aMaster({ answer: nobody }))).toMatchObject({
      ret: 'No minion matched gone: nothing was run.',
      retcode: 1,
    });
  });

  it('has who has not returned in a pool as well, as Salt does, and who refused with its reason', async () => {
    const absent = [
      { id: 'db2', why: 'no_answer', sentence: 'not told' },
      { id: 'db3', why: 'refused', sentence: 'the grant has expired' },
    ] as const;
    const pools = [
      { pool: ['web1', 'web2'], result: 'a\nb\nc' },
      { pool: ['db1'], result: 'a\nx\nc\nd' },
      { pool: ['db2'], result: 'False' },
      { pool: ['db3'], result: 'the grant has expired' },
    ];
    const asked = await run('survey.hash', ['*', 'test.ping'], aMaster({ answer: { ...answer, absent } }));
    expect(asked).toMatchObject({ ret: pools, retcode: 0 });
    const ghost = { ...answer, returns: { web1: told('x') }, absent: [], missing: ['ghost'] } as const;
    expect(await run('survey.hash', ['L@web1,ghost', 'test.ping'], aMaster({ answer: ghost }))).toMatchObject({
      ret: [
        { pool: ['ghost'], result: 'False' },
        { pool: ['web1'], result: 'x' },
      ],
      retcode: 1,
    });
  });

  it('waits as long as the master’s timeout says', async () => {
    const master = aMaster({ answer });
    await run('survey.hash', ['*', 'test.ping'], master, { timeout: 30 });
    expect(master.published).toMatchObject([{ timeout: 30 }]);
  });

  it('groups the minions by what they returned, the largest pool first', async () => {
    const master = aMaster({ answer: { ...answer, absent: [] } });
    const outcome = await run('survey.hash', ['*', 'grains.get', 'os', named({ default: 'x' })], master);
    expect(outcome.ret).toEqual([
      { pool: ['web1', 'web2'], result: 'a\nb\nc' },
      { pool: ['db1'], result: 'a\nx\nc\nd' },
    ]);
    expect(master.published).toMatchObject([
      { tgt: '*', tgtType: 'compound', fun: 'grains.get', arg: ['os', named({ default: 'x' })] },
    ]);
    const up = await run('survey.hash', ['*', 'test.ping', named({ survey_sort: 'up' })], aMaster({ answer }));
    expect(up.ret).toMatchObject([{ pool: ['db1'] }, { pool: ['db2'] }, { pool: ['web1', 'web2'] }]);
  });

  it('tells how the others differ from the first', async () => {
    const { ret } = await run('survey.diff', ['*', 'test.ping'], aMaster({ answer: { ...answer, absent: [] } }));
    expect(ret).toEqual([
      { pool: ['web1', 'web2'], result: 'a\nb\nc' },
      {
        pool: ['db1'],
        result: 'a\nx\nc\nd',
        diff: '--- web1\n+++ db1\n@@ -2 +2 @@\n-b\n+x\n@@ -3,0 +4 @@\n+d',
      },
    ]);
  });

  it('tells of nothing at all no line, as Python’s difflib', async () => {
    const returns = { web1: told(''), web2: told(''), db1: told('x') };
    const { ret } = await run(
      'survey.diff',
      ['*', 'test.ping'],
      aMaster({ answer: { ...answer, returns, absent: [] } }),
    );
    expect(ret).toMatchObject([{ result: '' }, { diff: '--- web1\n+++ db1\n@@ -0,0 +1 @@\n+x' }]);
  });

  describe('when the differences are more than one answer carries', () => {
    /** Each of so many others tells all of it anew. */
    const differing = (others: number) => {
      const alike = told('x'.repeat(1 << 20));
      const returns = Object.fromEntries(Array.from({ length: others }, (_, n) => [`db${String(n)}`, told(String(n))]));
      return aMaster({ answer: { ...answer, returns: { web1: alike, web2: alike, ...returns }, absent: [] } });
    };

    it('says so, and survey.hash tells the pools', async () => {
      expect((await run('survey.diff', ['*', 'test.ping'], differing(5))).ret).toHaveLength(6);
      const { ret, success } = await run('survey.diff', ['*', 'test.ping'], differing(7));
      expect(success).toBe(false);
      expect(ret).toContain('more than 7 MiB: survey.hash tells the pools alone');
      expect((await run('survey.hash', ['*', 'test.ping'], differing(7))).ret).toHaveLength(8);
    });
  });

  it('compares no more once its time is over', async () => {
    const pools = [
      { pool: ['web1'], result: 'a' },
      { pool: ['web2'], result: 'b' },
    ];
    await expect(withDifferences(pools, AbortSignal.abort())).rejects.toThrow('aborted');
  });

  it('lets others have their turn between two comparisons', async () => {
    const returns = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((id) => [id, told(id)]));
    const master = aMaster({ answer: { ...answer, returns, absent: [] } });
    let turns = 0;
    const count = () => {
      turns += 1;
      again = setImmediate(count);
    };
    let again = setImmediate(count);
    const { ret } = await run('survey.diff', ['*', 'test.ping'], master);
    clearImmediate(again);
    expect(ret).toHaveLength(5);
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  it('shows a refusal as its sentence, and fails', async () => {
    const denied = refusal('not_permitted', 'runner survey.hash may not run cmd.run on *');
    const outcome = await run(
      'survey.hash',
      ['*', 'cmd.run', 'id'],
      aMaster({ answer: { type: 'refused', refusal: denied } }),
    );
    expect(outcome).toMatchObject({ ret: denied.sentence, retcode: 1, refusal: denied });
  });
});

describe('salt.cmd', () => {
  it('runs what reads on the host of the runner', async () => {
    expect((await run('salt.cmd', ['test.ping'])).ret).toBe(true);
    expect((await run('salt.cmd', ['test.ping', { __kwarg__: true, with_pillar: true }])).ret).toBe(true);
    expect((await run('salt.cmd', ['grains.get', 'os'])).ret).toBe('Debian');
    expect((await run('salt.cmd', ['grains.get', 'x', named({ default: 'none' })])).ret).toBe('none');
  });

  it.each(['cmd.run', 'test.sleep', 'test.fib', 'grains.set', 'pillar.items', 'publish.publish', 'constructor'])(
    'refuses %s',
    async (fun) => {
      const outcome = await run('salt.cmd', [fun, '1']);
      expect(outcome).toMatchObject({ success: false, fault: 'failed' });
      expect(outcome.ret).toContain(`salt.cmd does not run ${fun}`);
    },
  );
});

describe('reactor.list', () => {
  it('tells the reactions as the master file says them', async () => {
    const reactor = [{ 'salt/minion/*/start': [{ hello: { 'local.test.ping': [{ tgt: '${data.id}' }] } }] }];
    expect(await run('reactor.list', [], aMaster(), { reactor })).toMatchObject({ ret: reactor, success: true });
    expect(await run('reactor.list', ['base'])).toMatchObject({ ret: [], success: true });
  });
});

describe('the rest', () => {
  it('shows settings', async () => {
    expect((await run('config.get', ['nodegroups:web'])).ret).toBe('web*');
    expect((await run('config.get', ['no_such', 'x'])).ret).toBe('x');
    expect((await run('config.get', ['no_such'])).ret).toBe('');
    expect((await run('config.get', ['unset', 'x'])).ret).toBeNull();
    expect((await run('test.get_opts')).ret).toHaveProperty('timeout', 5);
  });

  it('event.send fires what is a map, and says True', async () => {
    const master = aMaster();
    expect((await run('event.send', ['tag', { a: 1 }], master)).ret).toBe(true);
    expect((await run('event.send', ['other'], master)).ret).toBe(true);
    for (const empty of ['', [], false]) expect((await run('event.send', ['empty', empty], master)).ret).toBe(true);
    expect((await run('event.send', ['tag', 'text'], master)).success).toBe(false);
    expect(master.fired).toEqual([
      ['tag', { a: 1 }],
      ['other', {}],
      ['empty', {}],
      ['empty', {}],
      ['empty', {}],
    ]);
  });

  it('test.stream says why it is not here', async () => {
    const { ret, success } = await run('test.stream', []);
    expect(success).toBe(false);
    expect(ret).toContain('test.stream is not here: ');
  });
});

describe('saltutil.*', () => {
  it('has nothing to bring, whatever scripts that deploy ask for', async () => {
    const master = aMaster();
    const { ret, success } = await run('saltutil.sync_all', [named({ saltenv: 'base' })], master);
    expect(success).toBe(true);
    expect(ret).toMatchObject({ modules: [], runners: [], pillar: [] });
    expect((await run('saltutil.sync_modules', [], master)).ret).toEqual([]);
    expect((await run('saltutil.sync_runners', ['base'], master)).ret).toEqual([]);
    expect((await run('saltutil.sync_nothing', [], master)).success).toBe(false);
    expect(master.published).toEqual([]);
  });
});

describe('fileserver.*', () => {
  it.each([
    ['envs', [], []],
    ['envs', ['roots', true], {}],
    ['file_list', [named({ saltenv: 'base' })], []],
    ['dir_list', ['prod', 'roots'], []],
    ['empty_dir_list', [named({ backend: 'git' })], []],
    ['symlink_list', [], {}],
    ['update', [named({ backend: 'roots,git' })], true],
    ['clear_cache', ['git'], 'No cache was cleared'],
    ['clear_file_list_cache', [named({ saltenv: 'base' })], {}],
    ['lock', [named({ backend: 'git', remote: 'github' })], 'No locks were set'],
    ['clear_lock', ['git'], 'No locks were removed'],
  ])('answers as a master that serves nothing, in Salt’s shapes: %s %j', async (name, args, nothing) => {
    expect(await run(`fileserver.${name}`, args)).toMatchObject({ ret: nothing, retcode: 0, success: true });
  });
});

describe('state.*', () => {
  it('lists no orchestrations, and says of the others that there are none', async () => {
    const master = aMaster();
    expect(await run('state.orchestrate_show_sls', ['*'], master)).toMatchObject({ ret: {}, success: true });
    for (const fun of ['state.orchestrate', 'state.orch', 'state.sls']) {
      const { ret, success } = await run(fun, ['web'], master);
      expect(success).toBe(false);
      expect(ret).toContain(`${fun} is not here`);
    }
    expect(master.published).toEqual([]);
  });
});
