/**
 * A short round of the drills: processes are killed, stopped and cut off under load, with a fixed seed; the long one is
 * `npm run drills -- --minutes 10 --seed S`.
 */
import { rmSync } from 'node:fs';
import { printFigure } from '../support/figures.js';
import { drill } from './drill.js';
import { plan } from './faults.js';
import { type Account, isClean } from './ledger.js';

const LOAD_MS = 10_000;
const FAULTS = 8;
const ROUND_MS = 360_000;

it(
  'loses no return and no event, doubles none and runs nothing twice, whoever is killed, stopped or cut off',
  async () => {
    const said: string[] = [];
    const { account, faults, runs, folder } = await drill({
      seed: 5,
      ms: LOAD_MS,
      faults: FAULTS,
      jobsPerSecond: 50,
      minions: ['m1', 'm2'],
      say: (line) => said.push(line),
      signal: new AbortController().signal,
    });
    const { lost, doubled, ranTwice, ranRefused, missing, expected, received, events, reactions } = account;
    // The logs of a round that failed stay in its folder.
    expect({ lost, doubled, ranTwice, ranRefused, missing, said, folder }).toMatchObject({
      lost: [],
      doubled: [],
      ranTwice: [],
      ranRefused: [],
      missing: [],
    });
    rmSync(folder, { recursive: true, force: true });
    expect(faults).toBe(FAULTS);
    expect(received).toBe(expected);
    expect(expected).toBeGreaterThan(FAULTS);
    expect([events > 0, reactions > 0]).toEqual([true, true]);
    printFigure('the longest wait for a runner while services died', runs.worstMs);
  },
  ROUND_MS,
);

describe('the account of a drill', () => {
  const clean: Account = {
    ...{ sent: 9, refused: 1, expected: 9, received: 9, told: 8, interrupted: 1, storedAgain: 1 },
    ...{ events: 3, sunkAgain: 1, reactions: 2 },
    ...{ lost: [], doubled: [], ranTwice: [], ranRefused: [], missing: [] },
  };

  it('is clean where jobs were refused, returns interrupted or stored again in the same words, and events sunk again', () => {
    expect(isClean(clean)).toBe(true);
  });

  it.each(['lost', 'doubled', 'ranTwice', 'ranRefused', 'missing'] as const)('is not clean with one of %s', (wrong) => {
    expect(isClean({ ...clean, [wrong]: ['job7 m1'] })).toBe(false);
  });
});

describe('the plan of a drill', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(plan(1, 60_000, 30)).toEqual(plan(1, 60_000, 30));
    expect(plan(2, 60_000, 30)).not.toEqual(plan(1, 60_000, 30));
  });

  it('has every kind at least five times in ten minutes, and a hundred faults', () => {
    const planned = plan(7, 600_000, 120);
    const times = new Map<string, number>();
    for (const { role, hurt } of planned) times.set(`${hurt} ${role}`, (times.get(`${hurt} ${role}`) ?? 0) + 1);
    expect(planned.length).toBeGreaterThanOrEqual(100);
    expect([times.size, Math.min(...times.values()) >= 5]).toEqual([18, true]);
  });
});
