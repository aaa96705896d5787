/** Rules of ending a job: by its processes, or by no longer waiting for it. */
import { JobsNow } from './jobs-now.js';

const SIGTERM = 15;
const SIGCONT = 18;
const job = { jid: '20261123000000000001', fun: 'test.ping', arg: [], tgt: '*', tgtType: 'glob', ret: '', user: 'ann' };

it('a job without a process that is sent a signal to end is ended, and says so whether or not its signal was asked for', () => {
  const jobs = new JobsNow();
  const [plain, heard] = [job, { ...job, jid: '20261123000000000002' }].map((one) => jobs.begin({ ...one, pid: 1 }));
  const { signal } = heard!;
  expect([plain!.isEnded, heard!.isEnded, signal.aborted]).toEqual([false, false, false]);
  for (const { jid } of [plain!, heard!]) expect(jobs.send(jid, SIGTERM)).toEqual({ to: 'waiting' });
  expect([plain!.isEnded, heard!.isEnded, signal.aborted]).toEqual([true, true, true]);
  expect([plain!.signal.reason, signal.reason]).toEqual(
    ['signal 15', 'signal 15'].map((what) => `${what} was sent to its job`),
  );
});

it('a signal that ends nothing, or is for a job that is done, ends no job', () => {
  const jobs = new JobsNow();
  const control = jobs.begin({ ...job, pid: 1 });
  expect(jobs.send(job.jid, SIGCONT)).toEqual({ to: 'agent' });
  expect(control.isEnded).toBe(false);
  control.finish();
  expect(jobs.send(job.jid, SIGTERM)).toEqual({ to: 'nobody' });
  expect(control.isEnded).toBe(false);
});

it('a job whose processes were asked to end is ended when the last of them is gone, not before', () => {
  const jobs = new JobsNow();
  const control = jobs.begin({ ...job, pid: 1 });
  // No process group has such a number: the signal reaches nobody.
  const groups = [2 ** 30, 2 ** 30 + 1];
  for (const group of groups) control.processes.began(group);
  expect(jobs.send(job.jid, SIGTERM)).toEqual({ to: 'processes', pids: groups });
  control.processes.ended(groups[0]!);
  expect(control.isEnded).toBe(false);
  control.processes.ended(groups[1]!);
  expect(control.isEnded).toBe(true);
  control.finish();
});
