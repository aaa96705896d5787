/** Rules of what tells a stream that was made anew, or put back, from the one that was read. */
import { isMadeAnew } from './is-made-anew.js';

interface More {
  readonly createdAt?: number;
  readonly gotAt?: number;
  readonly before?: Readonly<Record<number, number>>;
  readonly asks?: number;
}

describe('a stream of which the message at 9, which the broker got at 1000, was heard last', () => {
  const LAST = { sequence: 9, at: 1000 };

  /**
   * @param lasts The leader's answers, one after the other: the last sequence.
   * @param more `gotAt` 0: nothing is at the place any more. `before`: places with what is still there before it, by when it came.
   */
  const verdict = (lasts: readonly number[], more: More = {}) => {
    const { createdAt = 500, gotAt = 1000, before = {}, asks = Infinity } = more;
    const there = Object.entries({ ...before, ...(gotAt > 0 && { [LAST.sequence]: gotAt }), 12: 90_000 });
    const messages = there.map(([place, at]) => ({ sequence: Number(place), at }));
    let asked = -1;
    return isMadeAnew(LAST, {
      now: () => {
        asked += 1;
        return Promise.resolve({ createdAt, lastSequence: lasts[asked] ?? NaN });
      },
      nextFrom: (place) => Promise.resolve(messages.find(({ sequence }) => sequence >= place)),
      again: () => Promise.resolve(asked + 1 < asks),
    });
  };

  it.each([
    ['has just that', [9], {}, false],
    ['has more', [12], {}, false],
    ['has it no more, as after a purge', [9], { gotAt: 0 }, false],
    ['has it no more, and older ones before it', [12], { gotAt: 0, before: { 1: 600, 5: 1000, 7: 61_000 } }, false],
    ['has it no more, and one before it that came later', [12], { gotAt: 0, before: { 1: 600, 7: 61_001 } }, true],
    ['has it no more, and just before it one that came later', [12], { gotAt: 0, before: { 8: 61_001 } }, true],
    [
      'has it no more, and one before it from when the clock was ahead',
      [12],
      { gotAt: 0, before: { 7: 90_001 } },
      false,
    ],
    ['has it, by a time that is rounded', [9], { gotAt: 1001 }, false],
    ['has another at its place', [12], { gotAt: 7000 }, true],
    ['was made later', [12], { createdAt: 2000 }, true],
    ['has less, and more when asked again: its leader has just become that', [4, 9], {}, false],
    ['has less, and slowly more', [4, 6, 7, 8, 9], {}, false],
    ['has less, and then another at its place: it has grown meanwhile', [4, 12], { gotAt: 7000 }, true],
    ['has less, twice the same', [4, 4, 9], {}, true],
    ['has nothing, twice', [0, 0, 9], {}, true],
    ['has less, five times', [1, 2, 3, 4, 5], {}, true],
    ['has less, and nobody wants to know any more', [4, 4], { asks: 1 }, undefined],
  ])('that %s: %j %j', async (_, lasts, more, expected) => {
    expect(await verdict(lasts, more)).toBe(expected);
  });
});
