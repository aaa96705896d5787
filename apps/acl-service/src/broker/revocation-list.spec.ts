/** Rules of the list of users that are cut off: who is gone is in it, who is accepted never, and newcomers leave it as it is. */
import { sodiumReady } from '@natrium/envelope';
import type { KeyRecord, KeyState } from '@natrium/flow';
import { seeded } from '@natrium/testing';
import { nameOf, RevocationList } from './revocation-list.js';

beforeAll(sodiumReady);

const bytes = (number: number) => new Uint8Array(32).fill(number);
const record = (key: number, state: KeyState, change: Partial<KeyRecord> = {}): KeyRecord => ({
  kind: 'minion',
  name: `web${String(key)}`,
  identity: bytes(key),
  nkey: bytes(key),
  state,
  revision: 1,
  ...change,
});
const aList = (fixed: readonly string[] = []) => new RevocationList(new Set(fixed));
const textOf = (key: number) => nameOf({ nkey: bytes(key) });

it('holds who is deleted or rejected, and nobody else', () => {
  const states = ['pending', 'accepted', 'rejected', 'denied', 'deleted'] as const;
  const records = states.map((state, key) => record(key, state));
  expect(aList().of(records)).toEqual([textOf(2), textOf(4)].sort());
});

it('does not hold a key that an accepted party has too', () => {
  const records = [record(1, 'deleted', { nkey: bytes(9) }), record(9, 'accepted')];
  expect(aList().of(records)).toEqual([]);
});

it('never holds the key of a fixed user, whoever names it as his own and is gone, and although it is held already', () => {
  const records = [
    record(1, 'deleted', { nkey: bytes(9) }),
    record(2, 'rejected', { nkey: bytes(9) }),
    record(3, 'deleted'),
  ];
  expect(aList([textOf(9)]).of(records, [textOf(9)])).toEqual([textOf(3)]);
  expect(aList().of(records)).toEqual([textOf(3), textOf(9)].sort());
});

it('spares who was succeeded as long as what came after it is accepted', () => {
  const list = aList();
  const [old, next] = [record(1, 'deleted'), record(2, 'accepted', { name: 'web1' })];
  list.spare(nameOf(old));
  expect(list.of([old, next])).toEqual([]);
  expect(list.of([old, { ...next, state: 'deleted' }])).toEqual([textOf(1), textOf(2)].sort());
  list.spareNoMore(nameOf(old));
  expect(list.of([old, next])).toEqual([textOf(1)]);
});

it('lets nobody in again who was succeeded and cut off with what came after it, when their minion comes back with another key', () => {
  const [old, next] = [record(1, 'deleted'), record(2, 'accepted', { name: 'web1' })];
  const back = record(3, 'accepted', { name: 'web1' });
  const [cut, spared] = [aList(), aList()];
  for (const list of [cut, spared]) list.spare(nameOf(old));
  expect(cut.of([old, { ...next, state: 'deleted' }])).toEqual([textOf(1), textOf(2)].sort());
  expect(cut.of([old, { ...next, state: 'deleted' }, back])).toEqual([textOf(1), textOf(2)].sort());
  expect(spared.of([old, next])).toEqual([]);
});

it('need not be looked at for newcomers and whoever is accepted', () => {
  const list = aList();
  list.of([record(1, 'deleted')]);
  const pending = record(2, 'pending');
  expect(list.mayChangeWith(pending, undefined)).toBe(false);
  expect(list.mayChangeWith(record(2, 'denied'), undefined)).toBe(false);
  expect(list.mayChangeWith(record(2, 'accepted'), undefined)).toBe(false);
  expect(list.mayChangeWith(record(2, 'accepted'), pending)).toBe(false);
  expect(list.mayChangeWith(record(2, 'accepted'), record(2, 'accepted'))).toBe(false);
});

it.each<readonly [string, KeyRecord, KeyRecord | undefined]>([
  ['who is deleted', record(2, 'deleted'), record(2, 'accepted')],
  ['who is rejected', record(2, 'rejected'), undefined],
  ['who comes back', record(1, 'pending'), record(1, 'deleted')],
  ['who comes back with another key', record(1, 'accepted', { nkey: bytes(7) }), record(1, 'deleted')],
  ['whose key somebody has who is gone', record(3, 'accepted', { nkey: bytes(1) }), undefined],
  ['who is accepted no more', record(2, 'denied'), record(2, 'accepted')],
])('is looked at for one %s', (_about, now, before) => {
  const list = aList();
  list.of([record(1, 'deleted')]);
  expect(list.mayChangeWith(now, before)).toBe(true);
});

it('stays what it was whenever it says so, whatever becomes of a fleet', () => {
  const below = seeded(7);
  const states = ['pending', 'accepted', 'rejected', 'denied', 'deleted'] as const;
  const list = aList();
  const roster = new Map<number, KeyRecord>();
  let same = 0;
  for (let n = 0; n < 3000; n += 1) {
    if (n % 300 === 0) roster.clear();
    if (n % 50 === 0) list.spare(textOf(below(12)));
    if (n % 50 === 9) for (let one = 0; one < 12; one += 1) list.spareNoMore(textOf(one));
    const key = below(12);
    const [before, next] = [roster.get(key), record(key, states[below(5)]!, { nkey: bytes(below(12)) })];
    const earlier = list.of([...roster.values()]);
    const mayChange = list.mayChangeWith(next, before);
    roster.set(key, next);
    if (!mayChange) expect(list.of([...roster.values()])).toEqual(earlier);
    same += mayChange ? 0 : 1;
  }
  expect(same).toBeGreaterThan(300);
});
