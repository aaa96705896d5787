/**
 * Events in a real PostgreSQL, through a whole cluster with users at its broker: the checks of `examples/monitoring` as its
 * files have them, sinks that are killed in the midst, and a database that is away.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { EventClient } from '@natrium/events';
import { until } from '@natrium/testing';
import type { Client } from 'pg';
import { inRoot } from '../support/places.js';
import { runProgram } from '../support/run-program.js';
import { START_MS, upCluster, type UpCluster } from '../support/up-cluster.js';
import { installed } from './host.js';
import { Postgres, rowsOf } from './postgres.js';

const MINIONS = ['web1', 'web2'];
const EVENTS = 2000;
const KILLED_AFTER = 100;
const AT_ONCE = 10;
/** A thousand events are written in it, and another sink may first have to take over. */
const PATIENCE_MS = 120_000;
const LONG_MS = 600_000;

let server: Postgres;
let database: Client;
let cluster: UpCluster;
let bus: EventClient;
let folder: string;

beforeAll(async () => {
  installed('iproute2', '/usr/bin/ss');
  installed('monitoring-plugins-basic', '/usr/lib/nagios/plugins/check_procs');
  server = await Postgres.start();
  database = await server.database('salt');
  cluster = await upCluster({ minions: MINIONS, masterConfig: sinksOfExample(), replicas: { 'event-sink': 3 } });
  bus = new EventClient(join(cluster.master, 'run', 'master_event.sock'));
  folder = mkdtempSync(join(tmpdir(), 'nt-natrium-'));
  const command = `#!/bin/sh\nexec '${process.execPath}' '${cluster.command('natrium')}' "$@"\n`;
  writeFileSync(join(folder, 'natrium'), command, { mode: 0o755 });
  await tablesMade();
}, 2 * START_MS);
afterAll(async () => {
  await bus.close();
  await cluster.stop();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The example's own file, for this database; and another sink, so that order and number can be counted. */
function sinksOfExample(): string {
  const text = readFileSync(inRoot('examples/monitoring/event-sinks.conf'), 'utf8');
  const [to, secret] = [server.url('salt'), server.secretFile];
  return text
    .replace('postgresql://natrium@127.0.0.1/salt', to)
    .replace('/etc/natrium-sink/database.password', secret)
    .replace("'salt/job/*']", "'salt/job/*', 'count/*']\n    from: start");
}

/** Resolves when the event-sink has made its tables: `up` itself has run a job. */
async function tablesMade(): Promise<void> {
  await until('the tables', async () => {
    const [row] = await rowsOf(database, "SELECT to_regclass('salt_events') AS made");
    return row?.['made'] !== null;
  });
}

/** Resolves when a count of rows has come to this number. */
async function counted(where: string, number: number): Promise<void> {
  const isThere = async () => {
    const [row] = await rowsOf(database, `SELECT count(*) FROM ${where}`);
    return Number(row?.['count']) >= number;
  };
  await until(`${String(number)} rows of ${where}`, isThere, PATIENCE_MS);
}

it('a check of every host is in a running listener and in the database, under its tag', async () => {
  const alarm = spawn('python3', [
    inRoot('examples/monitoring/alarm.py'),
    join(cluster.master, 'run', 'master_event.sock'),
  ]);
  const lines = createInterface({ input: alarm.stdout })[Symbol.asyncIterator]();
  const line = async () => String((await lines.next()).value);
  expect(await line()).toBe('listening');
  const check = inRoot('examples/monitoring/check.sh');
  await runProgram('sh', [check, '-c', cluster.master], { env: { PATH: `${folder}:${String(process.env['PATH'])}` } });
  const heard = [await line(), await line()].sort();
  alarm.kill();
  expect(heard).toEqual(
    MINIONS.map((id) => expect.stringMatching(`^monitoring/${id} (OK|WARNING|CRITICAL) PROCS `) as unknown),
  );

  await counted("salt_events WHERE tag LIKE 'monitoring/%'", 2);
  const rows = await rowsOf(database, readFileSync(inRoot('examples/monitoring/last.sql'), 'utf8'));
  const states = ['OK', 'WARNING', 'CRITICAL', 'UNKNOWN'];
  expect(rows.map(({ tag, retcode, said }) => `${String(tag)} ${String(states[Number(retcode)])} ${String(said)}`)).toEqual(heard); // prettier-ignore

  // The job and its returns are where Salt's own returner has them.
  await counted("salt_returns WHERE fun = 'cmd.run_all'", 2);
  const job = "SELECT id, load FROM salt_returns JOIN jids USING (jid) WHERE fun = 'cmd.run_all' ORDER BY id";
  const load: unknown = expect.objectContaining({ fun: 'cmd.run_all', tgt: '*', minions: MINIONS });
  expect(await rowsOf(database, job)).toEqual(MINIONS.map((id) => ({ id, load })));
});

it('an event of a minion’s script is a row with its proved origin, and what no tag names is none', async () => {
  await runProgram('python3', [inRoot('examples/events/minion_to_master.py'), join(cluster.minion('web1'), 'run', 'minion_event.sock')]); // prettier-ignore
  await bus.fire('other/secret', {});
  await bus.fire('monitoring/last', {});
  await counted("salt_events WHERE tag = 'monitoring/last'", 1);
  const rows = await rowsOf(
    database,
    "SELECT tag, origin FROM salt_events WHERE tag ~ '^monitoring/[0-9]$' ORDER BY id",
  );
  const origin = { kind: 'minion', name: 'web1' };
  expect(rows).toEqual([1, 2, 3, 4, 5].map((n) => ({ tag: `monitoring/${String(n)}`, origin })));
  expect(await rowsOf(database, "SELECT tag FROM salt_events WHERE tag LIKE 'other/%'")).toEqual([]);
});

it(
  'each event is there once, and in order, when sinks are killed in the midst of them',
  async () => {
    for (let fired = 0; fired < EVENTS; fired += EVENTS / 2) {
      const firing = fireAll(fired, fired + EVENTS / 2);
      await counted("salt_events WHERE tag = 'count/killed'", fired + KILLED_AFTER);
      process.kill(await deliverer(), 'SIGKILL');
      await firing;
      await counted("salt_events WHERE tag = 'count/killed'", fired + EVENTS / 2);
    }
    const rows = await rowsOf(
      database,
      "SELECT (data->>'n')::int AS n FROM salt_events WHERE tag = 'count/killed' ORDER BY id",
    );
    expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: EVENTS }, (_, n) => n));
  },
  LONG_MS,
);

it(
  'a database that is away holds up nobody, and has all of it when it is back',
  async () => {
    const heard = await bus.subscribe({ tags: ['count/away'] });
    server.down();
    for (let n = 0; n < 100; n += 1) await bus.fire('count/away', { n });
    let count = 0;
    for await (const event of heard) {
      expect(event.data).toEqual({ n: count });
      count += 1;
      if (count === 100) break;
    }
    server.up();
    database = await server.client('salt');
    await counted("salt_events WHERE tag = 'count/away'", 100);
    expect(await rowsOf(database, "SELECT count(DISTINCT event_id), count(*) AS rows FROM salt_events WHERE tag = 'count/away'")).toEqual([{ count: '100', rows: '100' }]); // prettier-ignore
  },
  LONG_MS,
);

async function fireAll(from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, more) => bus.fire('count/killed', { n: n + more })));
}

/** The process that is connected to the database, by the ports of its end as the kernel tells. */
async function deliverer(): Promise<number> {
  const [row] = await rowsOf(
    database,
    "SELECT client_port FROM pg_stat_activity WHERE application_name = 'natrium event-sink' ORDER BY backend_start DESC",
  );
  const { stdout } = await runProgram('ss', ['-Htnp', `sport = :${String(row?.['client_port'])}`]);
  const pid = Number(/pid=(\d+)/.exec(stdout)?.[1]);
  expect(cluster.processes()).toContainEqual(expect.objectContaining({ pid, name: 'event-sink' }));
  return pid;
}
