/** Rules of spec/config.md#yaml: which keys of a mapping are one and the same. */
import { loadYaml } from './load-yaml.js';
import { yamlify } from './yamlify.js';

describe('the keys of a mapping', () => {
  it.each([
    '{1: a, 1.0: b}',
    '{yes: a, 1: b}',
    '{0: a, false: b}',
    '{0: a, -0.0: b}',
    '{1152921504606846976: a, 1152921504606846976.0: b}',
    '{1: a, "1": b}',
    '{null: a, "null": b}',
    '{=: a, "=": b}',
  ])('are the same when Python calls them equal, or when they become the same text: %s', (word) => {
    expect(yamlify(word)).toBe(word);
  });

  it('are others otherwise', () => {
    expect(yamlify('{1: a, 1.5: b, "yes": c, null: d, 2: e}')).toEqual({
      1: 'a',
      1.5: 'b',
      yes: 'c',
      null: 'd',
      2: 'e',
    });
  });

  it.each([
    '{<<: [{a: 1}, {a: 2}]}',
    '{b: 0, <<: [{a: 1}, {a: 2}]}',
    '{<<: {a: 1}, <<: {a: 2}}',
    '{<<: [{1: a}, {1.0: b}]}',
    '{<<: {1: a}, yes: b}',
    '{yes: b, <<: {1: a}}',
    '{<<: {a: 1}, b: 1, b: 2}',
  ])('are not merged twice: %s', (word) => {
    expect(yamlify(word)).toBe(word);
  });

  it.each([
    ['{<<: [{a: 1}, {b: 2}]}', { a: 1, b: 2 }],
    ['{<<: [{a: 1}, {a: 2}], a: 3}', { a: 3 }],
    ['{a: 3, <<: [{a: 1, c: 4}, {a: 2}]}', { a: 3, c: 4 }],
    ['{<<: {<<: {a: 1, b: 1}, a: 2}, c: 3}', { a: 2, b: 1, c: 3 }],
    ['{<<: {__proto__: 1}, b: 2}', JSON.parse('{"__proto__":1,"b":2}') as object],
  ])('of the mapping itself count before those that are merged: %s', (word, value) => {
    expect(yamlify(word)).toStrictEqual(value);
  });

  it('stand behind those that are merged', () => {
    expect(Object.keys(yamlify('{b: 1, <<: {a: 2}}') as object)).toEqual(['a', 'b']);
  });

  it('are told with their place when a file has them twice', () => {
    expect(loadYaml('a:\n  <<: [{b: 1}, {b: 2}]\n', 'f')).toMatchObject({
      ok: false,
      error: { line: 2, reason: 'the key b is merged twice' },
    });
    expect(loadYaml('1: a\n1.0: b\n', 'f')).toMatchObject({ ok: false, error: { line: 2 } });
  });
});
