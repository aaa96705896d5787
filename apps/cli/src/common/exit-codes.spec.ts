import { readFileSync } from 'node:fs';
import { REFUSAL_CODES, refusal } from '@natrium/model';
import { EXIT, exitOfRefusal } from './exit-codes.js';

const page = readFileSync('docs/exit-codes.md', 'utf8');

describe('exit codes', () => {
  it('are all explained in docs/exit-codes.md', () => {
    const explained = [...page.matchAll(/^\| (\d+) \|/gm)].map((row) => Number(row[1]));
    expect([...new Set(explained)].sort((a, b) => a - b)).toEqual(
      [...new Set(Object.values(EXIT))].sort((a, b) => a - b),
    );
  });

  it('of a refusal are never 0, and as its table says', () => {
    const table = new Map([...page.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map((row) => [row[1], Number(row[2])]));
    for (const code of REFUSAL_CODES)
      expect([code, exitOfRefusal(refusal(code, ''))]).toEqual([code, table.get(code) ?? EXIT.denied]);
  });
});
