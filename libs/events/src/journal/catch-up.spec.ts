/** Rules of hearing what was missed: who wants no more than that leaves nothing behind. */
import { MemoryJournal, type Reading } from '@natrium/bus';
import { EventLog } from './event-log.js';
import { JournaledBus } from './journaled-bus.js';

/** A journal that knows who reads it. */
class ReadJournal extends MemoryJournal {
  readonly readings = new Set<Reading>();
  /** How many times it was read. */
  begun = 0;

  override read(...what: Parameters<MemoryJournal['read']>): Reading {
    const read = super.read(...what);
    const reading = {
      close: () => {
        read.close();
        this.readings.delete(reading);
      },
    };
    this.readings.add(reading);
    this.begun += 1;
    return reading;
  }
}

async function aBus(events: number) {
  const journal = new ReadJournal();
  const log = new EventLog(journal, (sender) => sender);
  const origin = { kind: 'minion' as const, name: 'a' };
  for (let number = 1; number <= events; number += 1) {
    const event = { number, tag: `t/${String(number)}`, data: {}, stamp: '2026-01-01T00:00:00.000000', origin };
    await log.append('a', [event], number);
  }
  const onProblem = (problem: string) => {
    throw new Error(problem);
  };
  const bus = await JournaledBus.open({ log, sender: 'gw-1', maxBytes: 1 << 20, now: () => 0, onProblem });
  return { journal, bus };
}

it.each([0, 3])('who hears %s events until now reads no longer', async (events) => {
  const { journal, bus } = await aBus(events);
  const before = journal.readings.size;
  for (let n = 0; n < 20; n += 1) {
    const tags: string[] = [];
    for await (const { tag } of bus.subscribe({ from: 'start', until: 'now' })) tags.push(tag);
    expect(tags).toHaveLength(events);
  }
  expect(journal.readings.size).toBe(before);
  await bus.close();
});

it('who leaves before it has heard all reads no longer from that moment on', async () => {
  const { journal, bus } = await aBus(10);
  const before = journal.readings.size;
  const listening = bus.subscribe({ from: 'start', limit: 1 });
  await listening.take();
  expect(journal.readings.size).toBe(before + 1);
  listening.close();
  expect(journal.readings.size).toBe(before);
  await bus.close();
});

it('who leaves at once is read nothing for', async () => {
  const { journal, bus } = await aBus(10);
  const before = journal.begun;
  bus.subscribe({ from: 'start' }).close();
  await new Promise(setImmediate);
  expect(journal.begun).toBe(before);
  await bus.close();
});
