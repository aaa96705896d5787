import { utf8 } from './bytes.js';
import { encode } from './encoding.js';
import { seedOf } from './parties.spec-support.js';
import { sodiumReady } from './sodium.js';
import { keyedName, openStored, sealStored, type StorageKey, storedKeyId } from './storage.js';

await sodiumReady();

const key: StorageKey = { id: 'jobs-1', key: seedOf('storage') };
const other: StorageKey = { id: 'jobs-2', key: seedOf('storage 2') };
const keys = (id: string): StorageKey | undefined => [key, other].find((one) => one.id === id);
const value = utf8('a job');
const stored = sealStored(key, 'jobs/abc', value);

describe('a stored value', () => {
  it('opens at its place with the key that it names', () => {
    expect(openStored(keys, 'jobs/abc', stored)).toEqual({ ok: true, value });
    expect(storedKeyId(stored)).toBe('jobs-1');
  });

  it.each(['jobs/abd', 'events/abc', 'jobs', ''])('does not open at %s', (place) => {
    expect(openStored(keys, place, stored)).toEqual({ ok: false, error: 'altered' });
  });

  it('does not open without its key, nor with another under its id', () => {
    expect(openStored(() => undefined, 'jobs/abc', stored)).toEqual({ ok: false, error: 'unknown_key' });
    expect(openStored(() => ({ id: 'jobs-1', key: other.key }), 'jobs/abc', stored)).toEqual({
      ok: false,
      error: 'altered',
    });
  });

  it('binds the id of its key: no id and place together read as another pair', () => {
    const moved = sealStored({ id: 'jobs', key: key.key }, '-1jobs/abc', value);
    expect(openStored(() => ({ id: 'jobs-1', key: key.key }), 'jobs/abc', moved)).toEqual({
      ok: false,
      error: 'altered',
    });
  });

  it('with a changed byte does not open', () => {
    const changed = stored.slice();
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    expect(openStored(keys, 'jobs/abc', changed)).toEqual({ ok: false, error: 'altered' });
  });

  it.each<[string, Uint8Array]>([
    ['another version', encode([2, 'jobs-1', new Uint8Array(24), new Uint8Array(16)])],
    ['a part too few', encode([1, 'jobs-1', new Uint8Array(24)])],
    ['a short nonce', encode([1, 'jobs-1', new Uint8Array(23), new Uint8Array(16)])],
    ['no tag', encode([1, 'jobs-1', new Uint8Array(24), new Uint8Array(15)])],
    ['nothing', new Uint8Array(0)],
  ])('is not read from %s', (_name, bytes) => {
    expect(openStored(keys, 'jobs/abc', bytes)).toEqual({ ok: false, error: 'shape' });
    expect(storedKeyId(bytes)).toBeUndefined();
  });

  it('is sealed anew each time', () => {
    expect(sealStored(key, 'jobs/abc', value)).not.toEqual(stored);
  });

  it('needs an id of 1 to 32 characters', () => {
    expect(() => sealStored({ ...key, id: '' }, 'jobs/abc', value)).toThrow(RangeError);
    expect(() => sealStored({ ...key, id: 'x'.repeat(33) }, 'jobs/abc', value)).toThrow(RangeError);
    expect(sealStored({ ...key, id: 'x'.repeat(32) }, 'jobs/abc', value)).toBeInstanceOf(Uint8Array);
  });
});

describe('a name in a key', () => {
  it('is 32 characters that depend on the name and on the storage key', () => {
    expect(keyedName(key, 'web1')).toMatch(/^[a-z2-7]{32}$/);
    expect(keyedName(key, 'web1')).toBe(keyedName(key, 'web1'));
    expect(keyedName(key, 'web2')).not.toBe(keyedName(key, 'web1'));
    expect(keyedName(other, 'web1')).not.toBe(keyedName(key, 'web1'));
  });
});
