/** Rules of the look at minions that a caller waits for: only long silence towards a broker that is there counts as silence. */
import { jest } from '@jest/globals';
import { type Found, type LookHearing, PatientLook } from './patient-look.js';

const SILENCE_MS = 10_000;

/** A broker and whoever is behind it; the test says what it hears and answers. */
class World {
  /** Places, by round. */
  readonly asked: (readonly number[])[] = [];
  readonly #rounds: LookHearing[] = [];
  hungUp = 0;
  isClosed = false;
  taken: () => Promise<void> = () => Promise.resolve();
  found: Found | undefined;

  constructor(places: readonly number[]) {
    const look = new PatientLook(
      {
        ask: (asked, hear) => {
          this.asked.push(asked);
          this.#rounds.push(hear);
          return () => (this.hungUp += 1);
        },
        taken: () => this.taken(),
        isClosed: () => this.isClosed,
      },
      places,
    );
    void look.find(SILENCE_MS).then((found) => (this.found = found));
  }

  says(place: number, running: readonly string[], round = this.asked.length - 1): void {
    this.#rounds[round]?.onAnswer(place, running);
  }

  noResponders(...places: readonly number[]): void {
    for (const place of places) this.#rounds.at(-1)?.onNoResponders(place);
  }
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const seconds = (count: number) => jest.advanceTimersByTimeAsync(count * 1000);

it('ends with the last answer, and asks nobody twice who has given one', async () => {
  const world = new World([0, 1, 2]);
  world.says(0, ['jid']);
  await seconds(1);
  world.says(1, []);
  await seconds(1);
  expect([world.asked, world.found]).toEqual([[[0, 1, 2], [1, 2], [2]], undefined]);
  world.says(2, ['other']);
  await seconds(0);
  expect(world.found).toEqual({ here: new Map([[0, ['jid']], [1, []], [2, ['other']]]), gone: new Set() }); // prettier-ignore
  expect([world.hungUp, jest.getTimerCount()]).toEqual([3, 0]);
});

it('an answer that takes longer than a second counts, whichever question it is to', async () => {
  const world = new World([0]);
  await seconds(1.5);
  world.says(0, ['jid'], 0);
  await seconds(0);
  expect(world.found?.here).toEqual(new Map([[0, ['jid']]]));
});

it('whoever is silent is neither gone nor at work, and is given up when it was so for long enough', async () => {
  const world = new World([0]);
  await seconds(9.9);
  expect(world.found).toBeUndefined();
  await seconds(0.1);
  expect(world.found).toEqual({ here: new Map(), gone: new Set() });
  expect([world.asked.length, world.hungUp, jest.getTimerCount()]).toEqual([10, 10, 0]);
});

it('silence does not count, and nothing more is asked, while the broker takes nothing', async () => {
  const world = new World([0]);
  let take: () => void = () => undefined;
  world.taken = () => new Promise<void>((resolve) => (take = resolve));
  await seconds(31);
  expect([world.asked.length, world.found]).toEqual([2, undefined]);
  world.taken = () => Promise.resolve();
  take();
  await seconds(1);
  expect(world.asked.length).toBe(3);
  world.says(0, ['jid']);
  await seconds(0);
  expect(world.found?.here).toEqual(new Map([[0, ['jid']]]));
});

it('nor while the connection to it is lost again and again', async () => {
  const world = new World([0]);
  world.taken = () => Promise.reject(new Error('disconnected'));
  await seconds(1);
  const { length } = world.asked;
  await seconds(60);
  expect([world.asked.length, world.found]).toEqual([length, undefined]);
  world.taken = () => Promise.resolve();
  await seconds(11);
  expect(world.found).toEqual({ here: new Map(), gone: new Set() });
});

it('whom the broker does not know is asked once more a second later, and gone when it is not there then', async () => {
  const world = new World([0, 1]);
  world.noResponders(0, 1);
  await seconds(0.9);
  expect([world.asked.length, world.found]).toEqual([1, undefined]);
  await seconds(0.1);
  world.noResponders(0);
  world.says(1, ['jid']);
  await seconds(0);
  expect(world.found).toEqual({ here: new Map([[1, ['jid']]]), gone: new Set([0]) });
});

it('who is connected again when it is asked once more, and says nothing then, is silent and not gone', async () => {
  const world = new World([0]);
  world.noResponders(0);
  await seconds(10);
  expect(world.found).toEqual({ here: new Map(), gone: new Set() });
});

it('whom the broker does not know at last is gone, though there is no time to ask once more', async () => {
  const world = new World([0]);
  await seconds(9);
  world.noResponders(0);
  await seconds(1);
  expect([world.asked.length, world.found]).toEqual([10, { here: new Map(), gone: new Set([0]) }]);
});

it('ends when nobody can be asked any more', async () => {
  const world = new World([0]);
  await seconds(1);
  world.isClosed = true;
  await seconds(1);
  expect([world.found, jest.getTimerCount()]).toEqual([{ here: new Map(), gone: new Set() }, 0]);
});

it('a look at nobody asks nothing', async () => {
  const world = new World([]);
  await seconds(0);
  expect([world.asked, world.found]).toEqual([[], { here: new Map(), gone: new Set() }]);
});
