/** What is in PostgreSQL after a sink's delivery: Salt's tables, each event once, also beside a Salt master that writes there. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Heard } from '@natrium/events';
import type { ValueMap } from '@natrium/model';
import type { Client } from 'pg';
import { EventRefused, TookTooLong } from '../../apps/event-sink/src/destination.js';
import { PostgresDestination } from '../../apps/event-sink/src/postgres.js';
import { Postgres, rowsOf } from './postgres.js';

const JID = '20261121120000000001';
const STAMP = '2026-11-21T12:00:00.123456';
/** As the documentation of Salt's pgjsonb has them. */
const SALTS_OWN = `
CREATE TABLE jids (jid varchar(255) NOT NULL primary key, load jsonb NOT NULL);
CREATE TABLE salt_returns (fun varchar(50) NOT NULL, jid varchar(255) NOT NULL, return jsonb NOT NULL,
  id varchar(255) NOT NULL, success varchar(10) NOT NULL, full_ret jsonb NOT NULL,
  alter_time TIMESTAMP WITH TIME ZONE DEFAULT NOW());
CREATE SEQUENCE seq_salt_events_id;
CREATE TABLE salt_events (id BIGINT NOT NULL UNIQUE DEFAULT nextval('seq_salt_events_id'), tag varchar(255) NOT NULL,
  data jsonb NOT NULL, alter_time TIMESTAMP WITH TIME ZONE DEFAULT NOW(), master_id varchar(255) NOT NULL);
INSERT INTO salt_events (tag, data, master_id, alter_time) VALUES ('old', '{}', 'salt_master', to_timestamp(1));`;

let server: Postgres;
let names = 0;
const opened: PostgresDestination[] = [];

beforeAll(async () => {
  server = await Postgres.start();
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
afterAll(async () => {
  await server.stop();
});

/** A database of its own for each test. */
async function aDatabase(): Promise<{ readonly name: string; readonly client: Client }> {
  names += 1;
  const name = `salt${String(names)}`;
  return { name, client: await server.database(name) };
}

function sinkOf(database: string, user = 'salt', secretFile = server.secretFile, statementMs = 15_000) {
  const url = server.url(database, user);
  const one = new PostgresDestination({ url, secretFile, masterId: 'here_master', statementMs });
  opened.push(one);
  return one;
}

function anEvent(number: number, tag: string, data: ValueMap = {}): Heard {
  const origin = { kind: 'service' as const, name: 'gateway' };
  return { tag, data, stamp: STAMP, cursor: `${String(number)}.0`, origin, id: `gw-1.${String(number)}` };
}

const RETURN = { id: 'web1', fun: 'cmd.run_all', fun_args: ['x'], jid: JID, return: { retcode: 0 }, success: true };
const JOB = [
  anEvent(1, `salt/job/${JID}/new`, { jid: JID, fun: 'cmd.run_all', minions: ['web1'], tgt: '*' }),
  anEvent(2, `salt/job/${JID}/ret/web1`, RETURN),
];

it('has the events, jobs and returns where Salt’s returner has them', async () => {
  const { name, client } = await aDatabase();
  await sinkOf(name).deliver(JOB);
  expect(await rowsOf(client, 'SELECT tag, data, master_id, origin, event_id FROM salt_events ORDER BY id')).toEqual([
    {
      ...{ tag: JOB[0]?.tag, data: { ...JOB[0]?.data, _stamp: STAMP }, master_id: 'here_master', event_id: 'gw-1.1' },
      origin: { kind: 'service', name: 'gateway' },
    },
    expect.objectContaining({ tag: JOB[1]?.tag, data: { ...RETURN, _stamp: STAMP } }),
  ]);
  // Salt's own questions: get_load, get_jid.
  expect(await rowsOf(client, 'SELECT load FROM jids WHERE jid = $1', JID)).toEqual([{ load: JOB[0]?.data }]);
  expect(await rowsOf(client, 'SELECT id, full_ret FROM salt_returns WHERE jid = $1', JID)).toEqual([
    { id: 'web1', full_ret: RETURN },
  ]);
  expect(await rowsOf(client, 'SELECT fun, return, success, alter_time FROM salt_returns')).toEqual([
    { fun: 'cmd.run_all', return: { retcode: 0 }, success: 'true', alter_time: new Date('2026-11-21T12:00:00.123Z') },
  ]);
});

it('has each event once, however often it is delivered', async () => {
  const { name, client } = await aDatabase();
  await sinkOf(name).deliver(JOB);
  await sinkOf(name).deliver([...JOB, ...JOB, anEvent(3, 'more')]);
  const counted = 'SELECT (SELECT count(*) FROM salt_events) AS events, (SELECT count(*) FROM jids) AS jids, (SELECT count(*) FROM salt_returns) AS returns'; // prettier-ignore
  expect(await rowsOf(client, counted)).toEqual([{ events: '3', jids: '1', returns: '1' }]);
});

it('uses the tables of a Salt master, which still writes to them as before', async () => {
  const { name, client } = await aDatabase();
  await client.query(SALTS_OWN);
  await sinkOf(name).deliver(JOB);
  await client.query(`INSERT INTO salt_events (tag, data, master_id, alter_time) VALUES ('salts', '{}', 'salt_master', to_timestamp(2))`); // prettier-ignore
  await client.query(`INSERT INTO salt_returns (fun, jid, return, id, success, full_ret, alter_time) VALUES ('test.ping', '1', 'true', 'web1', 'true', '{}', to_timestamp(2))`); // prettier-ignore
  const tags = await rowsOf(client, 'SELECT tag FROM salt_events ORDER BY id');
  expect(tags.map(({ tag }) => tag)).toEqual(['old', ...JOB.map(({ tag }) => tag), 'salts']);
});

it('needs no right but to insert where the tables are there, and makes none without one', async () => {
  const { name, client } = await aDatabase();
  const secret = join(server.folder, 'writer');
  writeFileSync(secret, 'another password\n');
  await client.query(`CREATE ROLE writer${name} LOGIN PASSWORD 'another password'`);
  await expect(sinkOf(name, `writer${name}`, secret).deliver(JOB)).rejects.toThrow('permission denied');
  expect(await rowsOf(client, "SELECT to_regclass('salt_events') AS made")).toEqual([{ made: null }]);
  await sinkOf(name).deliver(JOB);
  await client.query(`GRANT INSERT, SELECT ON jids, salt_returns, salt_events TO writer${name}`);
  await client.query(`GRANT USAGE ON SEQUENCE seq_salt_events_id TO writer${name}`);
  await sinkOf(name, `writer${name}`, secret).deliver([anEvent(3, 'more')]);
  expect(await rowsOf(client, 'SELECT count(*) FROM salt_events')).toEqual([{ count: '3' }]);
});

it('takes what is too long for a column, or no text of PostgreSQL', async () => {
  const { name, client } = await aDatabase();
  const odd = { out: 'a\0b', half: '\ud800', large: 12345678901234567890n };
  await sinkOf(name).deliver([
    anEvent(1, 't'.repeat(512), odd),
    anEvent(2, `salt/job/${JID}/ret/web1`, { ...RETURN, fun: Array.from({ length: 40 }, () => 'test.ping') }),
  ]);
  const [row] = await rowsOf(client, "SELECT tag, data->>'out' AS out, data->>'large' AS large FROM salt_events");
  expect(row).toEqual({ tag: 't'.repeat(255), out: 'a\ufffdb', large: '12345678901234567890' });
});

it('refuses for good what it can never hold, all of a batch or nothing', async () => {
  const { name, client } = await aDatabase();
  const bad = { ...anEvent(2, 'bad'), stamp: 'no time' };
  await expect(sinkOf(name).deliver([anEvent(1, 'good'), bad])).rejects.toThrow(EventRefused);
  expect(await rowsOf(client, 'SELECT tag FROM salt_events')).toEqual([]);
});

it('gives up in the server what takes too long: nothing of it stays, and nothing waits for it', async () => {
  const { name, client } = await aDatabase();
  const sink = sinkOf(name, 'salt', server.secretFile, 500);
  await sink.deliver([anEvent(1, 'first')]);
  await client.query(
    "CREATE FUNCTION slow() RETURNS trigger AS 'BEGIN PERFORM pg_sleep(0.1); RETURN NEW; END' LANGUAGE plpgsql",
  );
  await client.query('CREATE TRIGGER slow BEFORE INSERT ON salt_events FOR EACH ROW EXECUTE FUNCTION slow()');
  const many = Array.from({ length: 20 }, (_, n) => anEvent(n + 2, 'many'));
  const refused: unknown = await sink.deliver(many).catch((cause: unknown) => cause);
  expect(refused).toBeInstanceOf(TookTooLong);
  expect(String(refused)).toMatch(/statement timeout \(57014\)$/);
  await sink.deliver(many.slice(0, 2));
  const counted = 'SELECT count(*) FROM salt_events';
  expect(await rowsOf(client, counted)).toEqual([{ count: '3' }]);
});

it('holds no keys of its events any more once it has waited too long for somebody’s lock', async () => {
  const { name, client } = await aDatabase();
  await sinkOf(name).deliver([anEvent(1, 'first')]);
  // The second statement of the batch waits for this lock; the events of the first hold their unique keys meanwhile.
  await client.query('BEGIN; LOCK TABLE jids');
  await expect(sinkOf(name, 'salt', server.secretFile, 300).deliver(JOB)).rejects.toThrow(TookTooLong);
  await sinkOf(name).deliver([anEvent(2, 'the same event')]);
  await client.query('COMMIT');
  expect(await rowsOf(client, 'SELECT count(*) FROM salt_events')).toEqual([{ count: '2' }]);
});

it('speaks TLS with a server whose authority it knows, and with no other', async () => {
  const { name, client } = await aDatabase();
  const over = (parameters: string) => {
    const url = `${server.url(name)}?sslmode=verify-full${parameters}`;
    const one = new PostgresDestination({ url, secretFile: server.secretFile, masterId: 'here_master' });
    opened.push(one);
    return one;
  };
  await expect(over('').deliver(JOB)).rejects.toThrow(/self-signed|unable to verify|issuer/);
  await over(`&sslrootcert=${server.authority}`).deliver(JOB);
  // Of this database: a connection that another test has closed may not have ended at the server.
  const used =
    "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'natrium event-sink' AND datname = $1";
  expect(await rowsOf(client, used, name)).toEqual([{ ssl: true }]);
});

it('says why a database takes nothing, without its secret, and goes on when it is back', async () => {
  const { name } = await aDatabase();
  const wrong = join(server.folder, 'wrong');
  writeFileSync(wrong, 'hidden\n');
  const refused: unknown = await sinkOf(name, 'salt', wrong)
    .deliver(JOB)
    .catch((cause: unknown) => cause);
  expect(String(refused)).toMatch(/password authentication failed/);
  expect(String(refused)).not.toContain('hidden');
  const sink = sinkOf(name);
  await sink.deliver(JOB);
  server.down();
  await expect(sink.deliver([anEvent(3, 'meanwhile')])).rejects.not.toThrow(EventRefused);
  server.up();
  await sink.deliver([anEvent(3, 'meanwhile')]);
  expect(await rowsOf(await server.client(name), 'SELECT count(*) FROM salt_events')).toEqual([{ count: '3' }]);
});
