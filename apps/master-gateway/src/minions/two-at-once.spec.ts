import { type KnownParty, sodiumReady, toHex } from '@natrium/envelope';
import { TwoAtOnce } from './two-at-once.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const WEB1 = new Uint8Array(32).fill(1);

/** An agent's announcement, by its key and when it was made. */
const announced = (name: number, notBefore: number, key = WEB1) =>
  ({
    owner: { type: 'identity', key },
    use: 'jobs',
    keyId: new Uint8Array(32).fill(name),
    notBefore,
  }) as unknown as KnownParty;

let now: number;
let told: string[];
let newest: Map<string, KnownParty>;
let noticing: TwoAtOnce;
beforeAll(sodiumReady);
beforeEach(() => {
  now = 10 * HOUR_MS;
  told = [];
  newest = new Map();
  noticing = new TwoAtOnce({
    newestOf: (key) => newest.get(key),
    tell: (key) => told.push(key),
    now: () => now,
  });
});

const counts = (party: KnownParty) =>
  newest.set(toHex(party.owner.type === 'identity' ? party.owner.key : WEB1), party);
const hear = (...parties: readonly KnownParty[]) => {
  for (const party of parties) {
    now += 1000;
    noticing.heard(party);
  }
};

describe('two agents are at work under one identity', () => {
  it('where one is heard under an older announcement, and the newest goes on being heard', () => {
    const [original, copy] = [announced(1, now - HOUR_MS), announced(2, now - 2 * MINUTE_MS)];
    counts(copy);
    hear(copy, original);
    expect(told).toEqual([]);
    hear(copy);
    expect(told).toEqual([toHex(WEB1)]);
  });

  it('which is told once an hour', () => {
    const [original, copy] = [announced(1, now - HOUR_MS), announced(2, now - 2 * MINUTE_MS)];
    counts(copy);
    for (let job = 0; job < 100; job += 1) hear(original, copy);
    expect(told).toHaveLength(1);
    now += HOUR_MS;
    hear(original, copy);
    expect(told).toHaveLength(2);
  });
});

describe('one agent is at work', () => {
  it('which was started anew: what the one before had sealed comes within the minute', () => {
    const [before, after] = [announced(1, now - HOUR_MS), announced(2, now)];
    counts(after);
    hear(after, before, after, before, after);
    expect(told).toEqual([]);
  });

  it('whose clock was set back: nobody is heard under the newest, nor with the next one', () => {
    const [ahead, back] = [announced(1, now), announced(2, now - MINUTE_MS)];
    counts(ahead);
    now += 5 * MINUTE_MS;
    hear(back, back);
    const next = announced(3, now);
    counts(next);
    hear(next, next);
    expect(told).toEqual([]);
  });

  it('of each of two minions', () => {
    const WEB2 = new Uint8Array(32).fill(2);
    const [web1, web2] = [announced(1, now - HOUR_MS), announced(2, now - 2 * MINUTE_MS, WEB2)];
    counts(web1);
    counts(web2);
    hear(web1, web2, web1, web2);
    expect(told).toEqual([]);
  });

  it('of whom no announcement counts', () => {
    hear(announced(1, now - HOUR_MS), announced(2, now - 2 * MINUTE_MS), announced(1, now - HOUR_MS));
    expect(told).toEqual([]);
  });
});
