import { seedOf } from './parties.spec-support.js';
import { SeenSets } from './seen-sets.js';
import { sodiumReady } from './sodium.js';

await sodiumReady();

const id = (name: string): Uint8Array => seedOf(name).slice(0, 16);

describe('seen messages', () => {
  it('are new once, for each sender', () => {
    const seen = new SeenSets({ perSender: 2, senders: 2 });
    expect(seen.admit('a', id('1'), 100, 0)).toBe('new');
    expect(seen.admit('a', id('1'), 100, 50)).toBe('replayed');
    expect(seen.admit('b', id('1'), 100, 50)).toBe('new');
  });

  it('are kept as long as they could be replayed, though the set is full', () => {
    const seen = new SeenSets({ perSender: 2, senders: 2 });
    seen.admit('a', id('1'), 100, 0);
    seen.admit('a', id('2'), 100, 0);
    expect(seen.admit('a', id('3'), 100, 99)).toBe('slow_down');
    expect(seen.admit('a', id('1'), 100, 99)).toBe('replayed');
    expect(seen.admit('a', id('3'), 200, 100)).toBe('new');
  });

  it('of a sender that sends too many slow down nobody else', () => {
    const seen = new SeenSets({ perSender: 1, senders: 2 });
    seen.admit('a', id('1'), 100, 0);
    expect(seen.admit('a', id('2'), 100, 0)).toBe('slow_down');
    expect(seen.admit('b', id('2'), 100, 0)).toBe('new');
  });

  it('that are refused for a full set are new when there is room again', () => {
    const seen = new SeenSets({ perSender: 1, senders: 1 });
    seen.admit('a', id('1'), 100, 0);
    expect(seen.admit('a', id('2'), 200, 0)).toBe('slow_down');
    expect(seen.admit('a', id('2'), 200, 100)).toBe('new');
    expect(seen.admit('a', id('2'), 200, 199)).toBe('replayed');
  });

  it('end in any order: one that lives long keeps no room of those that do not', () => {
    const seen = new SeenSets({ perSender: 3, senders: 1 });
    seen.admit('a', id('long'), 1000, 0);
    seen.admit('a', id('1'), 100, 0);
    seen.admit('a', id('2'), 100, 0);
    expect(seen.admit('a', id('3'), 200, 100)).toBe('new');
    expect(seen.admit('a', id('4'), 200, 100)).toBe('new');
    expect(seen.admit('a', id('5'), 200, 100)).toBe('slow_down');
    expect(seen.admit('a', id('long'), 1000, 100)).toBe('replayed');
  });

  it('of new senders wait when the table is full, until one has nothing fresh left', () => {
    const seen = new SeenSets({ perSender: 5, senders: 1 });
    seen.admit('a', id('1'), 100, 0);
    expect(seen.admit('b', id('1'), 200, 99)).toBe('slow_down');
    expect(seen.admit('b', id('1'), 300, 199)).toBe('new');
    expect(seen.admit('a', id('2'), 300, 299)).toBe('slow_down');
  });

  it('of new senders have the full table looked through ten times a second, not by each of them; a clock that was set back delays none', () => {
    const seen = new SeenSets({ perSender: 5, senders: 1 });
    seen.admit('a', id('1'), 1100, 0);
    expect(seen.admit('b', id('1'), 2000, 1050)).toBe('slow_down');
    expect(seen.admit('b', id('1'), 2000, 1149)).toBe('slow_down');
    expect(seen.admit('b', id('1'), 1200, 1150)).toBe('new');
    expect(seen.admit('c', id('1'), 2000, 90_000)).toBe('new');
    seen.forgetEnded(91_000);
    seen.admit('a', id('1'), 100, 0);
    expect(seen.admit('b', id('1'), 2000, 100)).toBe('new');
  });

  it('are forgotten at rest when they are no longer fresh, and not before', () => {
    const seen = new SeenSets({ perSender: 5, senders: 2 });
    seen.admit('a', id('1'), 100, 0);
    seen.admit('a', id('2'), 200, 0);
    seen.admit('b', id('1'), 100, 0);
    expect(seen.forgetEnded(99)).toBe(3);
    expect(seen.forgetEnded(100)).toBe(1);
    expect(seen.admit('a', id('2'), 200, 100)).toBe('replayed');
    expect(seen.forgetEnded(200)).toBe(0);
  });
});
