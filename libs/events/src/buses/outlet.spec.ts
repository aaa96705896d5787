/** Rules of a listener's queue: bounded, and honest about what it lost. */
import type { Heard } from '../event/event.js';
import { Outlet } from './outlet.js';

const anEvent = (n: number): Heard => ({
  tag: `t/${n}`,
  data: { n },
  stamp: '',
  cursor: `${n}.0`,
  origin: { kind: 'local', name: 'test' },
  id: `test.${n}`,
});

describe('a listener that is too slow', () => {
  it('loses what finds no room, is told how many in their place, and can go back to before them', async () => {
    const outlet = new Outlet(3, () => undefined);
    for (let n = 1; n <= 10; n += 1) outlet.push(anEvent(n));
    const taken = (await outlet.take()) ?? [];
    expect(taken.map(({ tag }) => tag)).toEqual(['t/1', 't/2', 't/3', 'natrium/gap']);
    expect(taken.at(-1)).toMatchObject({ data: { dropped: 7 }, cursor: '3.0' });
    outlet.push(anEvent(11));
    expect((await outlet.take())?.map(({ tag }) => tag)).toEqual(['t/11']);
  });

  it('never holds more than its limit, however long it is stuck, and hears of the rest at its end, too', async () => {
    const outlet = new Outlet(100, () => undefined);
    for (let n = 0; n < 50_000; n += 1) outlet.push(anEvent(n));
    outlet.close();
    const taken = (await outlet.take()) ?? [];
    expect([taken.length, taken.at(-1)?.data]).toMatchObject([101, { dropped: 49_900 }]);
    expect(await outlet.take()).toBeUndefined();
  });

  it('never holds many bytes, however few events they are, and loses none out of the middle', async () => {
    const large = { text: 'x'.repeat(1 << 20) };
    const outlet = new Outlet(1000, () => undefined);
    for (let n = 1; n <= 40; n += 1) outlet.push({ ...anEvent(n), data: large });
    outlet.push(anEvent(41));
    const taken = (await outlet.take()) ?? [];
    expect([taken.length, taken.at(-1)?.tag]).toEqual([17, 'natrium/gap']);
    expect(taken.at(-1)).toMatchObject({ data: { dropped: 25 }, cursor: '16.0' });
    outlet.push({ ...anEvent(42), data: large });
    expect((await outlet.take())?.map(({ tag }) => tag)).toEqual(['t/42']);
  });

  it('a source that can wait does so while many bytes wait', async () => {
    const outlet = new Outlet(1000, () => undefined);
    for (let n = 1; n <= 8; n += 1) outlet.push({ ...anEvent(n), data: { text: 'x'.repeat(1 << 20) } });
    let isRoom = false;
    const room = outlet.room().then(() => (isRoom = true));
    await new Promise(setImmediate);
    expect(isRoom).toBe(false);
    await outlet.take();
    await room;
  });

  it('gets what waits, and then the end, when it is closed', async () => {
    let closed = 0;
    const outlet = new Outlet(3, () => {
      closed += 1;
    });
    outlet.push(anEvent(1));
    outlet.close();
    outlet.close();
    outlet.push(anEvent(2));
    expect((await outlet.take())?.length).toBe(1);
    expect(await outlet.take()).toBeUndefined();
    expect(closed).toBe(1);
  });

  it('wakes when something comes', async () => {
    const outlet = new Outlet(3, () => undefined);
    const taken = outlet.take();
    outlet.push(anEvent(1));
    expect(await taken).toHaveLength(1);
  });
});
