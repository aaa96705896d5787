import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadMasterConfig, type MasterConfig } from '@natrium/config';
import { sodiumReady } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import {
  type BrokerSeen,
  checkBroker,
  checkClock,
  checkInForce,
  checkNodes,
  checkSerials,
  checkServices,
  checkStreams,
} from './cluster-checks.js';
import type { Finding } from './finding.js';
import { checkKeys } from './host-checks.js';

const loaded = loadMasterConfig();
if (!loaded.ok) throw new Error('the default configuration has problems');
const config: MasterConfig = { ...loaded.value.config, broker_auth: 'jwt' };
const good: BrokerSeen = { version: '2.10.27', maxPayload: 8 << 20, jetstream: true, tls: true };
const three = { ...config, nats: ['nats://a:4222', 'nats://b:4222', 'nats://c:4222'] };

const wrong = (findings: readonly Finding[]) =>
  findings.filter(({ level }) => level !== 'ok').map(({ check, level }) => `${level} ${check}`);

it.each([
  ['a good broker', good, config, []],
  ['a broker that is too old', { ...good, version: '2.9.25' }, config, ['problem broker']],
  ['a broker of another age', { ...good, version: '1.4.0' }, config, ['problem broker']],
  ['no JetStream', { ...good, jetstream: false }, config, ['problem broker']],
  ['small messages only', { ...good, maxPayload: 1 << 20 }, config, ['problem broker']],
  ['a broker without users', good, { ...config, broker_auth: 'none' as const }, ['warning broker users']],
  ['no TLS on this host', { ...good, tls: false }, config, []],
  ['no TLS between hosts', { ...good, tls: false }, three, ['warning broker tls']],
])('of the broker: %s', (_about, seen, configured, expected) => {
  expect(wrong(checkBroker(seen, configured))).toEqual(expected);
});

it('says what is lost without users of the broker', () => {
  const [, users] = checkBroker(good, { ...config, broker_auth: 'none' });
  expect(users?.what).toMatch(/listen.*junk.*stores.*revoked/);
});

it.each([
  [[{ name: 'a', syncAlways: true, cluster: 1 }], []],
  [[{ name: 'a', syncAlways: false, cluster: 1 }], ['problem jetstream sync']],
  [['a', 'b', 'c'].map((name) => ({ name, syncAlways: false, cluster: 3 })), ['warning jetstream sync']],
  [undefined, []],
])('of syncing: %j', (nodes, expected) => {
  expect(wrong(checkNodes(nodes))).toEqual(expected);
});

it.each([
  ['1 of 3 nodes', ['a', 'b'].map((name) => ({ name, syncAlways: true, cluster: 3 }))],
  ['1 of 1 node', []],
])('of nodes that are silent: %s', (which, nodes) => {
  expect(wrong(checkNodes(nodes))).toContain('warning jetstream nodes');
  expect(checkNodes(nodes)[0]?.what).toMatch(`${which} of the broker did not answer in time`);
});

it.each([
  [[{ name: 'KV_NT_main_jobs', replicas: 1, offline: 0 }], config, []],
  [[{ name: 'KV_NT_main_jobs', replicas: 1, offline: 0 }], three, ['problem jetstream replicas']],
  [[{ name: 'KV_NT_main_jobs', replicas: 3, offline: 0 }], three, []],
  [[{ name: 'KV_NT_main_jobs', replicas: 3, offline: 1 }], three, ['problem jetstream replicas']],
])('of streams: %j', (streams, configured, expected) => {
  expect(wrong(checkStreams(streams, configured))).toEqual(expected);
});

it.each([
  [0, []],
  [-999, []],
  [1500, ['warning clock']],
  [-30_001, ['problem clock']],
])('of a clock that is %d ms off', (offset, expected) => {
  expect(wrong(checkClock(offset, config))).toEqual(expected);
});

it('of services: none, one, two', () => {
  const seen = ['acl', 'gateway', 'gateway'].map((name) => ({ name, rolesSerial: 1 }));
  expect(checkServices(seen, config).map(({ level, what }) => [level, what])).toEqual([
    ['ok', '2 master-gateways'],
    ['warning', 'only one acl-service is running: while it is down, nobody does its work'],
    ['problem', 'no runner-service is running'],
  ]);
});

it('of a service that is not there: that it may have ended by itself, and where it says why', () => {
  expect(checkServices([], config).map(({ mend }) => mend)).toEqual([
    'start one (systemctl start natrium-gateway), or look into its log',
    'start one (systemctl start natrium-acl), or look into its log',
    'start one (systemctl start natrium-runner), or look into its log',
  ]);
});

describe('of the policy in force', () => {
  const there = ['one', 'two'];
  const same = { policy: 'aa', refused: false };

  it.each([
    ['all have that of the files', [same, same], []],
    ['one has another', [same, { policy: 'bb', refused: false }], ['problem policy in force']],
    ['one refuses the newest files', [same, { policy: 'aa', refused: true }], ['problem policy in force']],
    ['one refuses them, and one has another', [{ policy: 'bb', refused: false }, { policy: 'cc', refused: true }], ['problem policy in force', 'problem policy in force']],
    ['one says nothing', [same], ['warning policy in force']],
  ])('%s', (_about, told, expected) => {
    expect(wrong(checkInForce({ there, told }, 'aa'))).toEqual(expected);
  }); // prettier-ignore

  it('nothing where there is no acl-service, and why when nobody may ask', () => {
    expect(checkInForce({ there: [], told: [] }, 'aa')).toEqual([]);
    expect(checkInForce({ there, told: [], problem: 'not permitted' }, 'aa')[0]?.what).toBe(
      '2 of 2 acl-services do not say which policy is in force there (not permitted)',
    );
  });
});

it('of the event-sink: only where there is something to deliver to', () => {
  const seen = ['acl', 'acl', 'gateway', 'gateway', 'runner', 'runner'].map((name) => ({ name, rolesSerial: 1 }));
  const db = { to: 'postgresql://127.0.0.1/salt', secret_file: '', tags: ['*'], from: 'now' as const };
  expect(wrong(checkServices(seen, config))).toEqual([]);
  expect(wrong(checkServices(seen, { ...config, event_sinks: { db } }))).toEqual(['problem replicas']);
});

it('of roles documents: names who has not seen the newest', () => {
  const seen = [{ name: 'acl', rolesSerial: 2 }, { name: 'web1', rolesSerial: 1 }]; // prettier-ignore
  const both = (newest: number) => checkSerials(seen.slice(0, 1), { seen: seen.slice(1) }, newest);
  expect(wrong(both(2))).toEqual(['warning roles seen']);
  expect(both(2)[0]?.what).toBe('web1 have not seen roles document 2 yet');
  expect(wrong(both(1))).toEqual([]);
});

it('of what could not be asked: that it is not known, and nothing good', () => {
  const why = 'the master did not answer in time';
  const [unknown, ...others] = checkSerials([{ name: 'acl', rolesSerial: 2 }], { seen: [], problem: why }, 2);
  expect([unknown?.level, unknown?.what, others]).toEqual(['warning', `which one each minion has seen is not known (${why})`, []]); // prettier-ignore
  expect(wrong(checkClock(undefined, config))).toEqual(['warning clock']);
});

it('of minions that nothing here can look at: that it is not known, and nothing good', () => {
  const [unknown, ...others] = checkSerials([{ name: 'acl', rolesSerial: 2 }], undefined, 2);
  const what = 'which one each minion has seen is not known: there are no credentials of the auditor here';
  expect([unknown?.level, unknown?.what, others]).toEqual(['warning', what, []]);
});

it('of the roles document: warns before it ends, calls the last two weeks a problem, and says when it has ended', async () => {
  await sodiumReady();
  const folder = mkdtempSync(join(tmpdir(), 'nt-doctor-'));
  try {
    const now = Date.now();
    new MasterKeys(folder).create(now);
    const day = 86_400_000;
    const at = (days: number) =>
      checkKeys({ ...config, pki_dir: folder }, now + days * day).find(({ check }) => check === 'roles')?.level;
    expect([at(0), at(650), at(715), at(717), at(731)]).toEqual(['ok', 'warning', 'warning', 'problem', 'problem']);
    const { notAfter } = new MasterKeys(folder).roles().document;
    const said = [notAfter, notAfter + 1].map((ms) => checkKeys({ ...config, pki_dir: folder }, ms)[0]?.what);
    expect(said).toEqual(['roles document 1 ends in 0 days', 'roles document 1 has expired: nobody takes it']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
