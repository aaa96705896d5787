/** Rules of the spool of events: order, numbers that rise, bounds with an honest count, and what a killed agent leaves behind. */
import { jest } from '@jest/globals';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sodiumReady } from '@natrium/envelope';
import { LineFile } from '../disk/line-file.js';
import { EventSpool, type EventSpoolOptions } from './event-spool.js';

beforeAll(() => sodiumReady());

let folder: string;
let problems: string[];
let spools: EventSpool[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-events-'));
  problems = [];
  spools = [];
});
afterEach(() => {
  for (const spool of spools) spool.close(); // what waits would be written later, into a folder that would be made anew
  rmSync(folder, { recursive: true, force: true });
});

const aSpool = (change: Partial<EventSpoolOptions> = {}) => {
  const spool = new EventSpool({
    folder,
    maxEvents: 100,
    maxBytes: 1 << 20,
    firstNumber: 1000,
    onProblem: (problem) => problems.push(problem),
    onReady: () => undefined,
    ...change,
  });
  spools.push(spool);
  return spool;
};
const anEvent = (n: number) => ({ tag: 't', data: { n }, load: null, stamp: 0 });
const numbersIn = (spool: EventSpool) => spool.batch()?.events.map(({ data }) => (data as { readonly n: number }).n);

it('gives events back in their order, and forgets those that are stored', async () => {
  const spool = aSpool();
  expect(await Promise.all([1, 2, 3].map((n) => spool.add(anEvent(n))))).toEqual([true, true, true]);
  expect(spool.batch()).toMatchObject({ first: 1000, dropped: 0 });
  expect(numbersIn(spool)).toEqual([1, 2, 3]);
  spool.forget(1001);
  expect(spool.batch()).toMatchObject({ first: 1002 });
  expect(numbersIn(spool)).toEqual([3]);
  spool.forget(1002);
  expect(spool.batch()).toBeUndefined();
  expect(readFileSync(join(folder, 'events'), 'utf8')).toBe('');
});

it('gives back at once no more values than one message may hold', async () => {
  const spool = aSpool();
  const wide = { ...anEvent(1), data: { n: 1, more: Array.from({ length: 60_000 }, () => ({})) } };
  await Promise.all([spool.add(wide), spool.add({ ...wide, data: { ...wide.data, n: 2 } }), spool.add(anEvent(3))]);
  expect(numbersIn(spool)).toEqual([1]);
  spool.forget(1000);
  expect(numbersIn(spool)).toEqual([2, 3]);
});

it('drops an event that no gateway would read, and goes on with what is behind it', async () => {
  const wide = { ...anEvent(1), data: { n: 1, more: Array.from({ length: 100_001 }, () => ({})) } };
  const before = aSpool();
  await Promise.all([before.add(wide), before.add(anEvent(2))]);
  before.close();
  expect(aSpool().batch()).toMatchObject({ first: 1001, dropped: 1, events: [{ data: { n: 2 } }] });
  expect(problems).toEqual(['a spooled event has more values than a gateway reads; it is dropped']);
});

it('gives nothing back that is not in the file yet: a number that went out is never given anew', async () => {
  const spool = aSpool();
  const kept = spool.add(anEvent(1));
  expect([spool.ready, spool.batch()]).toEqual([false, undefined]);
  await kept;
  const later = spool.add(anEvent(2));
  expect(numbersIn(spool)).toEqual([1]);
  await later;
  expect(numbersIn(spool)).toEqual([1, 2]);
});

it('says that an event is kept after it has left, which takes a turn of the event loop', async () => {
  const order: string[] = [];
  const onReady = () => setImmediate(() => order.push('left'));
  await aSpool({ onReady }).add(anEvent(1));
  expect(order).toEqual(['left']);
});

it('an agent that was killed finds them again, with their numbers; later ones are higher', async () => {
  const before = aSpool();
  await before.add(anEvent(1));
  await before.add(anEvent(2));
  appendFileSync(join(folder, 'events'), '1002 AAAA'); // a line that the kill cut
  const after = aSpool({ firstNumber: 5 });
  expect(after.batch()).toMatchObject({ first: 1000 });
  expect(numbersIn(after)).toEqual([1, 2]);
  await after.add(anEvent(3));
  expect(numbersIn(after)).toEqual([1, 2, 3]);
  expect(after.last).toBe(1002);
  expect(problems).toEqual([]);
});

it('what a killed agent left and what comes after it never share a message, whose numbers follow from its first', async () => {
  const before = aSpool();
  await before.add(anEvent(1));
  await before.add(anEvent(2));
  const after = aSpool({ firstNumber: 5000 }); // by the clock
  await after.add(anEvent(3));
  await after.add(anEvent(4));
  const batches = [];
  for (let batch = after.batch(); batch !== undefined && batches.length < 9; batch = after.batch()) {
    batches.push([batch.first, numbersIn(after)]);
    after.forget(batch.first + batch.events.length - 1);
  }
  expect(batches).toEqual([
    [1000, [1, 2]],
    [5000, [3, 4]],
  ]);
});

it('refuses what finds no room, and tells how many in their place, also after a restart', async () => {
  const spool = aSpool({ maxEvents: 2 });
  await spool.add(anEvent(1));
  await spool.add(anEvent(2));
  expect(await spool.add(anEvent(3))).toBe(false);
  expect(await spool.add(anEvent(4))).toBe(false);
  expect(problems).toHaveLength(1);
  spool.close();
  const after = aSpool({ maxEvents: 4 });
  expect(numbersIn(after)).toEqual([1, 2]);
  after.forget(1001);
  await after.add(anEvent(5));
  expect(after.batch()).toMatchObject({ first: 1004, dropped: 2 });
  expect(numbersIn(after)).toEqual([5]);
});

it('a spool that stays full does not grow on disk by what it refuses', async () => {
  const spool = aSpool({ maxEvents: 1, firstNumber: 10 ** 15 });
  await spool.add(anEvent(0));
  const refused = 150_000;
  let largest = 0;
  for (let n = 0; n < refused; n += 10_000) {
    await Promise.all(Array.from({ length: 10_000 }, () => spool.add(anEvent(1))));
    largest = Math.max(largest, statSync(join(folder, 'events')).size);
  }
  expect(largest).toBeLessThan(5 << 20); // six megabytes, were each count kept
  spool.close();
  const after = aSpool();
  after.forget(10 ** 15);
  expect(after.batch()).toMatchObject({ dropped: refused });
});

it('a count that is on its way is not changed any more', async () => {
  const spool = aSpool({ maxEvents: 1 });
  await spool.add(anEvent(1));
  await spool.add(anEvent(2));
  spool.forget(1000);
  expect(spool.batch()).toMatchObject({ first: 1002, dropped: 1, events: [] });
  await spool.add(anEvent(3));
  expect(spool.batch()).toMatchObject({ first: 1002, dropped: 1, events: [] });
  spool.forget(1001);
  expect(spool.batch()).toMatchObject({ first: 1003, dropped: 1 });
});

it.each([1, 7])(
  'one that began anew beside it, with %d, is told for itself, also after the agent was killed',
  async (more) => {
    const drop = async (spool: EventSpool, count: number) => {
      for (let n = 0; n < count; n += 1) expect(await spool.add(anEvent(0))).toBe(false);
    };
    const spool = aSpool({ maxEvents: 1 });
    await spool.add(anEvent(1));
    await drop(spool, 5);
    spool.forget(1000);
    expect(spool.batch()).toMatchObject({ first: 1006, dropped: 5 });
    await drop(spool, more);
    const after = aSpool({ maxEvents: 1, firstNumber: 5000 });
    await drop(after, 2);
    const told = [];
    for (let batch = after.batch(); batch !== undefined && told.length < 9; batch = after.batch()) {
      if (batch.dropped > 0) told.push([batch.first - 1, batch.dropped]);
      after.forget(batch.first + batch.events.length - 1);
    }
    expect(told).toEqual([[1005, 5], [1005 + more, more], [5001, 2]]); // prettier-ignore
  },
);

it('a spool whose numbers were used before begins above them', async () => {
  const spool = aSpool();
  await spool.add(anEvent(1));
  spool.renumber(9000);
  expect(spool.batch()).toMatchObject({ first: 9001 });
  await spool.add(anEvent(2));
  expect(spool.last).toBe(9002);
});

describe('a spool that cannot be written', () => {
  const block = () => {
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'no folder');
  };

  it('sends from memory, and calls an event kept only when the master has it', async () => {
    block();
    let ready: () => void = () => undefined;
    const isReady = new Promise<void>((resolve) => (ready = resolve));
    const spool = aSpool({ onReady: () => { ready(); } }); // prettier-ignore
    let kept = '';
    const added = spool.add(anEvent(1)).then(() => (kept = 'kept'));
    await isReady;
    expect(numbersIn(spool)).toEqual([1]);
    expect(kept).toBe('');
    spool.forget(1000);
    await added;
    expect(problems).toEqual([expect.stringContaining(`events are kept in memory only: ${join(folder, 'events')}`)]);
  });

  it('writes what waits as soon as the disk takes it again, and says so once', async () => {
    block();
    const spool = aSpool();
    const added = [spool.add(anEvent(1)), spool.add(anEvent(2))];
    await new Promise((resolve) => setImmediate(resolve));
    rmSync(folder);
    expect(await Promise.all(added)).toEqual([true, true]);
    expect(problems.slice(1)).toEqual([expect.stringContaining('can be written again')]);
    spool.close();
    expect(numbersIn(aSpool())).toEqual([1, 2]);
  });

  it('calls an event kept when it is in the file, though the disk takes none of those after it', async () => {
    block();
    const spool = aSpool();
    const kept: number[] = [];
    const added = [1, 2, 3].map((n) => spool.add(anEvent(n)).then(() => kept.push(n)));
    await new Promise((resolve) => setImmediate(resolve));
    rmSync(folder);
    const append = LineFile.prototype.append;
    const small = jest.spyOn(LineFile.prototype, 'append').mockImplementation(function (this: LineFile, text: string) {
      if (text.split('\n').length > 2) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
      append.call(this, text);
    });
    await added[0];
    expect(kept).toEqual([1]);
    small.mockRestore();
    await Promise.all(added);
    spool.close();
    expect(readFileSync(join(folder, 'events'), 'utf8').split('\n').map((line) => line.slice(0, 4))).toEqual(['1000', '1001', '1002', '']); // prettier-ignore
  });

  it('tells at once of an event that finds no room', async () => {
    block();
    const spool = aSpool({ maxEvents: 1 });
    void spool.add(anEvent(1));
    expect(await spool.add(anEvent(2))).toBe(false);
  });
});
