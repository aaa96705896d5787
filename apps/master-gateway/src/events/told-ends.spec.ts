/** Rules of what is looked for in the journal: each end for itself, and one reading for all that wait. */
import { type EventFeed, LocalBus } from '@natrium/events';
import { ToldEnds } from './told-ends.js';

const NOW = 1_795_000_000_000;
const ORIGIN = { kind: 'service', name: 'gateway' } as const;
const tagOf = (n: number, what = 'run') => `salt/${what}/${n}/ret`;

let bus: LocalBus;
let ends: ToldEnds;
/** From when on it was read, in milliseconds. */
let readings: unknown[];
beforeEach(() => {
  bus = new LocalBus('local', () => NOW);
  readings = [];
  const subscribe: EventFeed['subscribe'] = (listen) => {
    readings.push(listen?.from);
    return bus.subscribe(listen);
  };
  ends = new ToldEnds({ subscribe });
});

const has = (n: number, { since = NOW - 1000, of = n, what = 'run' } = {}) =>
  ends.has({ tag: tagOf(n, what), since, isIt: ({ data }) => data['return'] === of });
const tell = (n: number, what = 'run') => bus.fire(tagOf(n, what), { return: n }, ORIGIN);

it('of hundreds that are looked for at once each is found that was told, and no other, in two readings', async () => {
  for (let n = 0; n < 300; n += 2) await tell(n);
  const found = await Promise.all(Array.from({ length: 300 }, (_, n) => has(n, { since: NOW - n })));
  expect(found).toEqual(found.map((_, n) => n % 2 === 0));
  expect(readings).toEqual([{ time: NOW }, { time: NOW - 299 }]);
});

it('one that was told with another answer, or as another kind of run, is not told', async () => {
  await tell(1);
  await tell(2, 'wheel');
  expect(await Promise.all([has(1, { of: 7 }), has(1), has(2), has(2, { what: 'wheel' })])).toEqual([
    ...[false, true, false, true],
  ]);
});

it('what is told while it is read is found by who looks for it then', async () => {
  const first = has(1);
  await tell(1);
  expect(await has(1)).toBe(true);
  await first;
});

it('where the journal cannot be read all that wait hear it, and the next one reads anew', async () => {
  const broken = { isAway: true };
  ends = new ToldEnds({
    subscribe: (listen) => {
      if (broken.isAway) throw new Error('the broker is away');
      return bus.subscribe(listen);
    },
  });
  const all = await Promise.allSettled([has(1), has(2)]);
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  broken.isAway = false;
  await tell(1);
  expect(await has(1)).toBe(true);
});
