/** Rules of what a runner reads here: of jobs what was asked for, and a word about what no message carries. */
import { jest } from '@jest/globals';
import { type Opened, StoredCorrupt } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { encodeRequest, SigningKey, sodiumReady } from '@natrium/envelope';
import type { ActiveJobs } from '@natrium/flow';
import { jidOf, type Plain, type Request, type Value } from '@natrium/model';
import { aGrant, aRequest, turnsDuring } from '@natrium/testing';
import { contracts, type records } from '@natrium/wire';
import type { JobCache } from './job-cache.js';
import { JobReads } from './job-reads.js';
import type { Minions } from '../minions/minions.js';
import type { Presence, Present } from '../minions/presence.js';
import { Reads } from './reads.js';

const NOW = 1_795_000_000_000;
const run = (fun: string) => encodeRequest(aRequest(NOW, { what: 'run', funs: [fun], tgt: '' }));
const jidOfJob = (n: number) => `20261118090000${String(n).padStart(6, '0')}`;

beforeAll(sodiumReady);

interface Jobs {
  readonly jobs: number;
  readonly minions: number;
  /** What each minion has returned to each job. */
  readonly ret?: Value;
  /** What was asked for, by the job's number. */
  readonly asked?: (job: number) => Partial<Request>;
  readonly jid?: (job: number) => string;
  readonly present?: readonly Present[];
  readonly isGranted?: (jid: string) => boolean;
  /** Until this they are being looked up. */
  readonly lookedUp?: Promise<void>;
  /** What may have been asked for and not been decided yet. */
  readonly undecided?: readonly string[];
  /** What comes of looking them up. */
  readonly fails?: Error;
}

/** A gateway with so many jobs of so many minions, which have all returned. */
class AGateway {
  readonly #cluster = new Uint8Array(32);
  readonly #acl = SigningKey.generate();
  readonly #reads: Reads;

  /** Of which jobs it was looked up who asked for them, each time. */
  readonly looked: (readonly string[])[] = [];

  constructor({
    jobs,
    minions,
    ret = true,
    asked = () => ({}),
    jid = jidOfJob,
    present = [],
    isGranted = () => true,
    lookedUp = Promise.resolve(),
    undecided = [],
    fails,
  }: Jobs) {
    const members = Array.from({ length: minions }, (_, n) => ({
      id: `web${String(n)}.example.com`,
      key: new Uint8Array(32),
    }));
    const about = { members, caller: { kind: 'account', name: 'root' } };
    const all = Array.from({ length: jobs }, (_, n) => {
      const request = encodeRequest(aRequest(NOW, asked(n)));
      return { ...about, request, jid: jid(n) } as unknown as records.JobRecord;
    });
    const outcome = { ret, retcode: 0, success: true, out: null };
    const cache = {
      asked: async (isWanted: (asked: records.AskedJob) => boolean) => {
        await lookedUp;
        if (fails !== undefined) throw fails;
        return { jobs: all.filter(isWanted).reverse(), looked: all.length, isAll: true };
      },
      placeOfUndecided: (jid: string) => Promise.resolve(undecided.find((one) => one === jid)),
      whenDecided: () => Promise.resolve(),
      callersOf: (jids: readonly string[]) => {
        this.looked.push(jids);
        return Promise.resolve(new Map(jids.filter(isGranted).map((jid) => [jid, about.caller])));
      },
      byJid: (jid: string) => Promise.resolve(all.find((record) => record.jid === jid)),
      returnsOf: ({ jid }: { readonly jid: string }) =>
        Promise.resolve(all.some((record) => record.jid === jid) ? members.map(({ id }) => ({ id, outcome })) : []),
    };
    const link = {
      roles: { cluster: this.#cluster, keysOf: () => [this.#acl.publicKey] },
      clock: { now: () => NOW, skewMs: 30_000 },
    };
    const none = { byJid: () => undefined } as unknown as ActiveJobs;
    const presence = { ask: () => Promise.resolve(present) } as unknown as Presence;
    const ports = { cache: cache as unknown as JobCache, jobs: none, presence, clock: link.clock };
    const read = new JobReads(ports);
    this.#reads = new Reads(link as unknown as RoleLink, read, {} as Minions, presence);
  }

  async jids(args: Value): Promise<readonly string[]> {
    const { result } = await this.read('jobs', args);
    return (result as readonly { jid: string }[]).map(({ jid }) => jid);
  }

  /** What was returned to the first job, by minion. */
  async returns(part: Readonly<Record<string, Value>>): Promise<unknown> {
    const { refusal, result } = await this.read('job', { jid: jidOfJob(0), ...part });
    if (refusal !== null) return refusal.sentence;
    const { Result } = result as { Result: Readonly<Record<string, { return: Value }>> };
    return Object.fromEntries(Object.entries(Result).map(([id, one]) => [id, one.return]));
  }

  /** What it has said while it read. */
  readonly said: unknown[] = [];

  async read(what: string, args: Value, fun = 'jobs.list_jobs') {
    const request = run(fun);
    const signer = { key: this.#acl, cluster: this.#cluster };
    const grant = aGrant(
      signer,
      { request, members: [{ id: 'x', key: new Uint8Array(32) }], issued: NOW },
      { kind: 'run', root: new Uint8Array(32), count: 0 },
    );
    const body = { what, args, grantRun: { request, grant } };
    const answer = (contract: unknown, told: unknown) => this.said.push([contract, told]);
    return this.#reads.handle({ body, answer } as unknown as Opened<typeof contracts.read>);
  }
}

it('who waits for a reading that takes long hears each second that it goes on, and nothing after the answer', async () => {
  jest.useFakeTimers();
  try {
    let end: () => void = () => undefined;
    const gateway = new AGateway({ jobs: 2, minions: 1, lookedUp: new Promise((resolve) => (end = resolve)) });
    const jids = gateway.jids(null);
    await jest.advanceTimersByTimeAsync(3400);
    const said = [contracts.working, { what: 'jobs' }];
    expect(gateway.said).toEqual([said, said, said]);
    end();
    expect(await jids).toHaveLength(2);
    await jest.advanceTimersByTimeAsync(5000);
    expect(gateway.said).toHaveLength(3);
  } finally {
    jest.useRealTimers();
  }
});

it('whoever asks hears that the store gave no answer, or what cannot be read, at once, and not that no gateway is there; a fault of the program is one', async () => {
  const late = Object.assign(new Error('timeout'), { name: 'TimeoutError' });
  const gateway = new AGateway({ jobs: 2, minions: 1, fails: late });
  const refused = { code: 'store_unavailable', sentence: 'jobs cannot be read now: timeout' };
  expect(await gateway.read('jobs', null)).toEqual({ refusal: refused, result: null });
  const corrupt = new AGateway({ jobs: 2, minions: 1, fails: new StoredCorrupt('NT_main_jobs/x', 7) });
  const why = 'the value at NT_main_jobs/x does not open with any storage key of its class';
  const sentence = `jobs cannot be read: ${why}`;
  expect(await corrupt.read('jobs', null)).toEqual({ refusal: { code: 'bad_request', sentence }, result: null });
  const broken = new AGateway({ jobs: 2, minions: 1, fails: new TypeError('no function') });
  await expect(broken.read('jobs', null)).rejects.toThrow('no function');
});

it('whoever asks for a job that nobody has decided on hears that, and not that there is none', async () => {
  const jid = jidOf((NOW - 2000) * 1000);
  const gateway = new AGateway({ jobs: 1, minions: 1, undecided: [jid] });
  const sentence = `the job ${jid} was asked for, and what was decided on it cannot be read yet: ask again`;
  expect(await gateway.read('job', jid)).toEqual({ refusal: { code: 'store_unavailable', sentence }, result: null });
  expect(await gateway.read('job', jidOf((NOW - 3000) * 1000))).toEqual({ refusal: null, result: null });
});

it('a list of jobs is of the time that was asked for', async () => {
  const gateway = new AGateway({ jobs: 5, minions: 1 });
  expect(await gateway.jids(null)).toHaveLength(5);
  expect(await gateway.jids({ from: jidOfJob(1), to: jidOfJob(2) })).toEqual([jidOfJob(1), jidOfJob(2)]);
  expect(await gateway.jids({ from: jidOfJob(4) })).toEqual([jidOfJob(4)]);
});

it.each([
  [{ functions: ['pkg.*', 'none'] }, [0, 3]],
  [{ functions: [] }, []],
  [{ targets: ['db?'] }, [1, 4]],
  [{ metadata: { ticket: 4, other: 'x' } }, [4]],
  [{ metadata: { ticket: '4' } }, []],
  [{ without: 'pkg.version' }, [1, 2, 4]],
  [{ latest: 2 }, [3, 4]],
  [{ latest: 1, functions: ['pkg.*'] }, [3]],
  [{ latest: 1, from: jidOfJob(1), to: jidOfJob(2) }, [2]],
  [{ latest: 9, unknown: 'x' }, [0, 1, 2, 3, 4]],
])('a list of jobs has those that are wanted, oldest first: %j', async (wanted, jobs) => {
  const funs = ['pkg.version', 'test.ping', 'cmd.run'];
  const asked = (n: number) => ({
    funs: [funs[n % 3] ?? ''],
    tgt: n % 3 === 1 ? ['db1', 'web1'] : '*',
    options: { metadata: { ticket: n } },
  });
  expect(await new AGateway({ jobs: 5, minions: 1, asked }).jids(wanted)).toEqual(jobs.map(jidOfJob));
});

it('who asked for a job is looked up of those alone that are told', async () => {
  const gateway = new AGateway({ jobs: 100, minions: 1 });
  expect(await gateway.jids({ latest: 2 })).toEqual([98, 99].map(jidOfJob));
  expect(await gateway.jids({ from: jidOfJob(50), functions: ['none'] })).toEqual([]);
  expect(await gateway.jids({ to: jidOfJob(1) })).toEqual([0, 1].map(jidOfJob));
  expect(gateway.looked).toEqual([[99, 98].map(jidOfJob), [1, 0].map(jidOfJob)]);
});

it('what very many jobs asked for is read in slices, between which the gateway answers others, and no further than needed', async () => {
  const gateway = new AGateway({ jobs: 4000, minions: 1 });
  const turns = (filter: Value) => turnsDuring(() => gateway.jids(filter));
  expect(await turns(null)).toBeGreaterThanOrEqual(4);
  expect(await turns({ latest: 1 })).toBe(0);
});

it('the latest jobs are the latest that are granted, found with few looks', async () => {
  const gateway = new AGateway({ jobs: 100, minions: 1, isGranted: (jid) => jid <= jidOfJob(20) });
  expect(await gateway.jids({ latest: 3 })).toEqual([18, 19, 20].map(jidOfJob));
  expect(gateway.looked.map(({ length }) => length)).toEqual([3, 6, 12, 24, 48]);
});

it('the latest jobs are told however much all of them are, and of long arguments the beginning', async () => {
  const asked = () => ({ args: [['first', 'x'.repeat(120_000), 'last']] });
  const gateway = new AGateway({ jobs: 100, minions: 1, asked });
  const { refusal, result } = await gateway.read('jobs', null);
  expect(refusal).toBeNull();
  expect(result).toHaveLength(100);
  const cut = { Arguments: ['first', '[cut: the arguments have 120016 bytes]'] };
  expect(result).toMatchObject(Array.from({ length: 100 }, () => cut));
  expect(await gateway.read('job', jidOfJob(0))).toMatchObject({ result: { Arguments: asked().args[0] } });
  const tagged = () => ({ options: { metadata: { note: 'x'.repeat(120_000) } } });
  expect(await new AGateway({ jobs: 100, minions: 1, asked: tagged }).jids({ latest: 1 })).toEqual([jidOfJob(99)]);
});

it('arguments and metadata that no answer carries, nested as they are, keep no job from being told', async () => {
  const nested = (levels: number): Plain => (levels === 0 ? 1 : [nested(levels - 1)]);
  const asked = (n: number) => ({
    args: [[nested(n === 0 ? 29 : 20), 'last']],
    options: { metadata: { deep: nested(n === 0 ? 28 : 20), n } },
  });
  const gateway = new AGateway({ jobs: 2, minions: 1, asked });
  const tooDeep = '[cut: nested too deeply to be shown]';
  const told = [
    { Arguments: [tooDeep, 'last'], Metadata: { deep: tooDeep, n: 0 } },
    { Arguments: [nested(20), 'last'], Metadata: { deep: nested(20), n: 1 } },
  ];
  expect(await gateway.read('jobs', null)).toMatchObject({ refusal: null, result: told });
  expect(await gateway.read('job', jidOfJob(0))).toMatchObject({ refusal: null, result: told[0] });
});

it('arguments that fit are told whole, also in a list', async () => {
  const args = ['x'.repeat(900), { __kwarg__: true, refresh: true }];
  const { result } = await new AGateway({ jobs: 1, minions: 1, asked: () => ({ args: [args] }) }).read('jobs', null);
  expect(result).toMatchObject([{ Arguments: args }]);
});

it.each(['jobs', 'job', 'active'])('%s is told to the runners jobs.* alone', async (what) => {
  const answer = await new AGateway({ jobs: 1, minions: 1 }).read(what, jidOfJob(0), 'manage.up');
  expect(answer).toMatchObject({ refusal: { code: 'not_permitted' }, result: null });
});

it('a list of jobs of very many minions is told: it does not name them', async () => {
  const { refusal, result } = await new AGateway({ jobs: 500, minions: 1000 }).read('jobs', null);
  expect(refusal).toBeNull();
  expect(result).toHaveLength(500);
  expect(JSON.stringify(result)).not.toContain('web1.example.com');
});

it('one job names its minions and what they returned', async () => {
  const { result } = await new AGateway({ jobs: 1, minions: 2 }).read('job', jidOfJob(0)); // as a runner of an older version asks
  const ids = ['web0.example.com', 'web1.example.com'];
  expect(result).toMatchObject({ jid: jidOfJob(0), Minions: ids });
  expect(Object.keys((result as { Result: object }).Result)).toEqual(ids);
});

it('jobs in progress are those of which their own minions say that they run, the newest first', async () => {
  const running = [jidOfJob(0), jidOfJob(2), jidOfJob(7)];
  const present = [
    { id: 'web0.example.com', running: [...running, '20991118090000000000'] },
    { id: 'stranger', running: [...running, jidOfJob(1)] },
    { id: 'web1.example.com', running: [] },
  ];
  const { result } = await new AGateway({ jobs: 3, minions: 1, present }).read('active', null, 'jobs.active');
  const told = { Running: [{ 'web0.example.com': 0 }], Returned: ['web0.example.com'] };
  expect(result).toMatchObject([
    { jid: jidOfJob(2), ...told },
    { jid: jidOfJob(0), ...told },
  ]);
});

it('jids that minions have invented take no place of a job that runs', async () => {
  const invented = Array.from({ length: 3000 }, (_, n) => jidOfJob(n + 1));
  const present = [
    { id: 'stranger', running: invented },
    { id: 'web0.example.com', running: [jidOfJob(0)] },
  ];
  const { result } = await new AGateway({ jobs: 1, minions: 1, present }).read('active', null, 'jobs.active');
  expect(result).toMatchObject([{ jid: jidOfJob(0) }]);
});

it.each([
  [10_000, true],
  [60_000, true],
  [3_600_000, false],
])('a job in progress whose gateway’s clock is %i ms ahead is told: %s', async (aheadMs, isTold) => {
  const jid = jidOf((NOW + aheadMs) * 1000);
  const present = [{ id: 'web0.example.com', running: [jid] }];
  const gateway = new AGateway({ jobs: 1, minions: 1, jid: () => jid, present });
  const { result } = await gateway.read('active', null, 'jobs.active');
  expect(result).toMatchObject(isTold ? [{ jid }] : []);
});

const ADVICE = `ask for some of the minions of ${jidOfJob(0)}, with minions of jobs.list_job or jobs.lookup_jid; jobs.exit_success names them all, and natriumctl job follow prints them all`;

it('what no message carries is refused, with what to do about it', async () => {
  const asked = (n: number) => ({ options: { metadata: { note: 'x'.repeat(100_000), n } } });
  const gateway = new AGateway({ jobs: 100, minions: 1000, ret: 'x'.repeat(8 << 10), asked });
  const refused = (mib: number, advice: string) => ({
    refusal: {
      code: 'bad_request',
      sentence: `the answer is ${String(mib)} MiB, too large for one message, which carries 7 MiB: ${advice}`,
    },
    result: null,
  });
  expect(await gateway.read('job', jidOfJob(0))).toEqual(refused(8, ADVICE));
  expect(await gateway.read('job', { jid: jidOfJob(0) })).toEqual(refused(8, ADVICE));
  const shorter = 'ask for the jobs of a shorter time, with start_time and end_time of jobs.list_jobs';
  expect(await gateway.read('jobs', null)).toEqual(refused(10, shorter));
  expect(await gateway.read('jobs', { latest: 90 })).toEqual(refused(9, 'ask for fewer jobs'));
});

it('what was returned to a job and is too much for one message is told by minion, and whether it is true of all', async () => {
  const gateway = new AGateway({ jobs: 1, minions: 3, ret: 'x'.repeat(4 << 20) });
  const [one, two, three] = [0, 1, 2].map((n) => `web${String(n)}.example.com`);
  expect(await gateway.returns({})).toContain(ADVICE);
  expect(await gateway.returns({ minions: [] })).toEqual({});
  for (const id of ['web0.example.com', 'web2.example.com'])
    expect(await gateway.returns({ minions: [id] })).toEqual({ [id]: 'x'.repeat(4 << 20) });
  expect(await gateway.returns({ values: false })).toEqual({ [one!]: true, [two!]: true, [three!]: true });
  expect(await gateway.returns({ values: false, minions: ['web[12]*', three!] })).toEqual({
    [two!]: true,
    [three!]: true,
  });
  const { result } = await gateway.read('job', { jid: jidOfJob(0), minions: ['web1*'] });
  expect(result).toMatchObject({ jid: jidOfJob(0), Minions: [two] });
});

describe('a job of which a part is wanted that one message carries', () => {
  const LARGE = 'x'.repeat(3 << 20);
  interface Part {
    readonly Minions: readonly string[];
    readonly Result: Readonly<Record<string, { readonly return: Value }>>;
    readonly Left?: readonly string[];
  }
  const part = async (gateway: AGateway, more: Readonly<Record<string, Value>> = {}) =>
    (await gateway.read('job', { jid: jidOfJob(0), partial: true, ...more })).result as unknown as Part;

  it('is told with as many returns as fit, and who has returned the others: with them nothing is missing', async () => {
    const gateway = new AGateway({ jobs: 1, minions: 5, ret: LARGE });
    const all = Array.from({ length: 5 }, (_, n) => `web${String(n)}.example.com`);
    const first = await part(gateway);
    expect(first).toMatchObject({ jid: jidOfJob(0), Minions: all, Left: all.slice(2) });
    expect(Object.entries(first.Result).map(([id, one]) => [id, one.return])).toEqual(
      all.slice(0, 2).map((id) => [id, LARGE]),
    );
    const second = await part(gateway, { minions: all.slice(2) });
    expect(Object.keys(second.Result)).toEqual(all.slice(2, 4));
    const last = await part(gateway, { minions: second.Left ?? [] });
    expect(last).toEqual({
      ...first,
      Minions: [all[4]],
      Result: { [all[4]!]: first.Result[all[0]!] },
      Left: undefined,
    });
  });

  it('is told whole where it fits', async () => {
    const gateway = new AGateway({ jobs: 1, minions: 2, ret: LARGE });
    expect((await gateway.read('job', { jid: jidOfJob(0), partial: true })).result).toEqual(
      (await gateway.read('job', jidOfJob(0))).result,
    );
  });

  it('is refused where already what was asked of whom is too much', async () => {
    const asked = () => ({ options: { metadata: { note: 'x'.repeat(7 << 20) } } });
    const answer = await new AGateway({ jobs: 1, minions: 1, asked }).read('job', { jid: jidOfJob(0), partial: true });
    expect(answer.refusal?.sentence).toContain('which carries 7 MiB');
  });
});

it('without values a return is told as true or false, as Salt sees it', async () => {
  for (const [ret, isTrue] of [
    ['x', true],
    ['', false],
    [0, false],
    [{}, false],
    [['x'], true],
    [null, false],
  ] as const)
    expect(await new AGateway({ jobs: 1, minions: 1, ret }).returns({ values: false })).toEqual({
      'web0.example.com': isTrue,
    });
});

it('the largest return that a minion sends is told, whatever the job’s arguments', async () => {
  const asked = () => ({ args: [['x'.repeat(4 << 20)]] });
  const ret = 'x'.repeat((6 << 20) + 100);
  expect(await new AGateway({ jobs: 1, minions: 1, ret, asked }).returns({})).toEqual({ 'web0.example.com': ret });
});
