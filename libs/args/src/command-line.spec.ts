import { parseCommandLine } from './command-line.js';

describe('the command line', () => {
  it('is a target, a function and its arguments', () => {
    expect(parseCommandLine(['*', 'test.arg', 'a', 'b=1'])).toEqual({
      ok: true,
      value: { tgt: '*', tgtType: 'glob', fun: 'test.arg', arg: ['a', { __kwarg__: true, b: 1 }] },
    });
  });

  it('ends with 42 when the target or the function is missing', () => {
    expect(parseCommandLine([])).toMatchObject({ error: { exit: 42 } });
    expect(parseCommandLine(['*'])).toMatchObject({ error: { exit: 42 } });
  });

  it('ends with 2 when two target options are given', () => {
    expect(parseCommandLine(['*', 'test.ping'], { tgtTypes: ['pcre', 'list'] })).toMatchObject({ error: { exit: 2 } });
    expect(parseCommandLine(['*', 'test.ping'], { tgtTypes: ['pcre'] })).toMatchObject({ value: { tgtType: 'pcre' } });
  });

  it('splits a list target at commas without blanks, or else at blanks', () => {
    const list = (target: string) => parseCommandLine([target, 'f.g'], { tgtTypes: ['list'] });
    expect(list('a , b c,')).toMatchObject({ value: { tgt: ['a', 'bc', ''] } });
    expect(list(' a  b ')).toMatchObject({ value: { tgt: ['a', 'b'] } });
    expect(list('a\ufeffb\x85c')).toMatchObject({ value: { tgt: ['a\ufeffb', 'c'] } });
    expect(list('')).toMatchObject({ value: { tgt: [] } });
  });

  it('divides arguments among several functions at stand-alone separators when their number fits', () => {
    expect(parseCommandLine(['*', 'a.b,c.d', 'x,y', ',', '2'])).toMatchObject({
      value: { fun: ['a.b', 'c.d'], arg: [['x,y'], [2]] },
    });
    expect(parseCommandLine(['*', 'a.b,c.d', ',', ''])).toMatchObject({ value: { arg: [[], ['']] } });
  });

  it('searches the separator inside the words when the number does not fit', () => {
    expect(parseCommandLine(['*', 'a.b,c.d', 'ls,', 'foo'])).toMatchObject({ value: { arg: [['ls'], ['foo']] } });
    expect(parseCommandLine(['*', 'a.b,c.d', '1--2'], { argsSeparator: '--' })).toMatchObject({
      value: { arg: [[1], [2]] },
    });
  });

  it('ends with 42 when there are too few or too many groups of arguments', () => {
    expect(parseCommandLine(['*', 'a.b,c.d', 'x'])).toMatchObject({ error: { exit: 42 } });
    expect(parseCommandLine(['*', 'a.b,c.d', '1,2,3'])).toMatchObject({ error: { exit: 42 } });
    expect(parseCommandLine(['*', 'a.b,c.d', 'x'], { argsSeparator: '' })).toMatchObject({ error: { exit: 42 } });
  });

  it('keeps a comma in the arguments of a single function', () => {
    expect(parseCommandLine(['web*', 'cmd.run', 'ls, -la'])).toMatchObject({ value: { arg: ['ls, -la'] } });
  });
});
