/** Rules of the jobs in progress: the caller hears each return, the end at the last one or at the time-out, and no more. */
import type { records } from '@natrium/wire';
import { type ActiveJob, ActiveJobs, type Seen } from './active-jobs.js';
import type { News } from './news.js';

const JID = '20261120141646000001';
const TIMEOUT = 5000;
const KEEP = 65_000;

const keyOf = (id: string) => Uint8Array.from(Buffer.from(id.padEnd(32)));
const keyText = (key: Uint8Array) => Buffer.from(key).toString('hex');
const hexOf = (id: string) => keyText(keyOf(id));

function aRecord(ids: readonly string[], jid = JID): records.JobRecord {
  const grant = { bytes: Uint8Array.of(1), signature: new Uint8Array(64) };
  const members = ids.map((id) => ({ id, key: keyOf(id) }));
  return {
    request: Uint8Array.of(7),
    signature: null,
    callerKey: null,
    batch: null,
    jid,
    caller: { kind: 'minion', name: 'web1' },
    grant,
    instance: 'gw1',
    members,
    missing: [],
    started: 0,
  };
}

/** Timers that run when the test says so. */
class Timers {
  readonly waiting: { readonly ms: number; readonly run: () => void }[] = [];

  after(ms: number, run: () => void): () => void {
    const timer = { ms, run };
    this.waiting.push(timer);
    return () => {
      const at = this.waiting.indexOf(timer);
      if (at >= 0) this.waiting.splice(at, 1);
    };
  }

  fire(): void {
    this.waiting.shift()?.run();
  }
}

function aWatchedJob(...ids: readonly string[]) {
  const timers = new Timers();
  const jobs = new ActiveJobs(timers);
  const job = jobs.start(aRecord(ids), 'digest', keyText);
  const heard: News[] = [];
  job.listeners.add((news) => heard.push(news));
  jobs.watch(job, TIMEOUT, KEEP);
  return { timers, jobs, job, heard };
}

function hear(jobs: ActiveJobs, job: ActiveJob, id: string, ret: string): void {
  job.gathering.returned(hexOf(id));
  jobs.heard(job, { id, ret, retcode: 0, success: true });
}

const told = (id: string, ret: string) => ({ id, ret, retcode: 0, success: true, out: null });

describe('jobs in progress', () => {
  it('are found by jid and by digest', () => {
    const { jobs, job } = aWatchedJob('web1');
    expect(jobs.byJid(JID)).toBe(job);
    expect(jobs.byPlace('digest')).toBe(job);
    expect(jobs.byJid('20261120141646000002')).toBeUndefined();
    expect(jobs.byPlace('other')).toBeUndefined();
    expect(jobs.all()).toEqual([job]);
  });

  it('listen to those whom they were sent to until the last of them has returned, and not after', () => {
    const { jobs, job } = aWatchedJob('web1', 'web2');
    const hungUp: string[] = [];
    jobs.sent(job, () => hungUp.push('first round'));
    jobs.sent(job, () => hungUp.push('second round'));
    hear(jobs, job, 'web1', 'one');
    expect(hungUp).toEqual([]);
    hear(jobs, job, 'web2', 'two');
    expect(hungUp).toEqual(['first round', 'second round']);
    jobs.sent(job, () => hungUp.push('sent when it was over'));
    expect(hungUp).toEqual(['first round', 'second round', 'sent when it was over']);
  });

  it('are not begun under what is not a jid', () => {
    const jobs = new ActiveJobs(new Timers());
    expect(() => jobs.start(aRecord(['web1'], 'today'), 'digest', keyText)).toThrow(RangeError);
    expect(jobs.all()).toEqual([]);
  });

  it('tell each return as it comes, and the end together with the last', () => {
    const { jobs, job, heard, timers } = aWatchedJob('web1', 'web2');
    hear(jobs, job, 'web1', 'one');
    expect(heard).toEqual([{ refusal: null, started: null, returns: [told('web1', 'one')], end: null }]);
    hear(jobs, job, 'web2', 'two');
    expect(heard.at(-1)).toEqual({ refusal: null, started: null, returns: [told('web2', 'two')], end: [] });
    expect(jobs.all()).toEqual([]);
    expect(timers.waiting).toEqual([]);
  });

  it('end at the time-out, and say that the silent are still running', () => {
    const { jobs, job, heard, timers } = aWatchedJob('web1', 'web2');
    hear(jobs, job, 'web1', 'one');
    expect(timers.waiting.map(({ ms }) => ms)).toEqual([TIMEOUT]);
    timers.fire();
    expect(heard.at(-1)?.end).toEqual([{ id: 'web2', why: 'running', sentence: null }]);
    expect(job.listeners.size).toBe(0);
  });

  it('take a late return for as long as the request lives, and tell nobody of it', () => {
    const { jobs, job, heard, timers } = aWatchedJob('web1');
    timers.fire();
    expect(jobs.byJid(JID)).toBe(job);
    expect(timers.waiting.map(({ ms }) => ms)).toEqual([KEEP - TIMEOUT]);
    hear(jobs, job, 'web1', 'late');
    expect(heard).toHaveLength(1);
    expect(jobs.byJid(JID)).toBeUndefined();
    expect(timers.waiting).toEqual([]);
  });

  it('leave when the request itself has ended', () => {
    const { jobs, timers } = aWatchedJob('web1');
    timers.fire();
    timers.fire();
    expect(jobs.byJid(JID)).toBeUndefined();
    expect(jobs.byPlace('digest')).toBeUndefined();
  });

  it('end at once when nobody is left to wait for', () => {
    const { jobs, job, heard } = aWatchedJob('web1', 'web2');
    hear(jobs, job, 'web1', 'one');
    jobs.givenUp(job, hexOf('web2'), 'not_connected');
    expect(heard.at(-1)?.end).toEqual([{ id: 'web2', why: 'not_connected', sentence: null }]);
    expect(jobs.all()).toEqual([]);
  });

  it('end at the watch when everybody was known to be absent before it', () => {
    const timers = new Timers();
    const jobs = new ActiveJobs(timers);
    const job = jobs.start(aRecord(['web1']), 'digest', keyText);
    jobs.givenUp(job, hexOf('web1'), 'not_connected');
    const heard: News[] = [];
    job.listeners.add((news) => heard.push(news));
    jobs.watch(job, TIMEOUT, KEEP);
    expect(heard.map(({ end }) => end)).toEqual([[{ id: 'web1', why: 'not_connected', sentence: null }]]);
    expect(timers.waiting).toEqual([]);
  });

  it('say nothing when one is given up who has returned already, or who was never asked', () => {
    const { jobs, job, heard } = aWatchedJob('web1', 'web2');
    hear(jobs, job, 'web1', 'one');
    jobs.givenUp(job, hexOf('web1'), 'not_connected');
    jobs.givenUp(job, hexOf('db1'), 'not_connected');
    expect(heard).toHaveLength(1);
    expect(jobs.all()).toEqual([job]);
  });

  it('tell a caller that comes back what it has missed, and then the rest', () => {
    const { jobs, job } = aWatchedJob('web1', 'web2');
    hear(jobs, job, 'web1', 'one');
    const again: News[] = [];
    jobs.catchUp(job, (news) => again.push(news));
    hear(jobs, job, 'web2', 'two');
    expect(again.map(({ returns, end }) => [returns.map(({ id }) => id), end])).toEqual([
      [['web1'], null],
      [['web2'], []],
    ]);
  });

  it('tell a caller that comes back after the end all at once', () => {
    const { jobs, job, timers } = aWatchedJob('web1', 'web2');
    hear(jobs, job, 'web1', 'one');
    timers.fire();
    const again: News[] = [];
    jobs.catchUp(job, (news) => again.push(news));
    expect(again).toEqual([
      {
        refusal: null,
        started: null,
        returns: [told('web1', 'one')],
        end: [{ id: 'web2', why: 'running', sentence: null }],
      },
    ]);
    expect(job.listeners.size).toBe(0);
  });

  it('pass on the outputter that a function asks for', () => {
    const { jobs, job, heard } = aWatchedJob('web1');
    job.gathering.returned(hexOf('web1'));
    jobs.heard(job, { id: 'web1', ret: {}, retcode: 0, success: true, out: 'nested' });
    expect(heard[0]?.returns[0]?.out).toBe('nested');
  });
});

describe('a job whose time is up', () => {
  interface Becomes {
    readonly running?: readonly string[];
    readonly returned?: readonly string[];
    readonly waits?: boolean;
  }

  function aJobWith(gone: readonly string[], { running = [], returned = [], waits = false }: Becomes = {}) {
    const timers = new Timers();
    const asked: (readonly string[])[] = [];
    const waiting: boolean[] = [];
    const jobs = new ActiveJobs({
      after: (ms, run) => timers.after(ms, run),
      lookAt: ({ jid }, keys, isWaiting, tell) => {
        expect(jid).toBe(JID);
        asked.push(keys);
        waiting.push(isWaiting);
        const outcome = { ret: 'elsewhere', retcode: 0, success: true, out: null };
        const stored = returned.map((id) => ({ jid, id, status: 'done' as const, outcome, at: 0 }));
        tell({ gone, running, returned: stored });
      },
    });
    const job = jobs.start(aRecord(['web1', 'web2', 'db1']), 'digest', keyText);
    const heard: News[] = [];
    job.listeners.add((news) => heard.push(news));
    jobs.watch(job, TIMEOUT, KEEP, waits);
    return { timers, jobs, job, heard, asked, waiting };
  }

  const GONE = 'it was connected when the job was sent and is not now; whether it ran the job is unknown';

  it('says of a minion that has gone away since that nobody knows whether it ran, and calls the others running', () => {
    const { timers, jobs, job, heard, asked } = aJobWith([hexOf('web2')]);
    hear(jobs, job, 'web1', 'one');
    timers.fire();
    expect(asked).toEqual([[hexOf('web2'), hexOf('db1')]]);
    expect(heard.at(-1)?.end).toEqual([
      { id: 'web2', why: 'no_answer', sentence: GONE },
      { id: 'db1', why: 'running', sentence: null },
    ]);
  });

  it('calls everyone who is still there running', () => {
    const { timers, heard } = aJobWith([]);
    timers.fire();
    expect(heard.at(-1)?.end?.map(({ why }) => why)).toEqual(['running', 'running', 'running']);
  });

  it('goes on while a minion says that it is at work, where the caller waits for that; who is gone may come back until then', () => {
    const running = [hexOf('web1')];
    const { timers, jobs, job, heard, asked, waiting } = aJobWith([hexOf('web2')], { running, waits: true });
    hear(jobs, job, 'db1', 'one');
    timers.fire();
    expect(heard.at(-1)?.end).toBeNull();
    expect(timers.waiting.map(({ ms }) => ms)).toEqual([TIMEOUT]);
    running.pop();
    timers.fire();
    expect(asked).toEqual([
      [hexOf('web1'), hexOf('web2')],
      [hexOf('web1'), hexOf('web2')],
    ]);
    expect(waiting).toEqual([true, true]);
    // Nobody knows that web1 is still at work: it was asked, and did not say so.
    expect(heard.at(-1)?.end).toEqual([
      { id: 'web1', why: 'no_answer', sentence: null },
      { id: 'web2', why: 'no_answer', sentence: GONE },
    ]);
  });

  /** A job of web1 whose caller waits, and a look at it that is under way. */
  function aLookAt(keepMs: number) {
    const timers = new Timers();
    let tell: (seen: Seen) => void = () => undefined;
    const jobs = new ActiveJobs({
      after: (ms, run) => timers.after(ms, run),
      lookAt: (_, __, ___, telling) => {
        tell = telling;
      },
    });
    const job = jobs.start(aRecord(['web1']), 'digest', keyText);
    const heard: News[] = [];
    job.listeners.add((news) => heard.push(news));
    jobs.watch(job, TIMEOUT, keepMs, true);
    timers.fire();
    return { timers, jobs, job, heard, tell };
  }

  it('takes returns for as long as it goes on, also while it is looked at beyond the end of its request', () => {
    const { timers, jobs, job, heard, tell } = aLookAt(TIMEOUT);
    expect(timers.waiting).toEqual([]);
    tell({ gone: [], running: [hexOf('web1')], returned: [] });
    expect([jobs.byJid(JID), timers.waiting.map(({ ms }) => ms)]).toEqual([job, [TIMEOUT]]);
    hear(jobs, job, 'web1', 'late');
    expect(heard).toMatchObject([{ returns: [{ id: 'web1' }], end: [] }]);
  });

  it('has ended with its last return, whatever a look finds that was under way: it ends no other that goes on with it since', () => {
    const { timers, jobs, job, heard, tell } = aLookAt(KEEP);
    hear(jobs, job, 'web1', 'one');
    const again = jobs.start(aRecord(['web1']), 'digest', keyText);
    jobs.watch(again, TIMEOUT, KEEP);
    tell({ gone: [hexOf('web1')], running: [hexOf('web1')], returned: [] });
    expect(heard).toMatchObject([{ returns: [{ id: 'web1' }], end: [] }]);
    expect([jobs.byJid(JID), timers.waiting.length]).toEqual([again, 1]);
  });

  it('has what another gateway took meanwhile, once each, and ends with it when that is all', () => {
    const { timers, jobs, job, heard } = aJobWith([], { returned: ['web1', 'web2', 'stranger'] });
    hear(jobs, job, 'web1', 'one');
    timers.fire();
    expect(heard.flatMap(({ returns }) => returns.map(({ id, ret }) => [id, ret]))).toEqual([
      ['web1', 'one'],
      ['web2', 'elsewhere'],
    ]);
    expect(heard.filter(({ end }) => end !== null).map(({ end }) => end)).toEqual([
      [{ id: 'db1', why: 'running', sentence: null }],
    ]);
    const all = aJobWith([], { returned: ['web1', 'web2', 'db1'] });
    all.timers.fire();
    expect(all.heard.map(({ returns, end }) => [returns.map(({ id }) => id), end])).toEqual([
      [['web1', 'web2', 'db1'], []],
    ]);
    expect(all.jobs.counts.returns).toBe(3);
  });

  it('ends for a caller who does not wait, whoever is at work', () => {
    const { timers, heard, waiting } = aJobWith([], { running: [hexOf('web1')] });
    timers.fire();
    expect(waiting).toEqual([false]);
    expect(heard.at(-1)?.end?.map(({ why }) => why)).toEqual(['running', 'running', 'running']);
  });
});

describe('a job that is over', () => {
  it('is known for a while, and of many only the last', () => {
    const jobs = new ActiveJobs({ after: () => () => undefined });
    const jidOf = (n: number) => `2026112014164600${String(n).padStart(4, '0')}`;
    for (let n = 0; n < 600; n += 1) {
      const job = jobs.start(aRecord(['web1'], jidOf(n)), String(n), keyText);
      jobs.watch(job, TIMEOUT, KEEP);
      hear(jobs, job, 'web1', 'one');
    }
    const known = Array.from({ length: 600 }, (_, n) => n).filter((n) => jobs.ended(jidOf(n)) !== undefined);
    expect(known).toEqual(Array.from({ length: 512 }, (_, n) => n + 88));
    expect(jobs.byJid(jidOf(599))).toBeUndefined();
    expect(jobs.ended(jidOf(599))?.gathering.hasReturned(hexOf('web1'))).toBe(true);
  });

  it('to more minions than are remembered of all is known until the next', () => {
    const jobs = new ActiveJobs({ after: () => () => undefined });
    const ids = Array.from({ length: 20_001 }, (_, n) => `m${String(n)}`);
    for (const jid of ['20261120141646000001', '20261120141646000002']) {
      const job = jobs.start(aRecord(ids, jid), jid, keyText);
      for (const id of ids) hear(jobs, job, id, 'one');
    }
    expect(jobs.ended('20261120141646000001')).toBeUndefined();
    expect(jobs.ended('20261120141646000002')?.record.members).toHaveLength(20_001);
  });

  it('is forgotten sooner when requests are large', () => {
    const jobs = new ActiveJobs({ after: () => () => undefined });
    const jids = ['20261120141646000001', '20261120141646000002', '20261120141646000003'];
    for (const jid of jids) {
      const request = new Uint8Array(7 << 20);
      hear(jobs, jobs.start({ ...aRecord(['web1'], jid), request }, jid, keyText), 'web1', 'one');
    }
    expect(jids.map((jid) => jobs.ended(jid) !== undefined)).toEqual([false, true, true]);
  });
});

it('counts jobs, returns, and who was missing when a job ended for its caller, by why', () => {
  const ended: boolean[] = [];
  const timers = new Timers();
  const jobs = new ActiveJobs({
    after: (ms, run) => timers.after(ms, run),
    ended: (_record, isWhole) => ended.push(isWhole),
  });
  const start = (jid: string, ...ids: readonly string[]) => {
    const job = jobs.start(aRecord(ids, jid), jid, keyText);
    jobs.watch(job, TIMEOUT, KEEP);
    return job;
  };
  hear(jobs, start(JID, 'a'), 'a', 'yes');
  const other = start('20261120141646000002', 'a', 'b', 'c');
  hear(jobs, other, 'a', 'yes');
  jobs.givenUp(other, hexOf('b'), 'not_connected');
  expect(ended).toEqual([true]);
  timers.fire();
  expect(ended).toEqual([true, false]);
  hear(jobs, other, 'c', 'late');
  expect(jobs.counts).toEqual({
    jobs: 2,
    returns: 3,
    missing: new Map([
      ['not_connected', 1],
      ['running', 1],
    ]),
  });
});

it('counts a job once whose minions were all given up before it was watched, and tells whoever listens by then', () => {
  const ended: boolean[] = [];
  const heard: News[] = [];
  const jobs = new ActiveJobs({ after: () => () => undefined, ended: (_record, isWhole) => ended.push(isWhole) });
  const job = jobs.start(aRecord(['a']), 'digest', keyText);
  jobs.givenUp(job, hexOf('a'), 'not_connected');
  job.listeners.add((news) => heard.push(news));
  jobs.watch(job, TIMEOUT, KEEP);
  expect([ended, [...jobs.counts.missing], heard.length]).toEqual([[false], [['not_connected', 1]], 1]);
});
