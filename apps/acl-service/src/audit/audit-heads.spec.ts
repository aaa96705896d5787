/** Rules of what the audit says each minute and at its end: where its chain ends, and how much it has left out about strangers. */
import { jest } from '@jest/globals';
import { MemoryStore } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { clusterOf, decode, readAudit, SigningKey, sodiumReady } from '@natrium/envelope';
import { FakeClock } from '@natrium/testing';
import type { Logger } from 'pino';
import { AuditHeads } from './audit-heads.js';
import type { AuditIndex } from './audit-index.js';
import { AuditLog } from './audit-log.js';

const NOW = 1_795_000_000_000;
const MINUTE_MS = 60_000;
const BURST = 60;

beforeAll(sodiumReady);
afterEach(() => {
  jest.useRealTimers();
});

function aWorld() {
  jest.useFakeTimers({ doNotFake: ['performance', 'nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout'] });
  const store = new MemoryStore('audit');
  const clock = new FakeClock(NOW);
  const hear = () => undefined;
  const audit = new AuditLog(store, {
    instance: 'acl1',
    heads: [],
    now: clock.now,
    windowMs: 1,
    onFailure: hear,
    onRecovered: hear,
  });
  const acl = SigningKey.generate();
  const link = { clock, roles: { cluster: clusterOf(acl.publicKey) } } as unknown as RoleLink;
  const parts = {
    audit,
    index: { ends: () => Promise.resolve([]) } as unknown as AuditIndex,
    log: { info: hear } as unknown as Logger,
  };
  const heads = new AuditHeads(link, acl, parts);
  const fail = (times: number) => {
    for (let n = 0; n < times; n += 1) audit.note({ what: 'login', verdict: 'refuse', rule: null, detail: {} });
  };
  const saidLeftOut = async () => {
    await audit.settled();
    const records = (await store.list('a.>')).flatMap(({ value }) => decode(value) as readonly Uint8Array[]);
    const read = records.map((bytes) => readAudit(bytes)).flatMap((one) => (one.ok ? [one.value] : []));
    return read.filter(({ what }) => what === 'left_out').map(({ detail }) => detail);
  };
  return { heads, fail, saidLeftOut };
}

it('says once a minute how many records about strangers were left out, and nothing where none was', async () => {
  const { heads, fail, saidLeftOut } = aWorld();
  fail(BURST);
  jest.advanceTimersByTime(MINUTE_MS);
  expect(await saidLeftOut()).toEqual([]);
  fail(7);
  expect(await saidLeftOut()).toEqual([]);
  jest.advanceTimersByTime(3 * MINUTE_MS);
  expect(await saidLeftOut()).toEqual([{ login: 7 }]);
  await heads.onModuleDestroy();
});

it('says it at its end, too', async () => {
  const { heads, fail, saidLeftOut } = aWorld();
  fail(BURST + 2);
  await heads.onModuleDestroy();
  expect(await saidLeftOut()).toEqual([{ login: 2 }]);
});
