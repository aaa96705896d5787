/**
 * A job's life on two gateways: jids and returns of two operators who start many jobs each at once, and a batch that is signed once.
 *
 * `NATRIUM_JOBS_AT_ONCE=500` is what each of them starts in `npm run test:system`.
 */
import { readOrMakeIdentity } from '@natrium/keystore';
import { isMap, type JobNews, type Value } from '@natrium/model';
import { decode, toHex } from '@natrium/envelope';
import { until } from '@natrium/testing';
import { readAs, records } from '@natrium/wire';
import { openBucket, SealedStore } from '@natrium/bus';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { accountKeyPath } from '../../apps/cli/src/accounts/own-identity.js';
import { asRole } from '../../apps/cli/src/link/as-role.js';
import { openMaster, type OpenOptions, type OpenMaster } from '../../apps/cli/src/link/open-master.js';
import { printFigure } from '../support/figures.js';
import { BUILT } from '../support/places.js';
import { runProgram } from '../support/run-program.js';
import { Tap } from '../support/tap.js';
import { useCluster } from '../support/use-cluster.js';

const MINIONS = ['a', 'b', 'c'];
const JOBS = Number(process.env['NATRIUM_JOBS_AT_ONCE'] ?? 100);
/** Jobs of one operator on their way at the same time. */
const AT_ONCE = 50;
const MASTER = `show_jid: True
cli_summary: True
publisher_acl:
  alice:
    - .*
    - '@runner'
  bob:
    - .*
    - '@runner'
`;

const open: OpenMaster[] = [];

afterAll(async () => {
  await Promise.all(open.map(({ transport }) => transport.drain()));
});

const cluster = useCluster({ minions: MINIONS, masterConfig: MASTER, replicas: { 'master-gateway': 2 } });

it('a second agent on the folders of one that lives is refused, and no job runs twice', async () => {
  const { client } = await alice();
  const agent = join(BUILT, 'minion-agent', 'main.mjs');
  const second = await runProgram(process.execPath, [agent, '-c', cluster().minion('a')]);
  expect(second).toMatchObject({ code: 1, stdout: '' });
  const pid = String(cluster().pidOf('a'));
  expect(second.stderr).toMatch(
    new RegExp(`^natrium-minion a: \\S+ is in use by another natrium-minion \\(process ${pid}\\); .+\n$`),
  );
  const mark = join(cluster().folder, 'ran-once');
  const next = client.inBatches(anAsk('a', 'cmd.run', [`echo >> ${mark}`, shell()]));
  expect(await told(next(['a']))).toEqual({ a: '' });
  expect(readFileSync(mark, 'utf8')).toBe('\n');
  expect((await cluster().call('a', 'test.ping')).code).toBe(0);
});

it('a job is shown to who types it as the master file says', async () => {
  const { code, stdout } = await cluster().natrium('a', 'test.ping');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^jid: \d{20}\na:\n {4}True\n/);
  expect(stdout).toContain('# of minions targeted: 1\n');
});

describe('a batch that is signed once', () => {
  it('runs once on each minion, whichever batches name it', async () => {
    const { client } = await alice();
    const mark = join(cluster().folder, 'ran-in-batches');
    const next = client.inBatches(anAsk('[ab]', 'cmd.run', [`echo >> ${mark}`, shell()]));
    expect(await told(next(['a']))).toEqual({ a: '' });
    expect(await told(next(['a', 'b']))).toMatchObject({ b: '' });
    await told(next(['b']));
    expect(readFileSync(mark, 'utf8')).toBe('\n\n');
  });

  it('is refused for a minion that it does not mean, and nothing is sent', async () => {
    const { client } = await alice();
    const tap = await Tap.open(cluster().brokerUrl, cluster().folder, 'nt.main.job.>');
    const next = client.inBatches(anAsk('[ab]', 'test.ping', []));
    expect(await told(next(['a', 'c']))).toEqual({ refused: 'not_permitted' });
    expect(await tap.take()).toEqual([]);
    expect(await told(next(['a']))).toEqual({ a: true });
    expect(await tap.take()).toHaveLength(1);
    await tap.close();
  });
});

describe('a run', () => {
  it('tells an operator its jid before its end, which bears the same', async () => {
    const { client } = await alice();
    const jids: string[] = [];
    const answer = await client.run({ fun: 'test.sleep', args: [0.1], timeout: 30 }, 'all', (jid) => jids.push(jid));
    if (!answer.ok) throw new Error(answer.error.sentence);
    expect(answer.value.ret).toBe(true);
    expect(jids).toEqual([answer.value.jid]);
  });

  it('that is not done in its time is ended, and its caller hears just that', async () => {
    const { client } = await alice();
    const answer = await client.run({ fun: 'test.sleep', args: [30], timeout: 1 });
    if (!answer.ok) throw new Error(answer.error.sentence);
    expect(answer.value).toMatchObject({ success: false, retcode: 1 });
    expect(answer.value.ret).toMatch(/'test.sleep' was ended: it took too long$/);
  });
});

describe('a list of ids', () => {
  it('may hold an empty name, as `-L a,` brings it: nobody has it, and the others are asked', async () => {
    const { client } = await alice();
    const ask = { ...anAsk('', 'test.ping', []), tgt: ['a', ''], tgtType: 'list' };
    expect(await told(client.publish(ask))).toEqual({ a: true });
  });
});

describe('jobs.active', () => {
  /** Each question goes to either gateway: that the other one is never asked in so many has odds of one in a million. */
  const TIMES = 20;

  it('tells of a job that runs, whichever of two gateways is asked, and of none that has ended', async () => {
    const master = await alice();
    const end = join(cluster().folder, 'end-of-job');
    const started = await master.client.publishAsync(
      anAsk('a', 'cmd.run', [`until [ -e ${end} ]; do sleep 0.05; done`, shell()]),
    );
    if (!started.ok) throw new Error(started.error.sentence);
    const { jid } = started.value;
    const told: Value[] = [];
    const running = () => inCache(master, 'jobs.active', []).then((active) => isMap(active) && active[jid]);
    await until('it runs', async () => (await running()) !== undefined);
    for (let n = 0; n < TIMES; n += 1) told.push((await running()) ?? 'nothing');
    writeFileSync(end, '');
    const entry = { Function: 'cmd.run', Running: [{ a: 0 }], Returned: [] };
    expect(told).toMatchObject(Array.from({ length: TIMES }, () => entry));
    await until('it has ended', async () => (await running()) === undefined);
  });
});

describe(`two operators who start ${String(JOBS)} jobs each at once, through two gateways`, () => {
  it('get a jid for each, and each return of each job is in the cache under its own', async () => {
    const tap = await Tap.open(cluster().brokerUrl, cluster().folder, 'nt.main.up.*.return.*');
    const [one, other] = await Promise.all([alice(), bob()]);
    const began = performance.now();
    const started = (await Promise.all([manyJobs(one, 'alice'), manyJobs(other, 'bob')])).flat();
    printFigure(`${String(2 * JOBS)} jobs of two operators through two gateways`, performance.now() - began, 'ms');
    expect(new Set(started.map(({ jid }) => jid)).size).toBe(2 * JOBS);
    expect(started.filter(({ word, heard }) => heard.length !== 1 || heard[0] !== word)).toEqual([]);
    const gateways = new Set((await tap.take()).map(({ subject }) => subject.split('.').at(-1)));
    expect(gateways.size).toBe(2);
    await tap.close();
    const cached = await inCache(one, 'jobs.list_jobs', []);
    const kept = Object.entries(isMap(cached) ? cached : {}).map(([jid, job]) => [
      jid,
      isMap(job) ? [job['User'], job['Arguments']] : [],
    ]);
    const asked = started.map(({ jid, user, word }) => [jid, [user, [word]]]);
    expect(Object.fromEntries(kept)).toMatchObject(Object.fromEntries(asked));
    const jids = new Set(started.map(({ jid }) => jid));
    const returns = (await storedReturns(other)).filter(({ jid }) => jids.has(jid));
    expect(new Map(returns.map(({ jid, outcome }) => [jid, outcome.ret]))).toEqual(
      new Map(started.map(({ jid, word }) => [jid, word])),
    );
    expect(returns).toHaveLength(2 * JOBS);
  });
});

interface Started {
  readonly jid: string;
  readonly user: string;
  readonly word: string;
  readonly heard: readonly Value[];
}

async function manyJobs(by: OpenMaster, user: string): Promise<readonly Started[]> {
  const jobs: Started[] = [];
  const words = Array.from({ length: JOBS }, (_, index) => `${user}${String(index)}`);
  const worker = async () => {
    for (let word = words.pop(); word !== undefined; word = words.pop()) jobs.push(await oneJob(by, user, word));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return jobs;
}

async function oneJob(by: OpenMaster, user: string, word: string): Promise<Started> {
  const tgt = MINIONS[word.length % MINIONS.length] ?? 'a';
  let jid = '';
  const heard: Value[] = [];
  for await (const news of by.client.publish(anAsk(tgt, 'test.echo', [word]))) {
    if (news.type === 'refused') throw new Error(news.refusal.sentence);
    if (news.type === 'started') ({ jid } = news);
    if (news.type === 'return') heard.push(news.ret);
  }
  return { jid, user, word, heard };
}

function anAsk(tgt: string, fun: string, args: readonly Value[]) {
  return {
    tgt,
    tgtType: 'glob',
    funs: [fun],
    args: [args],
    timeout: 15,
    returner: '',
    returnerOptions: {},
    options: {},
  };
}

async function inCache({ client }: OpenMaster, fun: string, args: readonly Value[]): Promise<Value> {
  const answer = await client.run({ fun, args, timeout: 30 });
  if (!answer.ok) throw new Error(answer.error.sentence);
  return answer.value.ret;
}

/** All returns that the job cache holds, as they are stored. */
async function storedReturns({ config, keys }: OpenMaster): Promise<readonly records.StoredReturn[]> {
  const ttlMs = config.keep_jobs_seconds * 1000;
  const groups = await asRole('auditor', config, async (transport) => {
    const bucket = await openBucket(transport, { name: `NT_${config.cluster}_jobs`, replicas: 1, ttlMs });
    return new SealedStore(bucket, keys.storageKeys('jobs'), () => undefined).list('r.*.*');
  });
  if (groups === undefined) throw new Error('nobody may read the job cache here');
  return groups.flatMap(({ value }) => readAs(records.ReturnGroup, decode(value)));
}

const sessions = new Map<string, Promise<OpenMaster>>();
const alice = () => sessionOf('alice');
const bob = () => sessionOf('bob');

function sessionOf(name: string): Promise<OpenMaster> {
  const opened = sessions.get(name) ?? operator(name);
  sessions.set(name, opened);
  return opened;
}

/** An account with a key of its own, enrolled by the first account as `natriumctl accounts sync` does it. */
async function operator(name: string): Promise<OpenMaster> {
  const first = await session({ uid: 0, name: 'root', sudoUser: undefined });
  const path = accountKeyPath(first.config.pki_dir, name);
  mkdirSync(dirname(path), { recursive: true });
  const { identity } = readOrMakeIdentity(path);
  const card = { name, identity: toHex(identity.publicKey), nkey: toHex(identity.nkeyPublic) };
  const enrolled = await first.client.admin('key', 'account.enrol', [card]);
  if (!enrolled.ok) throw new Error(enrolled.error.sentence);
  return session({ uid: 1000, name, sudoUser: undefined });
}

async function session(account: NonNullable<OpenOptions['account']>): Promise<OpenMaster> {
  const opened = await openMaster(cluster().master, { account });
  if (!opened.ok) throw new Error(opened.error.sentence);
  open.push(opened.value);
  return opened.value;
}

function shell(): Value {
  return { __kwarg__: true, python_shell: true };
}

async function told(job: AsyncIterable<JobNews>): Promise<Readonly<Record<string, Value>>> {
  const returns: Record<string, Value> = {};
  for await (const news of job) {
    if (news.type === 'refused') return { refused: news.refusal.code };
    if (news.type === 'return') returns[news.id] = news.ret;
    if (news.type === 'end') for (const { id, why } of news.absent) returns[id] = why;
  }
  return returns;
}
