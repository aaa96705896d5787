import type { Value } from '@natrium/model';
import { readDescription } from './description.js';

const find = (more: Readonly<Record<string, Value>>): Value => ({ functions: { find: { doc: 'Finds.', ...more } } });

describe('what a module says of itself', () => {
  it('is read with every key that a function may have', () => {
    const text = { returns: 'a list', examples: ['big.find /'], timeout: 300 };
    const params = [
      { name: 'a', type: 'int', default: 1, keyword: true },
      { rest: 'b' },
      { kwargs: 'c', doc: 'More.' },
    ];
    expect(readDescription(find({ ...text, params }), 'big')).toEqual({ find: { doc: 'Finds.', ...text, params } });
    expect(readDescription(find({ params: [{ name: 'a' }] }), 'big')).toMatchObject({
      find: { params: [{ type: 'any' }] },
    });
  });

  it.each<[Value, string]>([
    [[], 'its description must be a mapping'],
    [{}, 'functions must be a mapping'],
    [{ functions: {} }, 'functions is empty'],
    [{ name: 'other', functions: {} }, 'it says that its name is "other"; by its file it is big'],
    [{ functions: { find: {} } }, 'find: doc must say what it does'],
    [{ functions: { 'a.b': { doc: 'x' } } }, 'a name of letters'],
    [find({ timout: 3 }), 'find has no key timout'],
    [find({ timeout: 0 }), 'find: timeout must be seconds, at most 3600'],
    [find({ timeout: 99_999 }), 'find: timeout must be seconds'],
    [find({ params: {} }), 'find: params must be a list'],
    [find({ params: [{ name: 'a', type: 'text' }] }), 'find: a: type must be one of'],
    [find({ params: [{ name: 'a' }, { rest: 'a' }] }), 'find: two parameters are called a'],
    [find({ params: [{ rest: 'a' }, { rest: 'b' }] }), 'find: rest and kwargs stand once each'],
    [find({ params: [{ name: 'a', keyword: false }] }), 'find: a: keyword is true or absent'],
    [find({ grants: ['.*'] }), 'find has no key grants'],
  ])('is refused when it is %j', (said, sentence) => {
    expect(() => readDescription(said, 'big')).toThrow(sentence);
  });
});
