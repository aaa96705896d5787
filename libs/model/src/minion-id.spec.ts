/** Rules of minion ids, and of arguments as they travel. */
import { funArgs, joinArguments, splitArguments } from './arguments.js';
import { parseMinionId } from './minion-id.js';
import { nameOf } from './principal.js';

describe('a minion id', () => {
  it.each(['web1', 'web1.example.com', 'a', '...', '-x', 'größe', '日本', 'a*b', "it's", 'x'.repeat(255), '😀'])(
    'may be %p',
    (id) => {
      expect(parseMinionId(id)).toBe(id);
    },
  );

  it.each(['a b', 'a\u00a0b'])('may hold blanks, as in Salt: %p', (id) => {
    expect(parseMinionId(id)).toBe(id);
  });

  it.each([
    '',
    '.',
    '..',
    'a/b',
    'a\\b',
    '/etc',
    'a\tb',
    'web1\n',
    '\u0000',
    'a\u007f',
    'a\u0085b',
    'a\u2028b',
    'web1\u200b',
    'we\u00adb1',
    '\ufeffweb1',
    'web1\u{e0041}',
    'web\u202e1',
    '\u3164',
    '\ud800',
    'x\udc00',
    'x'.repeat(256),
    7,
    null,
    undefined,
    ['web1'],
  ])('may not be %p', (id) => {
    expect(parseMinionId(id)).toBeUndefined();
  });
});

describe('arguments', () => {
  it('travel as positional values and at most one map of named ones, at the end', () => {
    const args = { positional: [1, 'a'], named: { x: 2 } };
    expect(joinArguments(args)).toEqual([1, 'a', { __kwarg__: true, x: 2 }]);
    expect(splitArguments(joinArguments(args))).toEqual(args);
  });

  it('without names are themselves', () => {
    expect(joinArguments({ positional: [1], named: {} })).toEqual([1]);
    expect(splitArguments([1, { x: 2 }])).toEqual({ positional: [1, { x: 2 }], named: {} });
    expect(splitArguments([])).toEqual({ positional: [], named: {} });
  });

  it('are named only in the last place, and only by the mark itself', () => {
    const first = { __kwarg__: true, x: 2 };
    expect(splitArguments([first, 1])).toEqual({ positional: [first, 1], named: {} });
    expect(splitArguments([Object.create({ __kwarg__: true }) as Record<string, never>]).named).toEqual({});
    expect(splitArguments([{ __kwarg__: false, x: 2 }]).named).toEqual({ x: 2 });
  });

  it('are told with a return without the mark', () => {
    expect(funArgs([1, { x: 1 }, { __kwarg__: true, x: 2 }])).toEqual([1, { x: 1 }, { x: 2 }]);
    expect(funArgs([1])).toEqual([1]);
  });
});

describe('a principal', () => {
  it('is named with its kind, so that a minion is never taken for an account', () => {
    expect(nameOf({ kind: 'minion', name: 'root' })).toBe('minion root');
    expect(nameOf({ kind: 'account', name: 'root' })).toBe('account root');
  });
});
