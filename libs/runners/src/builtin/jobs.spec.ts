import { Float, isList, isMap, isWithin, toPlain, type Value } from '@natrium/model';
import type { ActiveJob, JobDetail } from '../runner-context.js';
import { aMaster, run } from '../testing/runner-call.js';

const older: JobDetail = {
  jid: '20261119112404639750',
  fun: 'pkg.version',
  arg: ['bash'],
  tgt: ['db1'],
  tgtType: 'list',
  user: 'fred',
  minions: ['db1'],
  returns: { db1: { ret: '', retcode: 0, success: true, out: 'nested' } },
};
const newer: JobDetail = {
  metadata: { ticket: 7, by: ['x'] },
  jid: '20261120112404639750',
  fun: ['test.ping', 'test.echo'],
  arg: [[], ['x']],
  tgt: 'web*',
  tgtType: 'glob',
  user: 'root',
  minions: ['web1', 'web2', 'web3'],
  returns: { web1: { ret: true, retcode: 0, success: true }, web2: { ret: false, retcode: 1, success: false } },
};
const jobs = [newer, older];
const view = {
  Function: ['test.ping', 'test.echo'],
  Arguments: [[], ['x']],
  Target: 'web*',
  'Target-type': 'glob',
  User: 'root',
  Metadata: { ticket: 7, by: ['x'] },
  StartTime: '2026, Nov 20 11:24:04.639750',
};
const result = {
  web1: { return: true, retcode: 0, success: true },
  web2: { return: false, retcode: 1, success: false },
};
const detail = { ...view, Minions: ['web1', 'web2', 'web3'], Result: result };

describe('jobs.list_jobs', () => {
  it('lists jobs by jid, oldest first', async () => {
    const { ret } = await run('jobs.list_jobs', [], aMaster({ jobs }));
    expect(ret).toMatchObject({ [older.jid]: { Function: 'pkg.version', Target: ['db1'] }, [newer.jid]: view });
    expect(Object.keys(ret ?? {})).toEqual([older.jid, newer.jid]);
  });

  it.each([
    [{ search_function: 'test.*' }, [newer.jid]],
    [{ search_function: ['pkg.*', 'x'] }, [older.jid]],
    [{ search_function: 'cmd.*,pkg.*' }, [older.jid]],
    [{ search_target: 'db*' }, [older.jid]],
    [{ search_target: 'web?', search_function: 'pkg.*' }, []],
    [{ start_time: '2026-11-20' }, [newer.jid]],
    [{ end_time: '2026, Nov 20 11:24:04.639749' }, [older.jid]],
    [{ start_time: '2026-11-19 12:00', end_time: '2026-11-21T00:00:00Z' }, [newer.jid]],
    [{ start_time: newer.jid }, [newer.jid]],
    [{ start_time: '2026-11-20T11:24:04' }, [newer.jid]],
    [{ end_time: '2026-11-19T11:24:04.639750' }, [older.jid]],
    [{ end_time: view.StartTime }, [older.jid, newer.jid]],
    [{ start_time: '2026-11-20T11:24:04.639751' }, []],
    [{ search_metadata: { ticket: 7 } }, [newer.jid]],
    [{ search_metadata: { ticket: 7, by: ['x'] } }, [newer.jid]],
    [{ search_metadata: { ticket: 8, by: ['x'] } }, [newer.jid]],
    [{ search_metadata: { ticket: 8, by: ['y'], none: 1 } }, []],
    [{ search_metadata: { ticket: 8 } }, []],
    [{ search_metadata: {} }, [older.jid, newer.jid]],
    [{ search_function: [], search_target: false }, [older.jid, newer.jid]],
    [{ search_function: null, search_target: '', start_time: null, end_time: null }, [older.jid, newer.jid]],
  ])('finds %j', async (search, jids) => {
    const { ret } = await run('jobs.list_jobs', [{ __kwarg__: true, ...search }], aMaster({ jobs }));
    expect(Object.keys(ret ?? {})).toEqual(jids);
  });

  it('asks the cache for the time only, and refuses a time that it cannot read', async () => {
    const master = aMaster({ jobs });
    await run('jobs.list_jobs', [{ __kwarg__: true, start_time: '2026-11-20 11:00' }], master);
    expect(master.filters).toEqual([{ from: '20261120110000000000' }]);
    const outcome = await run('jobs.list_jobs', [{ __kwarg__: true, start_time: 'yesterdayish' }], master);
    expect(outcome).toMatchObject({ success: false, fault: 'failed' });
    expect(master.filters).toHaveLength(1);
  });
});

describe('jobs.list_jobs_filter', () => {
  it('lists the latest, without saltutil.find_job unless it is asked for', async () => {
    const find = { ...newer, jid: '20261121112404639750', fun: 'saltutil.find_job' };
    const list = async (...args: readonly Value[]) => {
      const { ret } = await run('jobs.list_jobs_filter', args, aMaster({ jobs: [find, newer, older] }));
      return isList(ret) ? ret.map((job) => (isMap(job) ? job['JID'] : job)) : ret;
    };
    expect(await list(1)).toEqual([newer.jid]);
    expect(await list(9)).toEqual([older.jid, newer.jid]);
    expect(await list(2, { __kwarg__: true, filter_find_job: false })).toEqual([newer.jid, find.jid]);
    expect(await list(0)).toEqual([]);
  });

  it('is a list of jobs that name their jid, as Salt’s, and no map of them', async () => {
    const { StartTime, ...rest } = view;
    const { ret } = await run('jobs.list_jobs_filter', [1], aMaster({ jobs }));
    expect(ret).toEqual([{ ...rest, JID: newer.jid, StartTime }]);
    const named = [5, { __kwarg__: true, outputter: 'json' }];
    expect(await run('jobs.list_jobs_filter', named)).toMatchObject({ ret: [], out: 'json' });
  });
});

describe('whoever keeps the jobs', () => {
  it.each([
    ['jobs.last_run', [], { latest: 1 }],
    [
      'jobs.last_run',
      [{ __kwarg__: true, function: 'pkg.*,x', target: ['db*'], metadata: { ticket: 7 } }],
      { latest: 1, functions: ['pkg.*', 'x'], targets: ['db*'], metadata: { ticket: 7 } },
    ],
    ['jobs.list_jobs_filter', [3], { latest: 3, without: 'saltutil.find_job' }],
    ['jobs.list_jobs_filter', [3, { __kwarg__: true, filter_find_job: false }], { latest: 3 }],
    [
      'jobs.list_jobs',
      [{ __kwarg__: true, search_function: 'pkg.*', start_time: older.jid }],
      { from: older.jid, functions: ['pkg.*'] },
    ],
  ])('is asked by %s %j for no more than that', async (fun, args, filter) => {
    const master = aMaster({ jobs });
    await run(fun, args, master);
    expect(master.filters).toEqual([filter]);
  });

  it.each([
    ['jobs.list_job', {}, {}],
    ['jobs.list_job', { minions: 'web*, db1' }, { minions: ['web*', 'db1'] }],
    ['jobs.list_job', { partial: true }, { partial: true }],
    ['jobs.list_job', { partial: false }, {}],
    ['jobs.print_job', { minions: ['web1'] }, { minions: ['web1'] }],
    ['jobs.lookup_jid', {}, {}],
    ['jobs.lookup_jid', { minions: 'web1' }, { minions: ['web1'] }],
    ['jobs.lookup_jid', { missing: true, returned: false }, { values: false }],
    ['jobs.exit_success', {}, { values: false }],
  ])('is asked by %s with %j for that part of the job', async (fun, named, part) => {
    const master = aMaster({ jobs });
    await run(fun, [newer.jid, { __kwarg__: true, ...named }], master);
    expect(master.parts).toEqual([part]);
  });
});

describe('what scripts written for Salt say', () => {
  it('is taken: outputter, display_progress, metadata', async () => {
    const tagged = { ...newer, metadata: { ticket: 7, who: 'me' } };
    const master = aMaster({ jobs: [tagged, older] });
    const named = { __kwarg__: true, search_metadata: { ticket: 7 }, outputter: 'json', display_progress: true };
    const { ret, out } = await run('jobs.list_jobs', [named], master);
    expect([ret, out]).toEqual([{ [newer.jid]: { ...view, Metadata: tagged.metadata } }, 'json']);
    expect((await run('jobs.last_run', [{ __kwarg__: true, metadata: { who: 'you' } }], master)).ret).toBe(false);
  });

  it.each(['list_jobs', 'last_run'])('of metadata that are no map are refused by jobs.%s', async (name) => {
    const key = name === 'list_jobs' ? 'search_metadata' : 'metadata';
    const outcome = await run(`jobs.${name}`, [{ __kwarg__: true, [key]: 'ticket' }], aMaster({ jobs }));
    expect(outcome).toMatchObject({ success: false });
    expect(outcome.ret).toContain("metadata to search for is a map, not 'ticket'");
  });

  it('by globs may name any number of plain names, and 8,192 characters of others', async () => {
    const names = Array.from({ length: 2000 }, (_, n) => `x.f${String(n)}`);
    const listed = async (globs: readonly string[]) =>
      run('jobs.list_jobs', [{ __kwarg__: true, search_function: [...names, ...globs] }], aMaster({ jobs }));
    expect(Object.keys((await listed(['test.*', '*'.repeat(8186)])).ret ?? {})).toEqual([older.jid, newer.jid]);
    const { success, ret } = await listed(['test.*', '*'.repeat(8187)]);
    expect([success, ret]).toEqual([false, expect.stringContaining('at most 8192 characters')]);
  });

  it.each(['list_jobs', 'last_run'])('is refused by jobs.%s where it names another source of jobs', async (name) => {
    const outcome = await run(`jobs.${name}`, [{ __kwarg__: true, ext_source: 'mysql' }], aMaster({ jobs }));
    expect(outcome).toMatchObject({ success: false });
    expect(outcome.ret).toContain('no ext_source mysql');
  });
});

describe('one job', () => {
  it('is shown with all its returns', async () => {
    expect((await run('jobs.list_job', [newer.jid], aMaster({ jobs }))).ret).toEqual({ jid: newer.jid, ...detail });
    expect((await run('jobs.print_job', [newer.jid], aMaster({ jobs }))).ret).toEqual({ [newer.jid]: detail });
  });

  it('is shown with who else has returned, where it is a part', async () => {
    const cut = { ...newer, left: ['web3'] };
    const { ret } = await run(
      'jobs.list_job',
      [newer.jid, { __kwarg__: true, partial: true }],
      aMaster({ jobs: [cut] }),
    );
    expect(ret).toEqual({ jid: newer.jid, ...detail, Left: ['web3'] });
  });

  it('that is not there is said to be not there', async () => {
    const jid = '20260101000000000002';
    expect((await run('jobs.list_job', [jid], aMaster({ jobs }))).ret).toEqual({
      jid,
      Error: 'Cannot contact returner or no job with this jid',
      StartTime: '2026, Jan 01 00:00:00.000002',
      Result: {},
    });
    expect((await run('jobs.lookup_jid', [jid], aMaster({ jobs }))).ret).toEqual({});
    expect((await run('jobs.list_job', ['nonsense'], aMaster({ jobs }))).ret).toMatchObject({ StartTime: '' });
  });

  it('is looked up by minion, with the missing ones when asked', async () => {
    const lookup = (named: Readonly<Record<string, boolean>>) =>
      run('jobs.lookup_jid', [newer.jid, { __kwarg__: true, ...named }], aMaster({ jobs }));
    expect((await lookup({})).ret).toEqual({ web1: true, web2: false });
    expect((await lookup({ missing: true })).ret).toEqual({ web1: true, web2: false, web3: 'Minion did not return' });
    expect((await lookup({ missing: true, returned: false })).ret).toEqual({ web3: 'Minion did not return' });
    expect(await run('jobs.lookup_jid', [older.jid], aMaster({ jobs }))).toMatchObject({
      ret: { db1: '' },
      out: 'nested',
    });
  });

  it.each(['quiet', 'no_return'])('is shown whole where the first minion asks for %s', async (out) => {
    const web1 = { ret: true, retcode: 0, success: true, out };
    const hidden = { ...newer, returns: { ...newer.returns, web1 } };
    const { ret, ...more } = await run('jobs.lookup_jid', [newer.jid], aMaster({ jobs: [hidden] }));
    expect(ret).toEqual({ web1: true, web2: false });
    expect(more).not.toHaveProperty('out');
  });

  it('tells who succeeded', async () => {
    expect((await run('jobs.exit_success', [newer.jid], aMaster({ jobs }))).ret).toEqual({
      web1: true,
      web2: false,
      web3: false,
    });
  });

  it('is the last one of a function or a target', async () => {
    expect((await run('jobs.last_run', [], aMaster({ jobs }))).ret).toEqual({ [newer.jid]: detail });
    expect(
      (await run('jobs.last_run', [{ __kwarg__: true, function: 'pkg.*' }], aMaster({ jobs }))).ret,
    ).toHaveProperty(older.jid);
    expect((await run('jobs.last_run', [{ __kwarg__: true, target: 'x*' }], aMaster({ jobs }))).ret).toBe(false);
  });
});

describe('jobs.active', () => {
  it('tells who still works and who has returned', async () => {
    const { jid, fun, arg, tgt, tgtType, user, metadata = {} } = newer;
    const active: ActiveJob = {
      jid,
      fun,
      arg,
      tgt,
      tgtType,
      user,
      metadata,
      running: [
        { id: 'web3', pid: 42 },
        { id: 'web4', pid: 0 },
      ],
      returned: ['web1'],
    };
    expect((await run('jobs.active', [], aMaster({ active: [active] }))).ret).toEqual({
      [jid]: { ...view, Running: [{ web3: 42 }, { web4: 0 }], Returned: ['web1'] },
    });
    expect((await run('jobs.active')).ret).toEqual({});
  });
});

describe('a return that no answer carries, nested as it is', () => {
  const nested = (levels: number): Value => (levels === 0 ? new Float(1) : [nested(levels - 1)]);
  const job = (levels: number): JobDetail => ({
    ...newer,
    returns: { ...newer.returns, web3: { ret: nested(levels), retcode: 0, success: true } },
  });
  const TOO_DEEP = '[cut: nested too deeply to be shown]';
  const MOST = 24;

  it.each([
    ['jobs.lookup_jid', 23, 22],
    ['jobs.list_job', 20, 19],
    ['jobs.print_job', 20, 19],
  ])(
    'hides none of the others’ in %s: of %i levels it is told as that, of %i it is shown',
    async (fun, tooMany, most) => {
      for (const levels of [tooMany, most]) {
        const { ret } = await run(fun, [newer.jid], aMaster({ jobs: [job(levels)] }));
        expect(isWithin(toPlain(ret) as Value, MOST)).toBe(true);
        const text = JSON.stringify(ret);
        expect([text.includes(TOO_DEEP), text.includes('web2')]).toEqual([levels === tooMany, true]);
      }
    },
  );
});
