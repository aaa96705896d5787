import { liveLine } from './live-line.js';

describe('the live line', () => {
  const missing = [
    { id: 'web3', why: 'not_connected' },
    { id: 'db1', why: 'running' },
    { id: 'db2', why: 'running' },
  ] as const;

  it('names who is missing and why', () => {
    expect(liveLine({ asked: 40, returned: 37, missing: missing.slice(0, 2), seconds: 4 }, 80)).toBe(
      '37/40 returned · missing: web3 (not connected), db1 (running 4 s)',
    );
  });

  it('names them in one order, whoever was asked first', () => {
    const turned = [...missing].reverse();
    expect(liveLine({ asked: 40, returned: 37, missing: turned, seconds: 4 }, 200)).toBe(
      '37/40 returned · missing: web3 (not connected), db1 (running 4 s), db2 (running 4 s)',
    );
  });

  it('counts those that do not fit the terminal', () => {
    const progress = { asked: 40, returned: 37, missing, seconds: 4 };
    expect(liveLine(progress, 60)).toBe('37/40 returned · missing: web3 (not connected) and 2 more');
    expect(liveLine(progress, 30)).toBe('37/40 returned · missing: 3');
    expect(liveLine(progress, 5)).toBe('37/40');
  });

  it('is the count alone when nobody is missing', () => {
    expect(liveLine({ asked: 2, returned: 2, missing: [], seconds: 0 }, 80)).toBe('2/2 returned');
  });
});
