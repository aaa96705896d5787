/** Rules of what the bus of one host keeps for listeners that come back: so many events, and so many bytes of them. */
import type { Heard } from '../event/event.js';
import { LocalBus } from './local-bus.js';

const ORIGIN = { kind: 'local', name: 'test' } as const;
const MEGABYTE = 'x'.repeat(1 << 20);

async function busThatHeard(count: number, text: string): Promise<LocalBus> {
  const bus = new LocalBus('b', () => 0);
  for (let n = 1; n <= count; n += 1) await bus.fire(`t/${String(n)}`, { text }, ORIGIN);
  return bus;
}

async function history(bus: LocalBus, from: 'start' | { readonly cursor: string }): Promise<readonly Heard[]> {
  return (await bus.subscribe({ from, until: 'now' }).take()) ?? [];
}

it('keeps the last thousand', async () => {
  const heard = await history(await busThatHeard(1200, 'x'), 'start');
  expect([heard.length, heard[0]?.tag]).toEqual([1000, 't/201']);
});

it('keeps fewer where they are large', async () => {
  const heard = await history(await busThatHeard(300, MEGABYTE), 'start');
  expect(heard.map(({ tag }) => tag)).toEqual(['294', '295', '296', '297', '298', '299', '300'].map((n) => `t/${n}`));
});

it('says how many it no longer has to whoever comes back from before them', async () => {
  const bus = await busThatHeard(1, MEGABYTE);
  const { cursor } = bus;
  for (let n = 2; n <= 20; n += 1) await bus.fire(`t/${String(n)}`, { text: MEGABYTE }, ORIGIN);
  const [gap, first] = await history(bus, { cursor });
  expect([gap?.tag, gap?.data['dropped'], first?.tag]).toEqual(['natrium/gap', 12, 't/14']);
});

it('keeps the last one, however large it is', async () => {
  expect(await history(await busThatHeard(2, 'x'.repeat(9 << 20)), 'start')).toMatchObject([{ tag: 't/2' }]);
});
