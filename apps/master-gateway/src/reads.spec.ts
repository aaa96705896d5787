/** Rules of what a runner reads here: of jobs what was asked for, and a word about what no message carries. */
import type { Opened } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { encodeRequest, SigningKey, sodiumReady } from '@natrium/envelope';
import type { ActiveJobs } from '@natrium/flow';
import type { Value } from '@natrium/model';
import { aGrant, aRequest } from '@natrium/testing';
import type { contracts, records } from '@natrium/wire';
import type { JobCache } from './job-cache.js';
import type { Minions } from './minions.js';
import type { Presence, Present } from './presence.js';
import { Reads } from './reads.js';

const NOW = 1_795_000_000_000;
const run = (fun: string) => encodeRequest(aRequest(NOW, { what: 'run', funs: [fun], tgt: '' }));
const jidOfJob = (n: number) => `20261118090000${String(n).padStart(6, '0')}`;

beforeAll(sodiumReady);

/** A gateway with so many jobs of so many minions, each of which has returned `ret` to each. */
class AGateway {
  readonly #cluster = new Uint8Array(32);
  readonly #acl = SigningKey.generate();
  readonly #reads: Reads;

  constructor(
    jobs: number,
    minions: number,
    ret: Value = true,
    args: readonly (readonly string[])[] = [[]],
    present: readonly Present[] = [],
  ) {
    const request = encodeRequest(aRequest(NOW, { args }));
    const members = Array.from({ length: minions }, (_, n) => ({
      id: `web${String(n)}.example.com`,
      key: new Uint8Array(32),
    }));
    const about = { request, members, caller: { kind: 'account', name: 'root' } };
    const all = Array.from(
      { length: jobs },
      (_, n) => ({ ...about, jid: jidOfJob(n) }) as unknown as records.JobRecord,
    );
    const outcome = { ret, retcode: 0, success: true, out: null };
    const cache = {
      all: () => Promise.resolve(all),
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
    this.#reads = new Reads(link as unknown as RoleLink, cache as unknown as JobCache, none, {} as Minions, presence);
  }

  async read(what: string, args: Value, fun = 'jobs.list_jobs') {
    const request = run(fun);
    const signer = { key: this.#acl, cluster: this.#cluster };
    const grant = aGrant(
      signer,
      { request, members: [{ id: 'x', key: new Uint8Array(32) }], issued: NOW },
      { kind: 'run', count: 0 },
    );
    const body = { what, args, grantRun: { request, grant } };
    return this.#reads.handle({ body } as unknown as Opened<typeof contracts.read>);
  }
}

it('a list of jobs is of the time that was asked for', async () => {
  const gateway = new AGateway(5, 1);
  const jids = async (args: Value) =>
    ((await gateway.read('jobs', args)).result as readonly { jid: string }[]).map(({ jid }) => jid);
  expect(await jids(null)).toHaveLength(5);
  expect(await jids({ from: jidOfJob(1), to: jidOfJob(2) })).toEqual([jidOfJob(1), jidOfJob(2)]);
  expect(await jids({ from: jidOfJob(4) })).toEqual([jidOfJob(4)]);
});

it.each(['jobs', 'job', 'active'])('%s is told to the runners jobs.* alone', async (what) => {
  const answer = await new AGateway(1, 1).read(what, jidOfJob(0), 'manage.up');
  expect(answer).toMatchObject({ refusal: { code: 'not_permitted' }, result: null });
});

it('a list of jobs of very many minions is told: it does not name them', async () => {
  const { refusal, result } = await new AGateway(500, 1000).read('jobs', null);
  expect(refusal).toBeNull();
  expect(result).toHaveLength(500);
  expect(JSON.stringify(result)).not.toContain('web1.example.com');
});

it('one job names its minions and what they returned', async () => {
  const { result } = await new AGateway(1, 2).read('job', jidOfJob(0));
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
  const { result } = await new AGateway(3, 1, true, [[]], present).read('active', null, 'jobs.active');
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
  const { result } = await new AGateway(1, 1, true, [[]], present).read('active', null, 'jobs.active');
  expect(result).toMatchObject([{ jid: jidOfJob(0) }]);
});

it('what no message carries is refused, with what to do about it', async () => {
  const job = await new AGateway(1, 1000, 'x'.repeat(8 << 10)).read('job', jidOfJob(0));
  expect(job).toEqual({
    refusal: {
      code: 'bad_request',
      sentence:
        'the answer is 8 MiB, too large for one message: ask fewer minions at once, in batches, each of which is a job of its own',
    },
    result: null,
  });
  const jobs = await new AGateway(100, 1, true, [['x'.repeat(100_000)]]).read('jobs', null);
  expect(jobs.refusal?.sentence).toContain('with start_time and end_time of jobs.list_jobs');
});
