import { splitFunctions, wordsByFunction } from './functions.js';

describe('several functions in one word', () => {
  it('are split at commas, and empty names stay to be refused', () => {
    expect(splitFunctions('test.ping,cmd.run')).toEqual(['test.ping', 'cmd.run']);
    expect(splitFunctions('test.ping,')).toEqual(['test.ping', '']);
  });

  it('have the words of their own text each', () => {
    expect(wordsByFunction(['a', 'b'], ['', 'ls -l'])).toEqual([[], ['ls', '-l']]);
    expect(wordsByFunction(['a', 'b'], [['x y'], []])).toEqual([['x y'], []]);
    expect(wordsByFunction(['a', 'b'], [])).toEqual([[], []]);
    expect(wordsByFunction(['a'], ['x', 'y z'])).toEqual([['x', 'y z']]);
    expect(wordsByFunction(['a', 'b'], [5])).toBeUndefined();
  });

  it('are divided at what Python calls white space, which a byte order mark is not', () => {
    expect(wordsByFunction(['a', 'b'], ['x\u001cy\u0085z\u3000', '\ufeffx'])).toEqual([['x', 'y', 'z'], ['\ufeffx']]);
  });
});
