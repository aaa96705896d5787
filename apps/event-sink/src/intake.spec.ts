/** Rules of what a sink takes in: the wanted events, from its place on, with a marker where something is missing, and bounded. */
import type { LoggedBatch } from '@natrium/events';
import { Intake } from './intake.js';
import { type At, WHOLE } from './place.js';

const START: At = { sequence: 4, index: WHOLE };
const wanted = (tag: string) => tag.startsWith('want/');

function aBatch(sequence: number, ...tags: readonly string[]): LoggedBatch {
  const events = tags.map((tag, index) => ({
    number: sequence * 100 + index,
    tag,
    data: {},
    stamp: '2026-11-21T12:00:00.000000',
    origin: { kind: 'minion' as const, name: 'web1' },
  }));
  return { sequence, sender: 'gw-1', through: sequence * 100 + tags.length, events };
}

async function all(intake: Intake) {
  const steps = (await intake.take(1000)) ?? [];
  return steps.map(({ event, at }) => [event?.tag, at.sequence, at.index]);
}

it('takes what is wanted, and passes the rest over', async () => {
  const intake = new Intake(wanted, START);
  await intake.put(aBatch(5, 'other', 'want/a', 'want/b', 'other'));
  await intake.put(aBatch(6, 'other'));
  await intake.put(aBatch(7, 'other'));
  expect(await all(intake)).toEqual([
    ['want/a', 5, 1],
    ['want/b', 5, WHOLE],
    [undefined, 7, WHOLE],
  ]);
});

it('goes on behind the event where it stopped', async () => {
  const intake = new Intake(wanted, { sequence: 5, index: 1 });
  await intake.put(aBatch(5, 'want/a', 'want/b', 'want/c'));
  expect(await all(intake)).toEqual([['want/c', 5, WHOLE]]);
});

it('puts a marker where batches are missing, the same each time that it is read', async () => {
  const ids: unknown[] = [];
  for (let time = 0; time < 2; time += 1) {
    const intake = new Intake(wanted, START);
    await intake.put(aBatch(5, 'want/a'));
    await intake.put(aBatch(9, 'want/b'));
    const steps = (await intake.take(1000)) ?? [];
    expect(steps.map(({ event }) => event?.tag)).toEqual(['want/a', 'natrium/gap', 'want/b']);
    ids.push(steps[1]?.event?.id);
  }
  expect(ids[0]).toBe(ids[1]);
});

it('puts a marker when the rest of a batch is no longer there, or the journal has begun anew', async () => {
  const cut = new Intake(wanted, { sequence: 5, index: 1 });
  await cut.put(aBatch(6, 'want/a'));
  expect(await all(cut)).toEqual([['natrium/gap', 5, WHOLE], ['want/a', 6, WHOLE]]); // prettier-ignore
  const anew = new Intake(wanted, { sequence: 0, index: WHOLE }, 'the journal of the events has begun anew');
  await anew.put(aBatch(1, 'want/a'));
  expect(await all(anew)).toEqual([['natrium/gap', 0, WHOLE], ['want/a', 1, WHOLE]]); // prettier-ignore
});

it('lets no filter hold back the markers of others', async () => {
  const intake = new Intake(wanted, START);
  await intake.put(aBatch(5, 'natrium/gap/minion/web1', 'natrium/other'));
  expect(await all(intake)).toEqual([['natrium/gap/minion/web1', 5, WHOLE]]);
});

it('holds up the journal while it is full, and takes no more once it is closed', async () => {
  const intake = new Intake(wanted, START);
  const full = aBatch(5, ...Array.from({ length: 5000 }, (_, number) => `want/${String(number)}`));
  let hasRoom = false;
  const put = intake.put(full).then(() => (hasRoom = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasRoom).toBe(false);
  expect(await intake.take(1)).toHaveLength(1);
  await put;
  intake.close();
  await intake.put(aBatch(6, 'want/late'));
  expect(await intake.take(1000)).toBeUndefined();
});
