/** Rules of what tells a stream that was made anew, or put back, from the one that was read. */
import { isMadeAnew } from './is-made-anew.js';

describe('a stream of which the message at 9, which the broker got at 1000, was heard last', () => {
  const LAST = { sequence: 9, at: 1000 };

  /** @param lasts The leader's answers, one after the other: the last sequence. */
  const verdict = (lasts: readonly number[], { createdAt = 500, gotAt = 1000, asks = Infinity } = {}) => {
    let asked = -1;
    return isMadeAnew(LAST, {
      now: () => {
        asked += 1;
        return Promise.resolve({ createdAt, lastSequence: lasts[asked] ?? NaN });
      },
      gotAt: (sequence) => Promise.resolve(sequence === LAST.sequence && gotAt > 0 ? gotAt : undefined),
      again: () => Promise.resolve(asked + 1 < asks),
    });
  };

  it.each([
    ['has just that', [9], {}, false],
    ['has more', [12], {}, false],
    ['has it no more, as after a purge', [9], { gotAt: 0 }, false],
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
