import { editDistance, nearestKey } from './nearest-key.js';

describe('the nearest key', () => {
  it('is one that a slip of the hand explains', () => {
    expect(nearestKey('per', ['peer', 'peer_run'])).toBe('peer');
    expect(nearestKey('nodegroup', ['nodegroups'])).toBe('nodegroups');
    expect(nearestKey('frobnicate', ['peer', 'user'])).toBeUndefined();
  });

  it('counts insertions, deletions and replacements', () => {
    expect(editDistance('kitten', 'sitting')).toBe(3);
    expect(editDistance('', 'abc')).toBe(3);
    expect(editDistance('abc', 'abcdefgh', 2)).toBe(2);
  });
});
