/** Rules of being ahead of the journal: whose events are never stored keeps nobody else from being heard early. */
import type { records } from '@natrium/wire';
import { Ahead } from './ahead.js';

const MINUTE = 60_000;

function anAhead() {
  const clock = { now: 0 };
  const ahead = new Ahead('gw-1', () => clock.now);
  const tell = (sender: string, number: number) => {
    const stored: records.StoredEvent = {
      number,
      tag: 't',
      data: {},
      stamp: '2026-01-01T00:00:00.000000',
      origin: { kind: 'minion', name: sender },
    };
    ahead.tell(sender, stored);
  };
  for (const sender of ['a', 'b', 'c', 'd', 'e', 'f']) ahead.readBack(sender, 1);
  const four = (...senders: readonly string[]) => {
    for (const sender of senders) tell(sender, 2);
  };
  return { ahead, clock, tell, four };
}

it('of four that are told and not stored one gives its place up when the journal has gone on for a minute', () => {
  const { ahead, clock, four } = anAhead();
  four('a', 'b', 'c', 'd');
  expect(ahead.nextOf('e')).toBeUndefined();
  clock.now = MINUTE;
  ahead.readBack('f', 2);
  expect(ahead.nextOf('e')).toBe(2);
  expect([...ahead.last.keys()]).toEqual(['b', 'c', 'd']);
});

it('while the broker takes no writes nobody gives it up, however long that is', () => {
  const { ahead, clock, four } = anAhead();
  four('a', 'b', 'c', 'd');
  clock.now = 100 * MINUTE;
  expect(ahead.nextOf('e')).toBeUndefined();
  expect([...ahead.last.keys()]).toEqual(['a', 'b', 'c', 'd']);
});

it('the gateway itself keeps its place', () => {
  const { ahead, clock, tell, four } = anAhead();
  tell('gw-1', 1);
  four('a', 'b', 'c');
  clock.now = MINUTE;
  ahead.readBack('f', 2);
  for (const next of ['e', 'f', 'e']) ahead.nextOf(next);
  expect(ahead.last.get('gw-1')).toBe(1);
});

it('who gave its place up is told early again only when the journal has it', () => {
  const { ahead, clock, four } = anAhead();
  four('a', 'b', 'c', 'd');
  clock.now = MINUTE;
  ahead.readBack('f', 2);
  expect([ahead.nextOf('e'), ahead.nextOf('a')]).toEqual([2, undefined]);
  expect(ahead.readBack('a', 2)).toEqual([]);
  expect(ahead.nextOf('a')).toBe(3);
});
