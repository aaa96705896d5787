import type { SignalSent } from '../call-context.js';
import { call, named } from '../testing/call-context.js';

const job = {
  jid: '20260101000000000007',
  fun: 'test.sleep',
  arg: [9],
  tgt: '*',
  tgtType: 'glob',
  ret: '',
  user: 'root',
  pid: 7,
};
const self = { ...job, jid: '20260101000000000001', fun: 'saltutil.running' };
const shown = { jid: job.jid, fun: 'test.sleep', arg: [9], tgt: '*', tgt_type: 'glob', ret: '', user: 'root', pid: 7 };
const jobs = { running: () => [job, self], send: () => ({ to: 'nobody' }) as const };

const sending = (answer: SignalSent) => {
  const sent: (readonly [string, number])[] = [];
  const port = { ...jobs, send: (jid: string, signal: number) => (sent.push([jid, signal]), answer) };
  return { sent, jobs: port };
};

describe('saltutil.*', () => {
  it('tells what runs, without the job that asks', async () => {
    expect((await call('saltutil.running', [], { jobs })).ret).toEqual([shown]);
    expect((await call('saltutil.is_running', ['test.*'], { jobs })).ret).toEqual([shown]);
    expect((await call('saltutil.is_running', ['cmd.*'], { jobs })).ret).toEqual([]);
  });

  it('finds a job by its id, also when that was read as a number', async () => {
    expect((await call('saltutil.find_job', [job.jid], { jobs })).ret).toEqual(shown);
    expect((await call('saltutil.find_job', [20260101000000000007n], { jobs })).ret).toEqual(shown);
    expect((await call('saltutil.find_job', ['20260101000000000008'], { jobs })).ret).toEqual({});
    expect((await call('saltutil.running')).ret).toEqual([]);
  });

  it('sends a job the signal and tells what that came to', async () => {
    const port = sending({ to: 'processes', pids: [12, 13] });
    expect((await call('saltutil.term_job', [job.jid], port)).ret).toBe(
      `Signal 15 sent to job ${job.jid} at pid 12, 13`,
    );
    expect((await call('saltutil.kill_job', [job.jid], port)).ret).toMatch('Signal 9 sent');
    expect((await call('saltutil.signal_job', [job.jid, 'hup'], port)).ret).toMatch('Signal 1 sent');
    expect((await call('saltutil.signal_job', [job.jid, 10], port)).ret).toMatch('Signal 10 sent');
    expect(port.sent.map(([, signal]) => signal)).toEqual([15, 9, 1, 10]);
    expect((await call('saltutil.kill_job', [job.jid], sending({ to: 'waiting' }))).ret).toMatch('ended its waiting');
    expect((await call('saltutil.signal_job', [job.jid, 10], sending({ to: 'agent' }))).ret).toMatch(
      'nothing was done',
    );
    expect((await call('saltutil.term_job', [job.jid], sending({ to: 'nobody' }))).ret).toBe('');
  });

  it('sends nothing for a signal that is none, nor to the job that asks', async () => {
    const port = sending({ to: 'waiting' });
    expect(await call('saltutil.signal_job', [job.jid, 'SIGNOTHING'], port)).toMatchObject({ success: false });
    expect(await call('saltutil.signal_job', [job.jid, 9999], port)).toMatchObject({ success: false });
    expect((await call('saltutil.kill_job', [self.jid], port)).ret).toBe('');
    expect(port.sent).toEqual([]);
  });

  it('ends all that runs but itself, and tells what that came to for each', async () => {
    const other = { ...job, jid: '20260101000000000008' };
    const both = { ...sending({ to: 'processes', pids: [12] }) };
    const port = { ...both, jobs: { ...both.jobs, running: () => [job, self, other] } };
    const said = (signal: number) =>
      [job, other].map(({ jid }) => `Signal ${String(signal)} sent to job ${jid} at pid 12`);
    expect(await call('saltutil.term_all_jobs', [], port)).toMatchObject({ ret: said(15), retcode: 0 });
    expect((await call('saltutil.kill_all_jobs', [], port)).ret).toEqual(said(9));
    expect(both.sent.map(([jid]) => jid)).toEqual([job.jid, other.jid, job.jid, other.jid]);
    expect((await call('saltutil.kill_all_jobs')).ret).toEqual([]);
  });

  it('refreshes grains and pillar, and tells whether the master took part', async () => {
    const asked: string[] = [];
    const refreshing = (taken: boolean) => ({
      refresh: {
        grains: async () => asked.push('grains') > 0 && taken,
        pillar: async () => asked.push('pillar') > 0 && taken,
      },
    });
    expect((await call('saltutil.refresh_grains', [], refreshing(true))).ret).toBe(true);
    expect((await call('saltutil.refresh_pillar', [named({ wait: true })], refreshing(true))).ret).toBe(true);
    expect((await call('saltutil.refresh_pillar', [true, 60], refreshing(true))).ret).toBe(true);
    expect(await call('saltutil.sync_grains', [], refreshing(true))).toMatchObject({ ret: [], retcode: 0 });
    expect(asked).toEqual(Array(4).fill('grains'));
    expect((await call('saltutil.refresh_pillar', [], refreshing(false))).ret).toBe(false);
    expect(await call('saltutil.sync_grains', [], refreshing(false))).toMatchObject({ ret: [], retcode: 1 });
  });

  it('refreshes nothing without a master', async () => {
    expect(await call('saltutil.refresh_pillar')).toMatchObject({ retcode: 1, success: false });
  });
});

it('what brings code in Salt brings nothing here, and what cannot be says why', async () => {
  const { ret: all, retcode } = await call('saltutil.sync_all', [named({ saltenv: 'base' })]);
  expect(Object.keys(all ?? {})).toEqual(
    'clouds beacons modules states sdb grains renderers returners output utils log_handlers executors proxymodules engines thorium serializers matchers'.split(
      ' ',
    ),
  );
  expect(new Set(Object.values(all ?? {}).map((list) => JSON.stringify(list)))).toEqual(new Set(['[]']));
  expect(retcode).toBe(0);
  for (const kind of ['clouds', 'output'])
    expect(await call(`saltutil.sync_${kind}`)).toMatchObject({ ret: [], retcode: 0 });
  expect(await call('saltutil.sync_modules', [named({ saltenv: 'base' })])).toMatchObject({ ret: [], retcode: 0 });
  expect(await call('saltutil.refresh_modules', [])).toMatchObject({ ret: true, retcode: 0 });
  expect(await call('saltutil.find_cached_job', ['20260101000000000001'])).toMatchObject({
    ret: 'ERROR: jobs are kept on the master: natrium-run jobs.lookup_jid 20260101000000000001',
    retcode: 1,
  });
  expect((await call('saltutil.revoke_auth', [])).success).toBe(false);
});

it('a new identity is its agent’s to make; without an agent there is none', async () => {
  const identity = { renew: () => Promise.resolve('aa:bb') };
  expect(await call('saltutil.regen_keys', [], { identity })).toMatchObject({ ret: 'aa:bb', retcode: 0 });
  expect(await call('saltutil.regen_keys', [])).toMatchObject({ success: false });
});
