/**
 * A JetStream that takes no writes: jobs are refused with a reason and nothing runs, returns wait where they are, and all goes
 * on by itself when it takes writes again.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@natrium/testing';
import { jetstreamManager, type StreamAPI } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { useCluster } from '../support/use-cluster.js';

const LONG_MS = 360_000;
const JOBS = ['KV_NT_main_jobs', 'KV_NT_main_jobs2'];
const UNAVAILABLE = 69;

let folder: string;
let operator: NatsConnection;
let streams: StreamAPI;
// Clients go before the cluster: hooks run in the order in which they stand here.
afterAll(async () => {
  await operator.close();
  rmSync(folder, { recursive: true, force: true });
});
const cluster = useCluster({ minions: ['a'], masterConfig: '', brokerAuth: 'none' });
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nt-refused-'));
  operator = await connect({ servers: cluster().brokerUrl });
  ({ streams } = await jetstreamManager(operator));
});

const mark = (name: string) => join(folder, name);
const countOf = (name: string) =>
  existsSync(mark(name)) ? readFileSync(mark(name), 'utf8').split('\n').length - 1 : 0;

const said = (words: string) => cluster().lines.some((line) => line.includes(words));

it(
  'refuses jobs and runs nothing, keeps the returns of what ran, and stores them when it can be written again',
  async () => {
    const waiting = `sh -c 'echo ran >> ${mark('waits')}; while [ ! -e ${mark('go')} ]; do sleep 0.05; done; echo back'`;
    const started = await cluster().natrium('a', 'cmd.run', waiting, '--async', '--timeout=60');
    const jid = /\d{20}/.exec(started.stdout)?.[0] ?? '';
    await until('it runs', () => countOf('waits') === 1);
    for (const jobs of JOBS) {
      const { state } = await streams.info(jobs);
      await streams.update(jobs, { max_bytes: Math.max(state.bytes, 1) });
    }

    const refused = await cluster().natrium('a', 'cmd.run', `sh -c 'echo ran >> ${mark('refused')}'`);
    expect(refused.code).toBe(UNAVAILABLE);
    expect(refused.stdout + refused.stderr).toMatch(
      /could not be written, so nothing was sent: .*maximum bytes exceeded/,
    );
    await until('the alert', () => said('the broker takes no writes to NT_main_jobs'));
    writeFileSync(mark('go'), '');
    const spool = join(cluster().minion('a'), 'cache', 'spool', 'returns');
    await until('the return waits', () => readFileSync(spool, 'utf8') !== '' && said('returns cannot be stored'));
    expect((await cluster().run('jobs.lookup_jid', jid, '--out=json')).stdout).not.toContain('back');

    for (const jobs of JOBS) await streams.update(jobs, { max_bytes: -1 });
    await until('the return is stored', async () =>
      (await cluster().run('jobs.lookup_jid', jid, '--out=json')).stdout.includes('back'),
    );
    await until('the spool is empty', () => readFileSync(spool, 'utf8') === '');
    await until('the word that it is over', () => said('the broker takes writes to NT_main_jobs again'));
    expect([countOf('waits'), countOf('refused')]).toEqual([1, 0]);
    expect((await cluster().natrium('a', 'test.ping')).code).toBe(0);
  },
  LONG_MS,
);

it(
  'a service that writes nothing else stores its announcement again by itself, and says when the broker takes it',
  async () => {
    const announcements = 'KV_NT_main_announcements';
    await streams.update(announcements, { max_msg_size: 10 });
    cluster().kill('runner-service', 'SIGUSR2'); // a new epoch, which it announces
    await until('the alert', () => said('the broker takes no writes to NT_main_announcements'));
    await streams.update(announcements, { max_msg_size: -1 });
    await until('the word that it is over', () => said('the broker takes writes to NT_main_announcements again'));
  },
  LONG_MS,
);

it.each([
  ['a run', 'KV_NT_main_runs', () => cluster().run('test.sleep', '0'), /could not be written, so nothing was run: /],
  ['a change of keys', 'KV_NT_main_roster', () => cluster().key('-d', 'a', '-y'), /could not be written/],
] as const)(
  'refuses %s with the reason, and takes it when it can be written again',
  async (_about, store, ask, why) => {
    await streams.update(store, { max_msg_size: 10 });
    const refused = await ask();
    expect(refused.stdout + refused.stderr).toMatch(why);
    expect(refused.code).toBe(UNAVAILABLE);
    expect((await cluster().natrium('a', 'test.ping')).code).toBe(0);
    await streams.update(store, { max_msg_size: -1 });
    expect((await ask()).code).toBe(0);
  },
);
