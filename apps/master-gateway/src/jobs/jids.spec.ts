/** Rules of the jids that gateways mint: rising, and none twice, whichever of them mints it. */
import { jest } from '@jest/globals';
import { MemoryStore } from '@natrium/bus';
import { decode } from '@natrium/envelope';
import { Jids } from './jids.js';

/** 2027-01-01 00:00:10 UTC. */
const NOW = Date.UTC(2027, 0, 1, 0, 0, 10);

let store: MemoryStore;
let now: number;
const open: Jids[] = [];
beforeEach(() => {
  store = new MemoryStore('jids');
  now = NOW;
});
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

async function aGateway(instance: string, behindMs = 0): Promise<Jids> {
  const jids = await Jids.open(store, { instance, now: () => now - behindMs });
  open.push(jids);
  return jids;
}

const some = (jids: Jids, count: number) => Promise.all(Array.from({ length: count }, () => jids.next()));

it('rise, and none comes twice, however many are minted in one millisecond', async () => {
  const jids = await some(await aGateway('gw1'), 2000);
  expect([...new Set(jids)].sort()).toEqual(jids);
  expect(jids[0]).toMatch(/^20270101000010/);
});

it('are those of the minute that the clock says, until more are wanted than it has passed', async () => {
  const one = await aGateway('gw1');
  const jids = await some(one, 11);
  const micros = jids.map((jid) => Number(jid.slice(14)));
  expect((micros[10] ?? 0) - (micros[0] ?? 0)).toBe(1000);
  now += 5;
  expect((await one.next()).slice(0, 17)).toBe('20270101000010005');
});

it('never meet those of another gateway, also where its clock is behind', async () => {
  const gateways = [await aGateway('gw1'), await aGateway('gw2'), await aGateway('gw3', 30_000)];
  const all: string[] = [];
  for (let second = 0; second < 120; second += 1) {
    all.push(...(await Promise.all(gateways.map((one) => some(one, 10)))).flat());
    now += 1000;
  }
  expect(new Set(all).size).toBe(3600);
  const endings = new Set(all.map((jid) => jid.slice(0, 12) + jid.slice(18)));
  const minutes = new Set(all.map((jid) => jid.slice(0, 12)));
  expect(endings.size).toBeGreaterThan(minutes.size);
});

it('of a minute are taken before it begins, under the name of who has them', async () => {
  jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick'] });
  try {
    await aGateway('gw1');
    now += 15_000;
    await jest.advanceTimersByTimeAsync(15_000);
    const taken = await store.list('>');
    expect(taken.map(({ key }) => key.slice(0, 12))).toEqual(['202701010000', '202701010001']);
    expect(taken.map(({ value }) => decode(value))).toEqual(['gw1', 'gw1']);
  } finally {
    jest.useRealTimers();
  }
});

it('of a minute that cannot be taken are asked for again by the next who needs one', async () => {
  const one = await aGateway('gw1');
  const create = store.create.bind(store);
  store.create = () => Promise.reject(new Error('no disk'));
  now += 120_000;
  await expect(one.next()).rejects.toThrow('no disk');
  store.create = create;
  expect(await one.next()).toMatch(/^202701010002/);
});

it('are not minted by the gateway that finds all of a minute taken, and it says so', async () => {
  for (let n = 0; n < 100; n += 1) await store.create(`202701010000.${String(n).padStart(2, '0')}`, Uint8Array.of(1));
  await expect(aGateway('gw1')).rejects.toThrow('all jids of the minute 202701010000 are taken');
});
